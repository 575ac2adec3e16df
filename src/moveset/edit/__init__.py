"""Clip to clip: bend, and what else changes a motion without changing its skeleton."""
