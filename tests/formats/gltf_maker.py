"""Small glTF files made by hand, for tests that want one peculiarity at a time."""

from __future__ import annotations

import base64
import json
import struct

import numpy as np

from moveset.formats.gltf import read
from moveset.motion import Asset

CODES = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
KINDS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Maker:
    """Grows a document; every method returns the index of what it added."""

    def __init__(self, **top: object) -> None:
        self.json: dict = {"asset": {"version": "2.0"}, **top}
        self.bytes = bytearray()

    def add(self, table: str, entry: dict) -> int:
        self.json.setdefault(table, []).append(entry)
        return len(self.json[table]) - 1

    def view(self, content: bytes, **entry: object) -> int:
        self.bytes += b"\0" * (-len(self.bytes) % 4)
        start = len(self.bytes)
        self.bytes += content
        return self.add(
            "bufferViews", {"buffer": 0, "byteOffset": start, "byteLength": len(content), **entry}
        )

    def accessor(self, values: object, dtype: str = "f4", **entry: object) -> int:
        array = np.asarray(values, dtype=dtype)
        flat = array.reshape(len(array), -1)
        about = {"componentType": CODES[dtype], "count": len(array), "type": KINDS[flat.shape[1]]}
        return self.add("accessors", {"bufferView": self.view(array.tobytes()), **about, **entry})

    def node(self, name: str = "", **entry: object) -> int:
        return self.add("nodes", ({"name": name} if name else {}) | entry)

    def chain(self, *names: str) -> list[int]:
        """Nodes one under the other, each 1 m along Y above its parent."""
        first = len(self.json.get("nodes", []))
        for i, name in enumerate(names):
            below = {"children": [first + i + 1]} if i + 1 < len(names) else {}
            self.node(name, translation=[0, 1.0 if i else 0.0, 0], **below)
        return list(range(first, first + len(names)))

    def skin(self, joints: list[int], binds: np.ndarray | None = None, **entry: object) -> int:
        if binds is not None:
            columns = np.swapaxes(np.asarray(binds, dtype=np.float32), -1, -2).reshape(-1, 16)
            entry["inverseBindMatrices"] = self.accessor(columns)
        return self.add("skins", {"joints": joints, **entry})

    def mesh(
        self, positions: object, joints: object = None, weights: object = None, **attributes: int
    ) -> int:
        bounds = {"min": np.min(positions, axis=0).tolist(), "max": np.max(positions, axis=0).tolist()}
        attributes = {"POSITION": self.accessor(positions, **bounds), **attributes}
        if joints is not None:
            attributes |= {"JOINTS_0": self.accessor(joints, "u1"), "WEIGHTS_0": self.accessor(weights)}
        return self.add("meshes", {"primitives": [{"attributes": attributes}]})

    def track(
        self,
        node: int,
        path: str,
        times: object,
        values: object,
        interpolation: str = "LINEAR",
        **accessor: object,
    ) -> dict:
        """A channel for `animation`; `times` may be the index of an accessor made before."""
        keys = times if isinstance(times, int) else self.accessor(times)
        output = values if isinstance(values, int) else self.accessor(np.asarray(values), **accessor)
        return {
            "target": {"node": node, "path": path},
            "sampler": {"input": keys, "output": output, "interpolation": interpolation},
        }

    def animation(self, *tracks: dict, name: str | None = "move", **entry: object) -> int:
        channels = [{"sampler": i, "target": track["target"]} for i, track in enumerate(tracks)]
        named = {} if name is None else {"name": name}
        return self.add(
            "animations", {"channels": channels, "samplers": [t["sampler"] for t in tracks], **named, **entry}
        )

    def document(self) -> dict:
        buffers = [{"byteLength": len(self.bytes)}] if self.bytes else []
        return self.json | ({"buffers": buffers} if buffers else {})

    def glb(self) -> bytes:
        text = json.dumps(self.document()).encode()
        text += b" " * (-len(text) % 4)
        body = bytes(self.bytes) + b"\0" * (-len(self.bytes) % 4)
        chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
        if body:
            chunks += struct.pack("<II", len(body), 0x004E4942) + body
        return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks

    def gltf(self) -> bytes:
        document = json.loads(json.dumps(self.document()))
        for buffer in document.get("buffers", []):
            buffer["uri"] = "data:application/octet-stream;base64," + base64.b64encode(self.bytes).decode()
        return json.dumps(document).encode()

    def read(self) -> Asset:
        return read_bytes(self.glb())


def read_bytes(data: bytes, files: dict[str, bytes] | None = None) -> Asset:
    """Read with the named files lying beside it."""

    def sibling(name: str) -> bytes:
        if files is None or name not in files:
            raise FileNotFoundError(name)
        return files[name]

    return read(data, path="made.glb", sibling=sibling)


def about(axis: str, degrees: float) -> list[float]:
    """Quaternion x y z w of a turn."""
    half = np.radians(degrees) / 2
    out = np.zeros(4)
    out["xyz".index(axis)], out[3] = np.sin(half), np.cos(half)
    return out.tolist()
