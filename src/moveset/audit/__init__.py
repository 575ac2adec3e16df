"""Checks of clips: one a file, Clip -> Findings. A new check is a file and its name in registry.py."""

from moveset.audit.check import Check, SetCheck
from moveset.audit.digest import Digest, digest
from moveset.audit.registry import CHECKS, SET_CHECKS, audit, audit_set, verdict

__all__ = ["CHECKS", "SET_CHECKS", "Check", "Digest", "SetCheck", "audit", "audit_set", "digest", "verdict"]
