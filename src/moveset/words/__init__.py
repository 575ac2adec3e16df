"""Annotation fields and their vocabulary."""
