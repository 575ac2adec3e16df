"""Materials, their base color textures inside the file."""

from __future__ import annotations

import numpy as np

from moveset.formats.fbx.binary import Node, int32, node, raw, text
from moveset.formats.fbx.notes import material_note
from moveset.formats.fbx.scene import Scene, note, number, prop, properties, vector
from moveset.formats.png import encode_png
from moveset.motion import Material


class Materials:
    """Writes materials; a texture that several share is in the file once."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._images: dict[int, tuple[int, object]] = {}

    def add(self, material: Material) -> tuple[int, str]:
        """A plain diffuse material: its identity and its name in the file."""
        scene, (red, green, blue, alpha) = self._scene, material.base_color
        name = scene.unique(material.name or "Material", "Material")
        entries = [
            vector("DiffuseColor", (red, green, blue), "Color"),
            number("DiffuseFactor", 1.0, "A"),
            vector("TransparentColor", (1 - alpha,) * 3, "Color"),
            number("TransparencyFactor", 1 - alpha, "A"),
            number("Opacity", alpha, "A"),
            vector("SpecularColor", (0, 0, 0), "Color"),
            note("moveset", material_note(material)),
        ]
        about = [
            node("Version", int32(102)),
            node("ShadingModel", text("lambert")),
            node("MultiLayer", int32(0)),
        ]
        identity = scene.add("Material", name, "Material", "", [*about, properties(*entries)])
        if material.texture is not None:
            texture = self._texture(material.texture, name)
            scene.connect(texture, identity, "DiffuseColor")
            if material.alpha_mode != "OPAQUE":
                scene.connect(texture, identity, "TransparentColor")
        return identity, name

    def _texture(self, pixels: np.ndarray, name: str) -> int:
        if id(pixels) not in self._images:
            # the pixels are held so that no other array takes their id
            self._images[id(pixels)] = self._add_image(encode_png(pixels), f"{name}.png"), pixels
        return self._images[id(pixels)][0]

    def _add_image(self, content: bytes, file: str) -> int:
        scene = self._scene
        name = scene.unique(file.removesuffix(".png"), "Texture")
        video = [
            node("Type", text("Clip")),
            properties(prop("Path", "KString", text(file), label="XRefUrl")),
            node("UseMipMap", int32(0)),
            node("Filename", text(file)),
            node("RelativeFilename", text(file)),
            node("Content", raw(content)),
        ]
        texture: list[Node] = [
            node("Type", text("TextureVideoClip")),
            node("Version", int32(202)),
            node("TextureName", text(f"{name}\x00\x01Texture")),
            properties(prop("UseMaterial", "bool", int32(1)), prop("UVSet", "KString", text("UVMap"))),
            node("Media", text(f"{name}\x00\x01Video")),
            node("FileName", text(file)),
            node("RelativeFilename", text(file)),
        ]
        identity = scene.add("Texture", name, "Texture", "", texture)
        scene.add("Video", name, "Video", "Clip", video, identity)
        return identity
