"""Files of less than 10 MB that claim, nest or repeat as much as they can."""

from __future__ import annotations

import base64
import json
import struct

import numpy as np
from hostile import npy_of, npz_of
from test_amc import FIGURE

SIZE = 9_900_000
_ANIM = b"%YAML 1.1\nAnimationClip:\n  m_PositionCurves:\n"


def bombs() -> dict[str, tuple[str, bytes, dict[str, bytes]]]:
    """What is wrong -> file name, bytes, files beside it."""
    zeros = "{{'descr': '|i1', 'fortran_order': False, 'shape': ({}, {})}}"
    frames = 255 * 2**20 // 72
    figure = {"b.asf": FIGURE.encode()}
    bones = "".join(f"begin\nname b{i}\nend\n" for i in range(300_000))
    return {
        "frames without content": ("b_1.amc", b"1\n" * (SIZE // 2), figure),
        "lines of one bone": ("b_1.amc", b"1\n" + b"arm 0 0\n" * (SIZE // 8), figure),
        "bones without end": ("b.asf", f":bonedata\n{bones}:hierarchy\nbegin\nroot b0\nend\n".encode(), {}),
        "packed zeros": ("b.npz", npz_of({"poses": npy_of(zeros.format(frames, 72), bytes(frames * 72))}), {}),
        "packed zeros beside poses": (
            "b.npz",
            npz_of({
                "poses": npy_of(zeros.format(10**6, 72), bytes(72 * 10**6)),
                "trans": npy_of(zeros.format(10**6, 3), bytes(3 * 10**6)),
            }),
            {},
        ),
        "half floats as joints": (
            "b.npy",
            npy_of("{'descr': '<f2', 'fortran_order': False, 'shape': (75000, 22, 3)}", np.random.default_rng(0).normal(size=66 * 75_000).astype("<f2").tobytes()),
            {},
        ),
        "short rows": ("b.json", b'{"Frames":[' + b"[0]," * (SIZE // 4) + b"[0]]}", {}),
        "empty rows": ("b.json", b'{"Frames":[' + b"[]," * (SIZE // 3) + b"[]]}", {}),
        "nested rows": ("b.json", b'{"Frames":' + b"[" * SIZE, {}),
        "a long row of the dog": ("b_pose.txt", b"0," * (SIZE // 2) + b"0", {}),
        "rows of the dog": ("b_pose.txt", (b"0," * 3 + b"1,0,0,0," * 20 + b"1,0,0,0\n") * (SIZE // 174), {}),
        "nested braces": ("b.bvh", b"HIERARCHY\nROOT a\n{\n" + b"JOINT b\n{\n" * (SIZE // 10), {}),
        "end sites of one joint": ("b.bvh", b"HIERARCHY\nROOT a\n{\n" + b"End Site\n{\nOFFSET 0 0 0\n}\n" * (SIZE // 26), {}),
        "joints without channels": (
            "b.bvh",
            b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n"
            + b"JOINT b\n{\nOFFSET 0 1 0\n}\n" * 20_000
            + b"}\nMOTION\nFrames: 4000000\nFrame Time: 0.03\n"
            + b"0\n" * 4_000_000,
            {},
        ),
        "numbers on one line": ("b.bvh", b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 1\nFrame Time: 0.03\n" + b"0 " * (SIZE // 2), {}),
        "nested JSON": ("b.gltf", b'{"asset":{"version":"2.0"},"nodes":' + b"[" * SIZE, {}),
        "nodes without content": ("b.gltf", b'{"asset":{"version":"2.0"},"nodes":[' + b"{}," * (SIZE // 3) + b"{}]}", {}),
        "an accessor of nothing": ("b.gltf", _animated(10**9), {}),
        "an accessor of half of what may be": ("b.gltf", _animated(10**7), {}),
        "a chunk that claims": ("b.glb", b"glTF" + struct.pack("<III", 2, 0xFFFFFFFF, 0xFFFFFFF0) + b"JSON" + bytes(100), {}),
        "curves without keys": ("b.anim", _ANIM + b"  - curve:\n" * (SIZE // 11), {}),
        "keys of one curve": ("b.anim", _ANIM + b"  - curve:\n" + b"        time: 0\n        value: {x: 0, y: 0, z: 0}\n" * (SIZE // 52), {}),
        "deep paths": (
            "b.anim",
            _ANIM + b"".join(b"  - curve:\n        time: 0\n        value: {x: 0, y: 0, z: 0}\n    path: %d%s\n" % (i, b"/a" * 1500) for i in range(3000)),
            {},
        ),
        "a long time": ("b.gltf", _animated(2, seconds=1e9), {}),
    }  # fmt: skip


def _animated(count: int, seconds: float = 1.0) -> bytes:
    """A glTF whose keys are zeros that no buffer holds, or that lie far apart."""
    times = {"componentType": 5126, "count": count, "type": "SCALAR", "min": [0], "max": [seconds]}
    buffer = struct.pack("<2f", 0, seconds)
    if count == 2:
        times["bufferView"] = 0
    uri = "data:application/octet-stream;base64," + base64.b64encode(buffer).decode()
    return json.dumps(
        {
            "asset": {"version": "2.0"},
            "scenes": [{"nodes": [0]}],
            "nodes": [{"name": "hips", "children": [1]}, {"name": "spine"}],
            "skins": [{"joints": [0, 1]}],
            "buffers": [{"byteLength": 8, "uri": uri}],
            "bufferViews": [{"buffer": 0, "byteLength": 8}],
            "accessors": [times, {"componentType": 5126, "count": count, "type": "VEC4"}],
            "animations": [
                {
                    "samplers": [{"input": 0, "output": 1}],
                    "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}],
                }
            ],
        }
    ).encode()
