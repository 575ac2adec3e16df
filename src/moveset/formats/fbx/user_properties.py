"""Properties that ufbx found on an element, by name; read in the worker."""

from __future__ import annotations

import ufbx

from moveset.formats.fbx.kept import keep


def text_property(props: ufbx.Props, name: str) -> str:
    """The text of a property; empty where there is none."""
    found = ufbx.find_prop(props, name)
    return "" if found is None else keep(found).value_str


def whole_property(props: ufbx.Props, name: str) -> int | None:
    """The whole number of a property; None where there is none."""
    found = ufbx.find_prop(props, name)
    return None if found is None else keep(found).value_int
