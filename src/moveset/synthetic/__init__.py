"""Clips computed from parameters, with exact contacts, events and words."""

from moveset.synthetic.bad import bad_clips
from moveset.synthetic.corpus import corpus, names, synthesize
from moveset.synthetic.follow import follow

__all__ = ["bad_clips", "corpus", "follow", "names", "synthesize"]
