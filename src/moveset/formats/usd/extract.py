"""A USD stage as plain numbers, in its own units and axes. Runs in the reader's process only."""

from __future__ import annotations

import re
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from pxr import Sdf, Tf, Usd, UsdGeom, UsdSkel, Vt  # pyright: ignore[reportMissingImports]

from moveset.formats.process.messages import Message, Refused
from moveset.formats.usd.extract_meshes import meshes_of

_KINDS = {b"#usda": ".usda", b"PXR-USDC": ".usdc", b"PK\x03\x04": ".usdz"}
_FLATTEN = "flatten it first: usdcat --flatten in.usd -o out.usdc"
_MOST_POSES = 1 << 22
"""Joints times frames of one animation."""


def read_usd(data: bytes) -> Message:
    """Header and arrays: `s0.*` of the first skeleton, `a0.*` of the first animation, `m0.*` of the first mesh."""
    suffix = next((kind for magic, kind in _KINDS.items() if data.startswith(magic)), None)
    if suffix is None:
        raise Refused("is no USD file", do="export it again")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "file" + suffix)
        file.write_bytes(data)
        _refuse_references(file)
        stage = _opened(file)
        return _numbers(stage)


def _opened(file: Path) -> Usd.Stage:
    try:
        stage = Usd.Stage.Open(str(file))
    except Tf.ErrorException as error:
        raise _damaged(error) from None
    if not stage:
        raise _damaged()
    return stage


def _damaged(error: Exception | None = None) -> Refused:
    line = re.search(r"file\.usd\w*:(\d+):", str(error))
    return Refused(
        "is damaged, or no USD file", where=f"line {line[1]}" if line else None, do="export it again"
    )


def _refuse_references(file: Path) -> None:
    """A file that would pull in others is refused before any of them is opened."""
    layers = [str(file)]
    if file.suffix == ".usdz":
        try:
            with zipfile.ZipFile(file) as archive:
                names = [
                    name for name in archive.namelist() if name.lower().endswith((".usd", ".usda", ".usdc"))
                ]
        except (zipfile.BadZipFile, EOFError, OSError, ValueError):
            raise Refused("is a damaged .usdz", do="export it again") from None
        layers = [f"{file}[{name}]" for name in names]
    for name in layers:
        try:
            layer = Sdf.Layer.FindOrOpen(name)
        except Tf.ErrorException as error:
            raise _damaged(error) from None
        if not layer:
            raise _damaged()
        others = sorted(layer.GetCompositionAssetDependencies())
        if others:
            raise Refused(f"refers to {len(others)} other files, e.g. {others[0]!r:.80}", do=_FLATTEN)
        clips: list[str] = []
        layer.Traverse("/", lambda path, layer=layer, clips=clips: _note_clips(layer, path, clips))
        if clips:
            raise Refused("keeps its animation in other files (value clips)", where=clips[0], do=_FLATTEN)


def _note_clips(layer: Sdf.Layer, path: Sdf.Path, clips: list[str]) -> None:
    spec = layer.GetObjectAtPath(path)
    if spec and path.IsPrimPath() and "clips" in spec.ListInfoKeys():
        clips.append(str(path))


def _numbers(stage: Usd.Stage) -> Message:
    arrays: dict[str, np.ndarray] = {}
    cache = UsdSkel.Cache()
    skeletons = [UsdSkel.Skeleton(prim) for prim in stage.Traverse() if prim.IsA(UsdSkel.Skeleton)]
    for prim in stage.Traverse():
        if prim.IsA(UsdSkel.Root):
            cache.Populate(UsdSkel.Root(prim), Usd.PrimDefaultPredicate)
    told = [_skeleton(s, f"s{i}", arrays) for i, s in enumerate(skeletons)]
    animations = [UsdSkel.Animation(prim) for prim in stage.Traverse() if prim.IsA(UsdSkel.Animation)]
    bound = {
        str(query.GetAnimQuery().GetPrim().GetPath()): i
        for i, s in enumerate(skeletons)
        if (query := cache.GetSkelQuery(s)) and query.GetAnimQuery()
    }
    header = {
        "up": UsdGeom.GetStageUpAxis(stage),
        "metres": UsdGeom.GetStageMetersPerUnit(stage),
        "metres_stated": UsdGeom.StageHasAuthoredMetersPerUnit(stage),
        "skeletons": told,
        "animations": [
            _animation(stage, animation, bound, told, f"a{i}", arrays)
            for i, animation in enumerate(animations)
        ],
        "meshes": meshes_of(stage, skeletons, told, arrays),
        "variants": sum(bool(prim.GetVariantSets().GetNames()) for prim in stage.Traverse()),
    }
    return header, arrays


