"""Which of several licenses allows least, and what a license file is about."""

from __future__ import annotations

import re
from collections.abc import Iterable

_RANKS = (
    (r"^(cc0|unlicense|0bsd|public.?domain|wtfpl|.*cc0)", 0),
    (r"\bn(on)?-?c(ommercial)?\b|noncommercial", 5),
    (r"-nd\b|no-?derivatives", 4),
    (r"-sa\b|\bgpl|\bagpl|\blgpl|share-?alike", 3),
    (r"^(mit|bsd|apache|isc|zlib|boost)", 1),
    (r"^cc-by", 2),
)
"""First match decides; 0 gives everything away, 5 forbids commerce."""
_OWN_TERMS = 3.5
_UNKNOWN = 6

_PHRASES = (
    (r"attribution-noncommercial-noderiv\w+ 4\.0|by-nc-nd[ /-]4\.0", "CC-BY-NC-ND-4.0"),
    (r"attribution-noncommercial-sharealike 4\.0|by-nc-sa[ /-]4\.0", "CC-BY-NC-SA-4.0"),
    (r"attribution-noncommercial 4\.0|by-nc[ /-]4\.0", "CC-BY-NC-4.0"),
    (r"attribution-sharealike 4\.0|by-sa[ /-]4\.0", "CC-BY-SA-4.0"),
    (r"creative commons zero|cc0", "CC0-1.0"),
    (r"attribution 4\.0 international|cc[ -]by[ /-]4\.0", "CC-BY-4.0"),
    (r"attribution 3\.0|cc[ -]by[ /-]3\.0", "CC-BY-3.0"),
    (r"apache license,?\s+version 2\.0", "Apache-2.0"),
    (r"this is free and unencumbered software", "Unlicense"),
    (r"permission is hereby granted, free of charge", "MIT"),
    (r"redistribution and use in source and binary forms", "BSD"),
)


def rank(license: str) -> float:
    """0 for what may be used freely, up to 5 for noncommercial, 6 for unknown: unknown allows nothing."""
    text = license.strip().lower()
    if not text:
        return _UNKNOWN
    return next((grade for pattern, grade in _RANKS if re.search(pattern, text)), _OWN_TERMS)


def strictest(licenses: Iterable[str]) -> str:
    """The one that allows least; what is made from all the clips is under it. Empty when one is unknown."""
    return max(sorted(set(licenses)), key=rank, default="")


def recognize_license(text: str) -> str:
    """SPDX identifier of a license text, empty when it is none of the usual ones.

    The phrase that comes first decides: licenses name themselves at the top, and others further down.
    """
    flat = " ".join(text[:20_000].lower().split())
    found = [(match.start(), spdx) for pattern, spdx in _PHRASES if (match := re.search(pattern, flat))]
    return min(found, key=lambda place: place[0])[1] if found else ""
