"""Kinds of bundles, and the names that whoever writes one shares with whoever reads it."""

AUTOENCODER = "autoencoder"
CONTROLLER = "controller"
REFERENCE = "reference"
"""Under this name a controller carries the measures of real clips: in its manifest, and as arrays."""
