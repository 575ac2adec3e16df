"""What training hands on: networks that run, and all that is known of them."""

from moveset.bundle.controller import AskedRange, ControllerSpec, LevelOfDetail, Span
from moveset.bundle.network import Network, Port
from moveset.bundle.store import (
    FORMAT,
    MANIFEST,
    REQUIRED,
    WEIGHTS,
    Bundle,
    is_bundle,
    latent_signature,
    open_bundle,
    refuse_other,
    require_on,
    write_bundle,
    write_measures,
)

__all__ = [
    "FORMAT",
    "MANIFEST",
    "REQUIRED",
    "WEIGHTS",
    "AskedRange",
    "Bundle",
    "ControllerSpec",
    "LevelOfDetail",
    "Network",
    "Port",
    "Span",
    "is_bundle",
    "latent_signature",
    "open_bundle",
    "refuse_other",
    "require_on",
    "write_bundle",
    "write_measures",
]
