"""Materials and their base color textures, which are decoded when first looked at."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from moveset.errors import MovesetError
from moveset.formats.gltf.document import Document
from moveset.formats.scene.materials import FileMaterial, decode_image
from moveset.motion import Finding, Material


def read_materials(document: Document, findings: list[Finding]) -> tuple[Material, ...]:
    """All materials; a texture that is missing is a finding, and its material shows its plain color."""
    materials = []
    for index, entry in enumerate(document.table("materials")):
        where = f"materials[{index}]"
        surface = document.mapping(entry, "pbrMetallicRoughness", where)
        color = document.numbers(surface, "baseColorFactor", (1, 1, 1, 1), where)
        mode = entry.get("alphaMode", "OPAQUE")
        texture = None
        if "baseColorTexture" in surface:
            texture = _texture(
                document, document.mapping(surface, "baseColorTexture", where), where, findings
            )
        materials.append(
            FileMaterial(
                name=document.name("materials", index),
                base_color=tuple(float(c) for c in color),  # type: ignore[arg-type]
                texture=texture,  # type: ignore[arg-type]
                double_sided=entry.get("doubleSided") is True,
                alpha_mode=mode if mode in ("MASK", "BLEND") else "OPAQUE",
                alpha_cutoff=document.number(entry, "alphaCutoff", 0.5, where),
            )
        )
    return tuple(materials)


def image_bytes(document: Document, index: int) -> bytes:
    """The encoded bytes of image `index`, wherever they lie."""
    entry, where = document.table("images")[index], f"images[{index}]"
    if "uri" in entry:
        return document.resource(entry["uri"], where)
    view = document.table("bufferViews")[document.reference(entry, "bufferView", "bufferViews", where)]
    start = document.integer(view, "byteOffset", where, default=0)
    length = document.integer(view, "byteLength", where)
    content = document.buffer(document.reference(view, "buffer", "buffers", where))
    if start + length > len(content):
        raise document.error("reaches beyond the end of its buffer", where)
    return bytes(content[start : start + length])


def _texture(
    document: Document, info: dict, where: str, findings: list[Finding]
) -> Callable[[], np.ndarray] | None:
    texture = document.table("textures")[document.reference(info, "index", "textures", where)]
    if "source" not in texture:
        named = ", ".join(document.mapping(texture, "extensions", where)) or "nothing"
        findings.append(
            Finding(
                "texture_format",
                "warning",
                "",
                f"{where}: its texture is stored as {named}, which is not read",
                advice="export the texture as PNG or JPEG",
            )
        )
        return None
    source = document.reference(texture, "source", "images", where)
    try:
        encoded = image_bytes(document, source)
    except MovesetError as error:
        findings.append(
            Finding(
                "missing_texture",
                "warning",
                "",
                f"images[{source}]: {error.message}",
                advice="put the image beside the file; until then the material shows its plain color",
            )
        )
        return None
    return lambda: decode_image(encoded, document.path, f"images[{source}]")
