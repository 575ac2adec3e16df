"""Clips computed from parameters, with exact contacts, events and words."""
