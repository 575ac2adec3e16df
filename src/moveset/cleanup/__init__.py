"""Clip to clip: what makes a motion cleaner without making it another one."""
