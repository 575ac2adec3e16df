"""Materials of a file and the images that they show, embedded or beside it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from moveset.errors import MovesetError
from moveset.formats.fbx.document import Document
from moveset.formats.fbx.notes import read_material_note
from moveset.formats.scene.materials import FileMaterial, decode_image
from moveset.motion import Finding, Material


def read_materials(
    document: Document, path: str, sibling: Callable[[str], bytes], findings: list[Finding]
) -> tuple[Material, ...]:
    """All materials; a texture that is missing is a finding, and its material shows its plain color."""
    sibling = cache(sibling)  # many textures may show one image
    images = [
        _image(document, i, texture, path, sibling, findings)
        for i, texture in enumerate(document.header["textures"])
    ]
    materials = []
    for entry in document.header["materials"]:
        image = images[entry["texture"]] if entry["texture"] >= 0 else None
        opacity = float(np.clip(np.nan_to_num(entry["opacity"], nan=1.0), 0, 1))
        # a texture takes the color's place: programs leave any color beside one
        red, green, blue = (1.0, 1.0, 1.0) if image else np.clip(np.nan_to_num(entry["color"]), 0, 1).tolist()
        looks = {
            "base_color": (red, green, blue, opacity),
            "double_sided": entry["double_sided"],
            "alpha_mode": "BLEND" if opacity < 1 else "OPAQUE",
            **read_material_note(entry["note"]),
        }
        materials.append(FileMaterial(name=entry["name"], texture=image, **looks))  # type: ignore[arg-type]
    return tuple(materials)


def _image(
    document: Document,
    index: int,
    texture: dict,
    path: str,
    sibling: Callable[[str], bytes],
    findings: list[Finding],
) -> Callable[[], np.ndarray] | None:
    """How to decode an image: that in the file, else that of its name beside the file or in the folder it names."""
    where = f"texture {texture['name']!r}"
    embedded = document.arrays.get(f"texture{index}")
    if embedded is not None:
        content = embedded.tobytes()
        return lambda: decode_image(content, path, where)
    for name in _places(texture["files"]):
        try:
            content = sibling(name)
        except MovesetError:
            continue
        return lambda: decode_image(content, path, where)
    if texture["files"]:
        name = texture["files"][0].replace("\\", "/").rpartition("/")[2]
        findings.append(
            Finding(
                "missing_texture",
                "warning",
                "",
                f"{where}: {name} is not there",
                advice="put the image beside the file; until then the material shows its plain color",
            )
        )
    return None


def _places(files: list[str]) -> list[str]:
    """Where an image may lie: the relative paths as given, then their last parts. Absolute paths are of other disks."""
    places: dict[str, None] = {}
    for name in files:
        parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
        absolute = name.startswith(("/", "\\")) or ":" in name
        if parts and not absolute and ".." not in parts:
            places["/".join(parts)] = None
        for tail in (parts[-2:], parts[-1:]):
            if tail and ".." not in tail and not any(":" in part for part in tail):
                places["/".join(tail)] = None
    return list(places)
