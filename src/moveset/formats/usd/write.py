"""An asset as a USD stage: a SkelRoot a character, a SkelAnimation a clip. Needs OpenUSD in this process."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from moveset.errors import MovesetError
from moveset.formats.bvh.conventions import axis_of, metres_of
from moveset.formats.registry import left_out
from moveset.formats.scene.nodes import compose
from moveset.geometry import quaternion, vector
from moveset.geometry.quaternion import Array
from moveset.motion import Asset, Character, Clip, Finding, Mesh, Skeleton


def write(asset: Asset, *, path: str, up: str = "Y", unit: float | str = "m") -> bytes:
    """A .usda (text), .usdc, .usd (binary) or .usdz of `asset`; `up` is Y or Z, `unit` metres a unit or its name.

    Axes and unit are put on the root of each character, so that its numbers stay.
    """
    pxr = _openusd()
    characters = list(asset.characters)
    for clip in asset.clips:
        if all(not _same(clip.skeleton, c.skeleton) for c in characters):
            characters.append(Character(clip.skeleton, name=clip.name))
    up, metres = axis_of(up, path), metres_of(unit, path)
    stage = pxr.Usd.Stage.CreateInMemory()
    pxr.UsdGeom.SetStageUpAxis(stage, up)
    pxr.UsdGeom.SetStageMetersPerUnit(stage, metres)
    if asset.clips:
        stage.SetTimeCodesPerSecond(float(asset.clips[0].fps))
        stage.SetFramesPerSecond(float(asset.clips[0].fps))
        stage.SetStartTimeCode(0)
        stage.SetEndTimeCode(max(clip.seconds for clip in asset.clips) * asset.clips[0].fps)
    names = _Names(pxr)
    left = list(asset.clips)
    for character in characters:
        own = [clip for clip in left if _same(clip.skeleton, character.skeleton)]
        left = [clip for clip in left if clip not in own]
        _character(pxr, stage, names, character, own, up, metres)
    return _bytes(pxr, stage, Path(path).suffix.lower())


def losses(asset: Asset) -> tuple[Finding, ...]:
    """What a USD file of Moveset leaves out."""
    return left_out("the USD file", asset, "textures", "blend shapes", "curves", "events")


def _openusd() -> Any:
    try:
        import pxr  # pyright: ignore[reportMissingImports]
        from pxr import Gf, Sdf, Tf, Usd, UsdGeom, UsdSkel, UsdUtils, Vt  # noqa: F401  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise MovesetError(
            "writing USD files needs OpenUSD, which is not installed",
            do="pip install 'moveset[usd]', or usd-core==26.11",
        ) from None
    return pxr


class _Names:
    """Prim names: valid and unique below each parent."""

    def __init__(self, pxr: Any) -> None:
        self._valid = pxr.Tf.MakeValidIdentifier
        self._taken: set[str] = set()

    def __call__(self, parent: str, name: str, default: str) -> str:
        base = self._valid(name) if name else default
        number, path = 1, f"{parent}/{base}"
        while path in self._taken:
            number += 1
            path = f"{parent}/{base}_{number}"
        self._taken.add(path)
        return path


def _same(a: Skeleton, b: Skeleton) -> bool:
    return a is b or (a.names == b.names and a.signature == b.signature)


def _character(
    pxr: Any, stage: Any, names: _Names, character: Character, clips: Iterable[Clip], up: str, metres: float
) -> None:
    root = pxr.UsdSkel.Root.Define(stage, names("", character.name, "Character"))
    here = str(root.GetPath())
    if not stage.GetDefaultPrim():
        stage.SetDefaultPrim(root.GetPrim())
    if up == "Z":
        root.AddRotateXOp().Set(90.0)
    if metres != 1:
        root.AddScaleOp().Set(pxr.Gf.Vec3f(1 / metres))
    joints = _joint_paths(pxr, character.skeleton)
    skeleton = pxr.UsdSkel.Skeleton.Define(stage, names(here, "Skeleton", "Skeleton"))
    skeleton.CreateJointsAttr(joints)
    skeleton.CreateJointNamesAttr(list(character.skeleton.names))
    rest = _matrices(character.skeleton.rest_rotations, character.skeleton.rest_translations)
    skeleton.CreateRestTransformsAttr(_matrix_array(pxr, rest))
    binds = _binds(character)
    skeleton.CreateBindTransformsAttr(_matrix_array(pxr, binds))
    binding = pxr.UsdSkel.BindingAPI.Apply(skeleton.GetPrim())
    for number, clip in enumerate(clips):
        animation = pxr.UsdSkel.Animation.Define(stage, names(here, clip.name, "Animation"))
        _animate(pxr, animation, clip, joints, stage.GetTimeCodesPerSecond() / clip.fps)
        if number == 0:
            binding.CreateAnimationSourceRel().SetTargets([animation.GetPath()])
    for mesh in character.meshes:
        _mesh(pxr, stage, names(here, mesh.name, "Mesh"), mesh, character, skeleton, binds)


def _joint_paths(pxr: Any, skeleton: Skeleton) -> list[str]:
    """Path of each joint through its parents, of valid names."""
    names = _Names(pxr)
    paths: list[str] = []
    for name, parent in zip(skeleton.names, skeleton.parents.tolist()):
        paths.append(names(paths[parent] if parent >= 0 else "", name, "joint").lstrip("/"))
    return paths


def _matrices(rotations: Array, translations: Array) -> Array:
    return compose(translations, quaternion.normalize(rotations), np.ones_like(translations))


def _binds(character: Character) -> Array:
    """(J, 4, 4) where each joint was when its first mesh was bound, in metres; at rest where no mesh says."""
    binds = _matrices(*character.skeleton.rest_world)
    for mesh in reversed(character.meshes):
        bound = np.linalg.inv(mesh.inverse_binds)
        size = np.cbrt(np.abs(np.linalg.det(bound[:, :3, :3])))[:, None]
        u, _, vt = np.linalg.svd(bound[:, :3, :3])
        binds[mesh.skin_joints, :3, :3] = u @ vt
        binds[mesh.skin_joints, :3, 3] = bound[:, :3, 3] / size
    return binds


def _bound(mesh: Mesh, binds: Array) -> tuple[Array, Array | None]:
    """Positions and normals of a mesh as its joints hold it where the skeleton's bind pose has them."""
    moves = (binds[mesh.skin_joints] @ mesh.inverse_binds)[mesh.joint_indices]
    blended = np.einsum("vk,vkij->vij", mesh.weights, moves)
    positions = np.einsum("vij,vj->vi", blended[:, :3, :3], mesh.positions) + blended[:, :3, 3]
    if mesh.normals is None:
        return positions, None
    return positions, vector.unit(np.einsum("vij,vj->vi", blended[:, :3, :3], mesh.normals))


