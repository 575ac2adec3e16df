"""Plain numbers of a USD stage as an asset: metres, Y up, joints and meshes as the skeleton's prim places them."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import PurePath

import numpy as np

from moveset.conventions import FPS_RANGE
from moveset.errors import MovesetError
from moveset.formats.arrays import finite
from moveset.formats.process.reader import Reader
from moveset.geometry import quaternion
from moveset.geometry.quaternion import Array
from moveset.motion import Asset, Character, Clip, Finding, Material, Mesh, Skeleton, Source

_reader = Reader(
    (sys.executable, "-m", "moveset.formats.usd.worker"),
    "USD",
    "pip install 'moveset[usd]', or usd-core==26.11",
)
atexit.register(_reader.close)
_Y_FROM_Z = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
_SCALED = 1e-3
_LARGEST = 1e9


@dataclass(frozen=True, eq=False)
class _Rig:
    """A skeleton and how its prim stands in the world."""

    skeleton: Skeleton
    joints: dict[str, int]
    """By path."""
    bind: Array
    """(J, 4, 4) columns."""
    rest_scales: Array
    place: Array
    """(4, 4): the skeleton's space to metres, Y up."""


def read(data: bytes, *, path: str, sibling: Callable[[str], bytes] | None = None) -> Asset:
    """Characters and clips of a file; each SkelAnimation is a clip."""
    header, arrays = _reader.read(data)
    for name, array in arrays.items():
        if array.dtype.kind == "f" and np.abs(finite(array, path, name)).max(initial=0) > _LARGEST:
            raise MovesetError(
                "holds numbers that are no places", file=path, where=name, do="export it again"
            )
    findings = _noticed(header)
    world = _world(header, path)
    rigs = [_rig(told, f"s{i}", arrays, world, path) for i, told in enumerate(header["skeletons"])]
    characters = []
    for i, told in enumerate(header["skeletons"]):
        meshes, materials = _meshes(header["meshes"], i, rigs[i], arrays)
        characters.append(Character(rigs[i].skeleton, meshes, materials, name=told["name"]))
    clips = []
    for i, told in enumerate(header["animations"]):
        if told["skeleton"] >= 0:
            clips.append(_clip(told, f"a{i}", rigs[told["skeleton"]], arrays, world, path))
    loose = sum(told["skeleton"] < 0 for told in header["animations"])
    if loose:
        message = f"{loose} animations move no skeleton of the file"
        findings.append(Finding("loose_animations", "warning", "", message, count=loose))
    if not characters:
        findings.append(Finding("empty", "warning", "", "the file holds no UsdSkel skeleton"))
    stem = PurePath(path).stem
    if len(clips) == 1 and not clips[0].name:
        clips[0] = replace(clips[0], name=stem)
    return Asset(tuple(characters), tuple(clips), tuple(findings), Source(path, "usd"))


def _noticed(header: dict) -> list[Finding]:
    findings = []
    if not header["metres_stated"] and header["skeletons"]:
        findings.append(
            Finding(
                "unit_guess",
                "info",
                "",
                "the file states no metersPerUnit; it was taken for cm, as USD has it",
            )
        )
    left = [m["name"] for m in header["meshes"] if m["skeleton"] < 0]
    if left:
        message = f"{len(left)} meshes are bound to no skeleton, or not soundly: {', '.join(left[:5])}"
        findings.append(Finding("loose_meshes", "info", "", message, count=len(left)))
    if header["variants"]:
        message = f"{header['variants']} prims have variants; the chosen ones were read"
        findings.append(Finding("variants", "info", "", message, count=header["variants"]))
    return findings


def _world(header: dict, path: str) -> Array:
    """(4, 4) from the stage's world to metres, Y up."""
    metres = header["metres"]
    if not 1e-6 < metres < 1e6:
        raise MovesetError(f"states {metres:g} metres a unit", file=path, do="mend metersPerUnit")
    world = np.eye(4)
    world[:3, :3] = metres * (_Y_FROM_Z if header["up"] == "Z" else np.eye(3))
    return world


def _rig(told: dict, key: str, arrays: dict[str, np.ndarray], world: Array, path: str) -> _Rig:
    place = world @ arrays[f"{key}.world"].T
    if abs(np.linalg.det(place[:3, :3])) < 1e-18:
        raise MovesetError("is scaled to nothing", file=path, where=told["path"], do="mend its scale")
    turn, size = _similarity(place)
    rest = np.swapaxes(arrays[f"{key}.rest"], -1, -2)
    rotations, scales = _decomposed(rest[:, :3, :3])
    parents = arrays[f"{key}.parents"]
    rotations, translations = _placed(rotations, rest[:, :3, 3], parents, place, turn, size)
    paths = told["joints"]
    names = [path.rpartition("/")[2] for path in paths]
    if len(set(names)) < len(names):
        names = paths
    skeleton = Skeleton(tuple(names), parents, rotations, translations)
    bind = np.swapaxes(arrays[f"{key}.bind"], -1, -2)
    return _Rig(skeleton, {path: j for j, path in enumerate(paths)}, bind, scales, place)


