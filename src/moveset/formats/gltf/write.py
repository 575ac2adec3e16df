"""Asset -> glTF."""

from __future__ import annotations

from collections.abc import Iterable

from moveset.errors import MovesetError
from moveset.formats.gltf import container
from moveset.formats.gltf.build import build
from moveset.formats.gltf.document import collector_paused
from moveset.formats.gltf.patch import patch
from moveset.formats.gltf.read import GltfSource
from moveset.formats.scene.fit import same_skeleton
from moveset.motion import Asset, Clip, Finding


def write(
    asset: Asset, *, path: str, clips: Iterable[str] | None = None, keep_existing: bool = False
) -> bytes:
    """A .glb, .gltf (buffers embedded) or .vrm of `asset`.

    If the asset was read from glTF and its character is still the same, the file that was read is patched: all in
    it stays, its animations become the asset's clips (`keep_existing`: in addition to its own). Else a file is
    built from characters and clips. `clips` names which clips to write.
    """
    chosen = _chosen(asset, clips)
    source = _patchable(asset)
    with collector_paused():
        document, binary = build(asset, chosen) if source is None else patch(source, chosen, keep_existing)
        join = container.join_text if path.lower().endswith(".gltf") else container.join
        return join(document, binary)


def losses(asset: Asset) -> tuple[Finding, ...]:
    """What of `asset` its glTF will not carry: joints of clips that the patched character lacks."""
    source = _patchable(asset)
    if source is None:
        return ()
    findings = []
    for clip in asset.clips:
        matches = [same_skeleton(clip.skeleton, part.rig.skeleton) for part in source.parts]
        found = [joints for joints in matches if joints is not None]
        missing = min((int((joints < 0).sum()) for joints in found), default=0)
        if missing:
            findings.append(
                Finding(
                    "joints_left_out",
                    "warning",
                    clip.name,
                    f"{clip.name}: the character lacks {missing} of its joints",
                    count=missing,
                )
            )
    return tuple(findings)


def _chosen(asset: Asset, names: Iterable[str] | None) -> list[Clip]:
    if names is None:
        return list(asset.clips)
    by_name = {clip.name: clip for clip in asset.clips}
    wanted = list(names)
    for name in wanted:
        if name not in by_name:
            raise MovesetError(f"there is no clip {name!r}", do=f"there are: {', '.join(list(by_name)[:12])}")
    return [by_name[name] for name in wanted]


def _patchable(asset: Asset) -> GltfSource | None:
    """The document to patch; None if there is none, or the characters are not those that it holds."""
    source = asset.source.document if asset.source is not None else None
    if not isinstance(source, GltfSource) or len(source.parts) != len(asset.characters):
        return None
    for part, character in zip(source.parts, asset.characters):
        if part.rig.skeleton.names != character.skeleton.names or part.meshes != len(character.meshes):
            return None
    return source
