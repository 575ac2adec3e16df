"""Clip + another skeleton -> Clip, by roles."""
