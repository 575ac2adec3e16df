"""Autodesk FBX: read with ufbx in a process of its own, written as binary 7400 for a program that is named."""

from moveset.formats.fbx.losses import losses
from moveset.formats.fbx.presets import PRESETS
from moveset.formats.fbx.read import FbxSource, read
from moveset.formats.fbx.write import WRITE_OPTIONS, write
from moveset.formats.registry import Format

__all__ = ["FORMAT", "PRESETS", "FbxSource", "losses", "read", "write"]

FORMAT = Format("FBX", (".fbx",), read, write, write_options=WRITE_OPTIONS, losses=losses)
