"""Libraries that may crash, hang or hoard read in a process of their own, which such a file costs alone."""