def _matrix_array(pxr: Any, matrices: Array) -> Any:
    """For row vectors, as USD has them."""
    return pxr.Vt.Matrix4dArray.FromNumpy(np.ascontiguousarray(np.swapaxes(matrices, -1, -2)))


def _animate(pxr: Any, animation: Any, clip: Clip, joints: list[str], step: float) -> None:
    vt = pxr.Vt
    animation.CreateJointsAttr(joints)
    rotations = quaternion.normalize(clip.rotations).astype(np.float32)
    translations = clip.translations.astype(np.float32)
    scales = np.ones_like(translations) if clip.scales is None else clip.scales
    still = [float(np.ptp(track, axis=0).max(initial=0)) == 0 for track in (rotations, translations, scales)]
    scales = scales.astype(np.float16)
    tracks = (
        (animation.CreateRotationsAttr(), rotations, vt.QuatfArray, still[0]),
        (animation.CreateTranslationsAttr(), translations, vt.Vec3fArray, still[1]),
        (animation.CreateScalesAttr(), scales, vt.Vec3hArray, still[2]),
    )
    for attribute, track, kind, constant in tracks:
        if constant and len(clip):
            attribute.Set(kind.FromNumpy(np.ascontiguousarray(track[0])))
            continue
        for frame, values in enumerate(track):
            attribute.Set(kind.FromNumpy(np.ascontiguousarray(values)), frame * step)


def _mesh(
    pxr: Any, stage: Any, path: str, mesh: Mesh, character: Character, skeleton: Any, binds: Array
) -> None:
    geom, vt = pxr.UsdGeom, pxr.Vt
    prim = geom.Mesh.Define(stage, path)
    positions, normals = _bound(mesh, binds)
    prim.CreatePointsAttr(vt.Vec3fArray.FromNumpy(positions.astype(np.float32)))
    prim.CreateFaceVertexCountsAttr([3] * len(mesh.triangles))
    prim.CreateFaceVertexIndicesAttr(
        vt.IntArray.FromNumpy(np.ascontiguousarray(mesh.triangles.ravel(), dtype=np.int32))
    )
    prim.CreateSubdivisionSchemeAttr(geom.Tokens.none)
    if normals is not None:
        prim.CreateNormalsAttr(vt.Vec3fArray.FromNumpy(normals.astype(np.float32)))
        prim.SetNormalsInterpolation(geom.Tokens.vertex)
    if mesh.uvs is not None:
        uvs = np.column_stack((mesh.uvs[:, 0], 1 - mesh.uvs[:, 1])).astype(np.float32)
        primvar = geom.PrimvarsAPI(prim).CreatePrimvar(
            "st", pxr.Sdf.ValueTypeNames.TexCoord2fArray, geom.Tokens.vertex
        )
        primvar.Set(vt.Vec2fArray.FromNumpy(uvs))
    binding = pxr.UsdSkel.BindingAPI.Apply(prim.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    binding.CreateGeomBindTransformAttr(pxr.Gf.Matrix4d(1.0))
    width = mesh.joint_indices.shape[1]
    joints = np.asarray(mesh.skin_joints)[mesh.joint_indices].astype(np.int32)
    binding.CreateJointIndicesPrimvar(False, width).Set(
        vt.IntArray.FromNumpy(np.ascontiguousarray(joints.ravel()))
    )
    weights = np.ascontiguousarray(mesh.weights.ravel(), dtype=np.float32)
    binding.CreateJointWeightsPrimvar(False, width).Set(vt.FloatArray.FromNumpy(weights))
    if mesh.material >= 0:
        material = character.materials[mesh.material]
        prim.CreateDisplayColorAttr([pxr.Gf.Vec3f(*map(float, material.base_color[:3]))])
        prim.CreateDoubleSidedAttr(bool(material.double_sided))


def _bytes(pxr: Any, stage: Any, suffix: str) -> bytes:
    if suffix == ".usda":
        return stage.GetRootLayer().ExportToString().encode()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "character.usdc")
        stage.GetRootLayer().Export(str(file))
        if suffix == ".usdz":
            package = Path(folder, "character.usdz")
            pxr.UsdUtils.CreateNewUsdzPackage(pxr.Sdf.AssetPath(str(file)), str(package))
            file = package
        return file.read_bytes()
