"""Moveset: game animation from motion data."""

__version__ = "0.1.0"
