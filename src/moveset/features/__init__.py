"""Named layouts, normalizer, windows: Clip -> arrays and back."""
