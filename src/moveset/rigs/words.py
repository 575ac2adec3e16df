"""Joint names as words: side and bare word, whatever prefix, separators and language the name has."""

from __future__ import annotations

import re
import unicodedata

_PREFIX = re.compile(
    r"^(?:mixamorig\d*|bip\d*|biped|def|org|neo|ccbase|jbip|jnt|rig|skeleton|b)(?=[\W_])", re.I
)
_HELPER = re.compile(r"^(?:__|MCH|CTRL)", re.I)
"""Joints that position others (MakeHuman's doubles, rigify's mechanisms, controls): never a body part themselves."""
_SIDES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?i)(left|right)",
        r"(?i)(gauche|droite?|izquierd[ao]|derech[ao]|sinistr[ao]|destr[ao]|esquerd[ao]|direit[ao])",
        r"(?i)(?:^|(?<=[\W_]))(links?|rechts?|linke[rs]?|rechte[rs]?|izq|der)(?=$|[\W_])",
        r"(左|右)",
        r"(?i)[\W_](l|r)(?=$|[\W_])",
        r"(?i)^(l|r)[\W_]",
        r"^(l|r)(?=[A-Z])",
        r"(?<=[a-z0-9])(L|R)$",
        r"^(L|R)(?=[A-Z][a-z])",
        # ASF: lfemur, rhumerus
        r"^(l|r)(?=(?:femur|tibia|foot|toes|humerus|radius|wrist|hand|fingers|thumb|clavicle|hipjoint)$)",
    )
)
_LEFT = ("l", "g", "iz", "s", "es", "左")
"""How words for left begin; those for right begin otherwise."""


def plain(name: str) -> tuple[str | None, str]:
    """Side and bare word of a joint name: ("left", "upperarm") of `DEF-upper_arm.L`, `lUpperArm`, `UpperArm_L`."""
    name = name.rsplit(":", 1)[-1].rsplit("|", 1)[-1]
    if _HELPER.match(name):
        return None, ""
    side, word = sided(_PREFIX.sub("", name).lstrip("-_ ."))
    return side, re.sub(r"0+(?=[1-9])", "", word)


def sided(name: str) -> tuple[str | None, str]:
    """The side that a name tells, and what remains of it: lower case, without separators and accents."""
    side: str | None = None
    for pattern in _SIDES:
        match = pattern.search(name)
        if match:
            side = "left" if match[1].lower().startswith(_LEFT) else "right"
            name = name[: match.start(1)] + name[match.end(1) :]
            break
    # accents go, but not the marks that tell Japanese syllables apart
    bare = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFKD", name))
    bare = unicodedata.normalize("NFC", bare)
    return side, re.sub(r"[\W_]+", "", bare).lower()
