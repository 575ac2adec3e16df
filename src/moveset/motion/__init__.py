"""Skeletons, clips, characters, and what can be computed from them without a file in sight."""

from moveset.motion.asset import Asset, Finding, Source
from moveset.motion.character import Character, Material, Mesh
from moveset.motion.clip import Annotation, Clip, Contacts, Event, Tags
from moveset.motion.skeleton import Skeleton

__all__ = [
    "Annotation",
    "Asset",
    "Character",
    "Clip",
    "Contacts",
    "Event",
    "Finding",
    "Material",
    "Mesh",
    "Skeleton",
    "Source",
    "Tags",
]
