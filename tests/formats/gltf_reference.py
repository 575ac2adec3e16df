"""glTF read the slow and plain way, straight from the specification: the truth that the fast reader is held against.

Numbers are unpacked one by one, nodes are 4 x 4 matrices, vertices are skinned in a loop. It knows nothing of
Moveset's skeletons, so what they bake must come out right.
"""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path

import numpy as np

COMPONENTS = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
LARGEST = {5120: 127, 5121: 255, 5122: 32767, 5123: 65535}


class PlainGltf:
    """A document; `folder` is where its buffers lie."""

    def __init__(self, data: bytes, folder: Path = Path()) -> None:
        binary = b""
        if data[:4] == b"glTF":
            (length,) = struct.unpack_from("<I", data, 12)
            self.json = json.loads(data[20 : 20 + length])
            binary = data[28 + length :]
        else:
            self.json = json.loads(data)
        self.buffers = [self._buffer(b, binary, folder) for b in self.json.get("buffers", [])]
        self.nodes = self.json.get("nodes", [])
        self.parents = {child: i for i, node in enumerate(self.nodes) for child in node.get("children", [])}
        self._arrays: dict[int, np.ndarray] = {}

    @staticmethod
    def _buffer(entry: dict, binary: bytes, folder: Path) -> bytes:
        uri = entry.get("uri")
        if uri is None:
            return binary
        if uri.startswith("data:"):
            return base64.b64decode(uri.split(",")[1])
        return (folder / uri.replace("%20", " ")).read_bytes()

    def array(self, index: int) -> np.ndarray:
        """(count, width) numbers of an accessor."""
        if index not in self._arrays:
            entry = self.json["accessors"][index]
            width, code = WIDTHS[entry["type"]], entry["componentType"]
            rows = [[0.0] * width for _ in range(entry["count"])]
            if "bufferView" in entry:
                rows = self._rows(
                    entry["bufferView"], entry.get("byteOffset", 0), entry["count"], width, code
                )
            if "sparse" in entry:
                sparse = entry["sparse"]
                places, values = sparse["indices"], sparse["values"]
                at = self._rows(
                    places["bufferView"],
                    places.get("byteOffset", 0),
                    sparse["count"],
                    1,
                    places["componentType"],
                )
                new = self._rows(
                    values["bufferView"], values.get("byteOffset", 0), sparse["count"], width, code
                )
                for (place,), row in zip(at, new):
                    rows[int(place)] = row
            if entry.get("normalized"):
                rows = [[max(v / LARGEST[code], -1.0) for v in row] for row in rows]
            self._arrays[index] = np.array(rows, dtype=float).reshape(len(rows), width)
        return self._arrays[index]

    def _rows(self, view: int, offset: int, count: int, width: int, code: int) -> list[list[float]]:
        entry = self.json["bufferViews"][view]
        pattern = f"<{width}{COMPONENTS[code]}"
        step = entry.get("byteStride", struct.calcsize(pattern))
        start = entry.get("byteOffset", 0) + offset
        content = self.buffers[entry["buffer"]]
        return [list(struct.unpack_from(pattern, content, start + i * step)) for i in range(count)]

    def tracks(self, animation: int | None) -> dict[tuple[int, str], dict]:
        """Sampler by (node, path)."""
        if animation is None:
            return {}
        entry = self.json["animations"][animation]
        return {
            (c["target"]["node"], c["target"]["path"]): entry["samplers"][c["sampler"]]
            for c in entry["channels"]
            if "node" in c["target"]
        }

    def value(self, sampler: dict, time: float, rotation: bool) -> np.ndarray:
        """A sampler at `time`."""
        times, values = self.array(sampler["input"])[:, 0], self.array(sampler["output"])
        mode = sampler.get("interpolation", "LINEAR")
        values = values.reshape(len(times), 3 if mode == "CUBICSPLINE" else 1, -1)
        middle = 1 if mode == "CUBICSPLINE" else 0
        if time <= times[0] or len(times) == 1:
            return values[0, middle]
        if time >= times[-1]:
            return values[-1, middle]
        k = int(np.searchsorted(times, time + 1e-5, side="right")) - 1
        if k == len(times) - 1:
            return values[-1, middle]
        width = times[k + 1] - times[k]
        u = min(max((time - times[k]) / width, 0), 1)
        if mode == "STEP":
            return values[k, 0]
        if mode == "CUBICSPLINE":
            return (
                (2 * u**3 - 3 * u**2 + 1) * values[k, 1]
                + width * (u**3 - 2 * u**2 + u) * values[k, 2]
                + (-2 * u**3 + 3 * u**2) * values[k + 1, 1]
                + width * (u**3 - u**2) * values[k + 1, 0]
            )
        a, b = values[k, 0], values[k + 1, 0]
        if not rotation:
            return a * (1 - u) + b * u
        a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
        dot = a @ b
        if dot < 0:
            b, dot = -b, -dot
        angle = np.arccos(min(dot, 1))
        if angle < 1e-7:
            return a
        return (np.sin((1 - u) * angle) * a + np.sin(u * angle) * b) / np.sin(angle)

    def local(self, node: int, tracks: dict, time: float) -> np.ndarray:
        """4 x 4 of a node at `time`."""
        entry = self.nodes[node]
        if "matrix" in entry:
            return np.array(entry["matrix"], dtype=float).reshape(4, 4).T
        parts = {}
        for path, default in (("translation", [0, 0, 0]), ("rotation", [0, 0, 0, 1]), ("scale", [1, 1, 1])):
            sampler = tracks.get((node, path))
            held = np.array(entry.get(path, default), dtype=float)
            parts[path] = held if sampler is None else self.value(sampler, time, path == "rotation")
        x, y, z, w = parts["rotation"] / np.linalg.norm(parts["rotation"])
        out = np.eye(4)
        out[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        out[:3, :3] *= parts["scale"]
        out[:3, 3] = parts["translation"]
        return out

    def world(self, animation: int | None, time: float) -> np.ndarray:
        """(N, 4, 4) of all nodes."""
        tracks, done = self.tracks(animation), {}

        def of(node: int) -> np.ndarray:
            if node not in done:
                local = self.local(node, tracks, time)
                done[node] = of(self.parents[node]) @ local if node in self.parents else local
            return done[node]

        return np.array([of(i) for i in range(len(self.nodes))])

    def vertices(self, animation: int | None, time: float, every: int = 1) -> list[np.ndarray]:
        """World vertices of each triangle mesh of the scene, depth first."""
        world, tracks, out = self.world(animation, time), self.tracks(animation), []
        scenes = self.json.get("scenes", [])
        tops = scenes[self.json.get("scene", 0)].get("nodes", []) if scenes else []

        def visit(node: int) -> None:
            entry = self.nodes[node]
            if "mesh" in entry:
                for primitive in self.json["meshes"][entry["mesh"]]["primitives"]:
                    if primitive.get("mode", 4) >= 4:
                        out.append(self._primitive(node, primitive, world, tracks, time, every))
            for child in entry.get("children", []):
                visit(child)

        for top in sorted(tops):
            visit(top)
        return out

    def _primitive(
        self, node: int, primitive: dict, world: np.ndarray, tracks: dict, time: float, every: int
    ) -> np.ndarray:
        entry, attributes = self.nodes[node], primitive["attributes"]
        positions = self.array(attributes["POSITION"]).copy()
        if "targets" in primitive:
            weights = entry.get("weights", self.json["meshes"][entry["mesh"]].get("weights"))
            weights = [0.0] * len(primitive["targets"]) if weights is None else weights
            if (node, "weights") in tracks:
                weights = self.value(tracks[node, "weights"], time, False)
            for weight, target in zip(weights, primitive["targets"]):
                if "POSITION" in target:
                    positions += weight * self.array(target["POSITION"])
        positions = positions[::every]
        if "skin" not in entry or "JOINTS_0" not in attributes:
            return positions @ world[node][:3, :3].T + world[node][:3, 3]
        skin = self.json["skins"][entry["skin"]]
        binds = np.tile(np.eye(4), (len(skin["joints"]), 1, 1))
        if "inverseBindMatrices" in skin:
            binds = np.swapaxes(self.array(skin["inverseBindMatrices"]).reshape(-1, 4, 4), 1, 2)
        moved = [world[joint] @ bind for joint, bind in zip(skin["joints"], binds)]
        sets = [i for i in range(8) if f"JOINTS_{i}" in attributes]
        joints = np.hstack([self.array(attributes[f"JOINTS_{i}"]) for i in sets])[::every].astype(int)
        weights = np.hstack([self.array(attributes[f"WEIGHTS_{i}"]) for i in sets])[::every]
        weights = np.nan_to_num(weights)
        weights[weights.sum(axis=1) == 0, 0] = 1
        weights /= weights.sum(axis=1, keepdims=True)
        out = np.zeros_like(positions)
        for v, point in enumerate(positions):
            for joint, weight in zip(joints[v], weights[v]):
                if weight:
                    out[v] += weight * (moved[joint][:3, :3] @ point + moved[joint][:3, 3])
        return out
