"""Skinned meshes of a USD stage as plain numbers. Runs in the reader's process only."""

from __future__ import annotations

import numpy as np
from pxr import Usd, UsdGeom, UsdShade, UsdSkel  # pyright: ignore[reportMissingImports]

_MOST_CORNERS = 1 << 24


def meshes_of(
    stage: Usd.Stage, skeletons: list[UsdSkel.Skeleton], told: list[dict], arrays: dict[str, np.ndarray]
) -> list[dict]:
    """What each mesh is bound to; its numbers go to `arrays`."""
    at = {str(s.GetPath()): i for i, s in enumerate(skeletons)}
    found: list[dict] = []
    for prim in stage.Traverse():
        if not prim.IsA(UsdGeom.Mesh):
            continue
        binding = UsdSkel.BindingAPI(prim)
        skeleton = binding.GetInheritedSkeleton()
        owner = at.get(str(skeleton.GetPath())) if skeleton else None
        if owner is None:
            found.append({"name": prim.GetName(), "skeleton": -1})
            continue
        mesh = _mesh(prim, binding, told[owner]["joints"], f"m{len(found)}", arrays)
        found.append(
            {"name": prim.GetName(), "skeleton": owner, **mesh}
            if mesh
            else {"name": prim.GetName(), "skeleton": -1}
        )
    return found


def _mesh(
    prim: Usd.Prim, binding: UsdSkel.BindingAPI, joints: list[str], key: str, arrays: dict[str, np.ndarray]
) -> dict | None:
    mesh = UsdGeom.Mesh(prim)
    points = np.array(mesh.GetPointsAttr().Get() or (), dtype=float).reshape(-1, 3)
    counts = np.array(mesh.GetFaceVertexCountsAttr().Get() or (), dtype=np.int64)
    corners = np.array(mesh.GetFaceVertexIndicesAttr().Get() or (), dtype=np.int64)
    indices, weights = binding.GetJointIndicesPrimvar(), binding.GetJointWeightsPrimvar()
    sound = (
        len(points) and counts.size and counts.min() >= 0 and counts.sum() == len(corners) < _MOST_CORNERS
        and corners.size and corners.min() >= 0 and corners.max() < len(points)
    )  # fmt: skip
    if not sound or not indices.HasValue() or not weights.HasValue():
        return None
    width = max(indices.GetElementSize(), 1)
    used = np.array(indices.ComputeFlattened() or (), dtype=np.int64)
    share = np.array(weights.ComputeFlattened() or (), dtype=float)
    rows = 1 if indices.GetInterpolation() == UsdGeom.Tokens.constant else len(points)
    order = [str(j) for j in binding.GetJointsAttr().Get() or ()] or joints
    fits = used.size == share.size == rows * width and (
        not used.size or (used.min() >= 0 and used.max() < len(order))
    )
    if not fits or any(name not in joints for name in order):
        return None
    of_skeleton = np.array([joints.index(name) for name in order], dtype=np.int64)
    shape = (len(points), width)
    used = np.broadcast_to(of_skeleton[used].reshape(rows, width), shape)
    share = np.broadcast_to(share.reshape(rows, width), shape)
    triangles = _triangles(counts)
    if mesh.GetOrientationAttr().Get() == UsdGeom.Tokens.leftHanded:
        triangles = triangles[:, ::-1]
    uvs = _corner_values(UsdGeom.PrimvarsAPI(prim).GetPrimvar("st"), corners, len(points), 2)
    keep, face = _split(corners, uvs)
    geom = binding.GetGeomBindTransformAttr().Get()
    arrays[f"{key}.points"] = points[corners[keep]]
    arrays[f"{key}.triangles"] = face[triangles]
    arrays[f"{key}.joints"], arrays[f"{key}.weights"] = used[corners[keep]], share[corners[keep]]
    arrays[f"{key}.bind"] = np.array(geom, dtype=float).reshape(4, 4) if geom is not None else np.eye(4)
    if uvs is not None:
        arrays[f"{key}.uvs"] = uvs[keep]
    normals = np.array(mesh.GetNormalsAttr().Get() or (), dtype=float).reshape(-1, 3)
    if len(normals) == len(points) and mesh.GetNormalsInterpolation() == UsdGeom.Tokens.vertex:
        arrays[f"{key}.normals"] = normals[corners[keep]]
    return {"color": _color(prim), "double_sided": bool(mesh.GetDoubleSidedAttr().Get())}


def _triangles(counts: np.ndarray) -> np.ndarray:
    """(T, 3) corners of the fans of all faces."""
    starts = np.cumsum(counts) - counts
    fans = np.maximum(counts - 2, 0)
    face = np.repeat(np.arange(len(counts)), fans)
    step = np.arange(len(face)) - np.repeat(np.cumsum(fans) - fans, fans)
    first = starts[face]
    return np.stack((first, first + step + 1, first + step + 2), axis=-1)


def _corner_values(
    primvar: UsdGeom.Primvar, corners: np.ndarray, points: int, width: int
) -> np.ndarray | None:
    """(C, width) value of each corner of a face; None where there is none, or one of another kind."""
    if not primvar or not primvar.HasValue():
        return None
    try:
        values = np.array(primvar.ComputeFlattened(), dtype=float)
    except Exception:  # indices beyond its values
        return None
    if values.ndim != 2 or values.shape[1] != width:
        return None
    if len(values) == len(corners):
        return values
    return values[corners] if len(values) == points else None


def _split(corners: np.ndarray, uvs: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """A corner for each vertex that is needed, and which vertex each corner is: a point with two uvs becomes two."""
    if uvs is None:
        _, keep, face = np.unique(corners, return_index=True, return_inverse=True)
        return keep, face.reshape(-1)
    rows = np.column_stack((corners, np.round(uvs * 1e6).astype(np.int64)))
    _, keep, face = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return keep, face.reshape(-1)


def _color(prim: Usd.Prim) -> list[float] | None:
    """Base color of the bound preview surface, else the display color."""
    material = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0]
    surface = material.ComputeSurfaceSource()[0] if material else None
    stated = surface.GetInput("diffuseColor").Get() if surface and surface.GetInput("diffuseColor") else None
    if stated is None:
        shown = UsdGeom.Gprim(prim).GetDisplayColorAttr().Get()
        stated = shown[0] if shown else None
    return None if stated is None else [float(c) for c in stated]
