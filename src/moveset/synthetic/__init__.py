"""Clips computed from parameters, with exact contacts, events and words."""

from moveset.synthetic.corpus import corpus, names, synthesize

__all__ = ["corpus", "names", "synthesize"]
