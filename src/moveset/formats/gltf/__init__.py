"""glTF 2.0: .glb, .gltf and .vrm; .vrma is read by it too."""

from moveset.formats.gltf.read import GltfSource, read
from moveset.formats.gltf.write import losses, write
from moveset.formats.registry import Format

__all__ = ["FORMAT", "GltfSource", "read", "write"]

FORMAT = Format(
    "glTF",
    (".glb", ".gltf", ".vrm"),
    read=read,
    write=write,
    write_options=("clips", "keep_existing"),
    losses=losses,
)
