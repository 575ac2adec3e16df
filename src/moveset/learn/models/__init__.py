"""Models, one a file: a frozen config with its presets, and below it the module and its task."""