def _clip(told: dict, key: str, rig: _Rig, arrays: dict[str, np.ndarray], world: Array, path: str) -> Clip:
    frames, skeleton = told["frames"], rig.skeleton
    if not FPS_RANGE[0] <= told["fps"] <= FPS_RANGE[1]:
        raise MovesetError(
            f"plays at {told['fps']:g} frames a second", file=path, where=told["name"], do="mend it"
        )
    at = [rig.joints[joint] for joint in told["joints"] if joint in rig.joints]
    columns = [k for k, joint in enumerate(told["joints"]) if joint in rig.joints]
    turn, size = _similarity(rig.place)
    back = np.linalg.inv(rig.place)
    local_rotations, local_translations = _unplaced(skeleton, back, turn, size)
    rotations = np.repeat(local_rotations[None], frames, axis=0)
    translations = np.repeat(local_translations[None], frames, axis=0)
    scales = np.repeat(rig.rest_scales[None], frames, axis=0)
    for name, track in (("rotations", rotations), ("translations", translations), ("scales", scales)):
        if f"{key}.{name}" in arrays:
            track[:, at] = arrays[f"{key}.{name}"][:, columns]
    rotations = quaternion.normalize(rotations)
    places = rig.place[None]
    if f"{key}.world" in arrays:
        places = world @ np.swapaxes(arrays[f"{key}.world"], -1, -2)
        turn = quaternion.from_matrix(_decomposed_matrix(places[:, :3, :3]))
    roots = list(skeleton.roots)
    moved = np.einsum(
        "fij,frj->fri", np.broadcast_to(places, (frames, 4, 4))[:, :3, :3], translations[:, roots]
    )
    translations *= size
    translations[:, roots] = moved + places[:, None, :3, 3]
    rotations[:, roots] = quaternion.multiply(
        np.broadcast_to(turn, (frames, 4))[:, None], rotations[:, roots]
    )
    scaled = scales if np.abs(scales - 1).max(initial=0) > _SCALED else None
    return Clip(skeleton, quaternion.unroll(rotations), translations, told["fps"], told["name"], scaled)


def _placed(
    rotations: Array, translations: Array, parents: np.ndarray, place: Array, turn: Array, size: float
) -> tuple[Array, Array]:
    """Local rest pose with its roots where the skeleton's prim puts them."""
    roots = np.flatnonzero(parents < 0)
    rotations, moved = rotations.copy(), translations * size
    moved[roots] = translations[roots] @ place[:3, :3].T + place[:3, 3]
    rotations[roots] = quaternion.multiply(turn, rotations[roots])
    return rotations, moved


def _unplaced(skeleton: Skeleton, back: Array, turn: Array, size: float) -> tuple[Array, Array]:
    """The rest pose in the skeleton's own space again."""
    roots = list(skeleton.roots)
    rotations, translations = skeleton.rest_rotations.copy(), skeleton.rest_translations / size
    translations[roots] = skeleton.rest_translations[roots] @ back[:3, :3].T + back[:3, 3]
    rotations[roots] = quaternion.inverse_multiply(turn, rotations[roots])
    return rotations, translations


def _similarity(matrix: Array) -> tuple[Array, float]:
    """Rotation and size of a transform; an uneven one gets its mean size."""
    size = float(np.cbrt(abs(np.linalg.det(matrix[:3, :3]))))
    return quaternion.from_matrix(_decomposed_matrix(matrix[:3, :3])), max(size, 1e-9)


def _decomposed(linear: Array) -> tuple[Array, Array]:
    """Rotations (J, 4) and scales (J, 3) of matrices (J, 3, 3)."""
    lengths = np.linalg.norm(linear, axis=-2)
    return quaternion.from_matrix(_decomposed_matrix(linear)), lengths


def _decomposed_matrix(linear: Array) -> Array:
    """The nearest rotations of matrices (..., 3, 3), by polar decomposition."""
    u, _, vt = np.linalg.svd(linear)
    u[..., 2] *= np.linalg.det(u @ vt)[..., None]
    return u @ vt


def _meshes(
    told: list[dict], skeleton: int, rig: _Rig, arrays: dict[str, np.ndarray]
) -> tuple[tuple[Mesh, ...], tuple[Material, ...]]:
    _, size = _similarity(rig.place)
    meshes: list[Mesh] = []
    materials: list[Material] = []
    for i, mesh in enumerate(told):
        if mesh["skeleton"] != skeleton:
            continue
        key = f"m{i}"
        used, indices = np.unique(arrays[f"{key}.joints"], return_inverse=True)
        binds = np.linalg.pinv(rig.bind[used]) @ arrays[f"{key}.bind"].T
        binds[:, :3, 3] *= size  # to a mesh and joints in metres
        weights = arrays[f"{key}.weights"]
        total = weights.sum(axis=1, keepdims=True)
        material = -1
        if mesh["color"]:
            material = len(materials)
            color = tuple(np.clip(mesh["color"], 0, 1).tolist())
            materials.append(Material(mesh["name"], (*color[:3], 1.0), double_sided=mesh["double_sided"]))
        uvs = arrays.get(f"{key}.uvs")
        meshes.append(
            Mesh(
                arrays[f"{key}.points"] * size,
                arrays[f"{key}.triangles"],
                used,
                binds,
                indices.reshape(arrays[f"{key}.joints"].shape),
                weights / np.where(total > 0, total, 1),
                arrays.get(f"{key}.normals"),
                None if uvs is None else np.column_stack((uvs[:, 0], 1 - uvs[:, 1])),
                material=material,
                name=mesh["name"],
            )
        )
    return tuple(meshes), tuple(materials)