def _skeleton(skeleton: UsdSkel.Skeleton, key: str, arrays: dict[str, np.ndarray]) -> dict:
    paths = [str(joint) for joint in skeleton.GetJointsAttr().Get() or ()]
    topology = UsdSkel.Topology(Vt.TokenArray(paths))
    valid, why = topology.Validate()
    where = str(skeleton.GetPath())
    if not valid:
        raise Refused(f"joints are in no order: {why}", where=where, do="export it again")
    count = len(paths)
    bind = _matrices(skeleton.GetBindTransformsAttr().Get(), count)
    rest = _matrices(skeleton.GetRestTransformsAttr().Get(), count)
    parents = np.array(topology.GetParentIndices(), dtype=np.int64).reshape(count)
    if rest is None:
        if bind is None:
            raise Refused("states neither a rest nor a bind pose", where=where, do="export it again")
        rest = np.array(
            [bind[j] @ np.linalg.inv(bind[p]) if p >= 0 else bind[j] for j, p in enumerate(parents)]
        )
    if bind is None:
        bind = rest.copy()
        for j, p in enumerate(parents):
            bind[j] = rest[j] @ bind[p] if p >= 0 else rest[j]
    arrays[f"{key}.parents"] = parents
    arrays[f"{key}.rest"], arrays[f"{key}.bind"] = rest.reshape(-1, 4, 4), bind.reshape(-1, 4, 4)
    arrays[f"{key}.world"] = _world(skeleton.GetPrim(), Usd.TimeCode.Default())
    return {"path": where, "name": skeleton.GetPrim().GetName(), "joints": paths}


def _matrices(values: Vt.Matrix4dArray | None, count: int) -> np.ndarray | None:
    """(J, 4, 4) as USD has them, for row vectors; None where there are none."""
    return (
        None if values is None or len(values) != count else np.array(values, dtype=float).reshape(count, 4, 4)
    )


def _world(prim: Usd.Prim, time: Usd.TimeCode) -> np.ndarray:
    return np.array(UsdGeom.XformCache(time).GetLocalToWorldTransform(prim), dtype=float)


def _animation(
    stage: Usd.Stage,
    animation: UsdSkel.Animation,
    bound: dict[str, int],
    skeletons: list[dict],
    key: str,
    arrays: dict[str, np.ndarray],
) -> dict:
    path = str(animation.GetPath())
    joints = [str(joint) for joint in animation.GetJointsAttr().Get() or ()]
    owner = bound.get(path)
    if owner is None:
        fitting = [i for i, s in enumerate(skeletons) if set(joints) <= set(s["joints"])]
        owner = fitting[0] if fitting else -1
    attributes = {
        "translations": (animation.GetTranslationsAttr(), 3),
        "rotations": (animation.GetRotationsAttr(), 4),
        "scales": (animation.GetScalesAttr(), 3),
    }
    times, fps = _times(stage, [attribute for attribute, _ in attributes.values()], len(joints), path)
    for name, (attribute, width) in attributes.items():
        values = [attribute.Get(time) for time in times] if attribute.HasValue() else []
        if values and all(value is not None and len(value) == len(joints) for value in values):
            rows = [_quaternions(v) if width == 4 else np.array(v, dtype=float) for v in values]
            arrays[f"{key}.{name}"] = np.array(rows, dtype=float).reshape(len(times), len(joints), width)
    if owner >= 0:
        prim = stage.GetPrimAtPath(skeletons[owner]["path"])
        moving = UsdGeom.Imageable(prim) and any(
            UsdGeom.Xformable(above).TransformMightBeTimeVarying()
            for above in _lineage(prim)
            if above.IsA(UsdGeom.Xformable)
        )
        if moving:
            arrays[f"{key}.world"] = np.array([_world(prim, Usd.TimeCode(time)) for time in times])
    return {
        "name": animation.GetPrim().GetName(), "skeleton": owner, "joints": joints, "fps": fps, "frames": len(times),
        "start": float(times[0]) if len(times) else 0.0,
    }  # fmt: skip


def _lineage(prim: Usd.Prim) -> list[Usd.Prim]:
    prims = []
    while prim and not prim.IsPseudoRoot():
        prims.append(prim)
        prim = prim.GetParent()
    return prims


def _times(stage: Usd.Stage, attributes: list, joints: int, path: str) -> tuple[np.ndarray, float]:
    """Time codes to evaluate at, and frames a second: the spacing of the samples, or a frame a time code."""
    rate = float(stage.GetTimeCodesPerSecond())
    samples = sorted({time for attribute in attributes for time in attribute.GetTimeSamples()})
    if not 0 < rate < 1e6:
        raise Refused(f"states {rate:g} time codes a second", do="export it again")
    if len(samples) < 2:
        return np.array(samples or [0.0]), rate
    gaps = np.diff(samples)
    step = float(np.median(gaps))
    even = bool(np.all(np.abs(gaps - step) < 1e-3 * step))
    if not even:
        step = 1.0
    count = int(np.floor((samples[-1] - samples[0]) / step + 1e-6)) + 1
    if count * max(joints, 1) > _MOST_POSES:
        raise Refused(f"lasts {count} frames of {joints} joints", where=path, do="split it into shorter ones")
    return samples[0] + step * np.arange(count), rate / step


def _quaternions(values: Vt.QuatfArray) -> np.ndarray:
    """(J, 4) x y z w."""
    return np.array([(*q.GetImaginary(), q.GetReal()) for q in values], dtype=float).reshape(-1, 4)
