"""Rotations, transforms, springs and signals: batched pure functions over arrays."""
