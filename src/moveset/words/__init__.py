"""Annotation fields and their vocabulary."""

from moveset.words.vocabulary import Field, check, problems, vocabulary

__all__ = ["Field", "check", "problems", "vocabulary"]
