"""glTF 2.0: .glb, .gltf, .vrm and .vrma."""

from moveset.formats.gltf.read import GltfSource, read
from moveset.formats.registry import Format

__all__ = ["FORMAT", "GltfSource", "read"]

FORMAT = Format("glTF", (".glb", ".gltf", ".vrm", ".vrma"), read=read)
