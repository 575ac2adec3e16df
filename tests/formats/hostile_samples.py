"""A small good file of every format, for hostile.py to break."""

from __future__ import annotations

import io
import json
from importlib.util import find_spec

import numpy as np
from hostile import Sample
from test_amc import FIGURE, MOTION

from moveset.formats import bvh, deepmimic, fbx, gltf, humanml3d, npz, unity, vrma
from moveset.formats.arrays import save_npz
from moveset.formats.deepmimic_characters import DOG, HUMANOID
from moveset.formats.dog_text import WIDTH
from moveset.motion import Asset
from moveset.retarget.humanoid import on_humanoid
from moveset.rigs.mannequin import mannequin
from moveset.rigs.reference import t_pose
from moveset.synthetic import synthesize


def samples() -> dict[str, Sample]:
    """By a name for the test."""
    clip = synthesize("walk_100").slice(0, 4)
    alone = Asset(clips=(clip,))
    plain = Asset(clips=(on_humanoid(clip, t_pose(clip.skeleton)),))
    figure = Asset((mannequin(clip.skeleton, clip),), (clip,))
    made = [
        Sample("walk.bvh", bvh.write(alone, path="walk.bvh")),
        Sample("walk.glb", gltf.write(alone, path="walk.glb")),
        Sample("figure.glb", gltf.write(figure, path="figure.glb")),
        Sample("walk.gltf", gltf.write(alone, path="walk.gltf")),
        Sample("walk.vrma", vrma.write(plain, path="walk.vrma")),
        Sample("walk.fbx", fbx.FORMAT.write(alone, path="walk.fbx")),
        Sample("own.npz", npz.write(alone, path="own.npz")),
        Sample("smpl.npz", _smpl()),
        Sample("stored.npz", _stored()),
        Sample("rows.npy", humanml3d.write(alone, path="rows.npy")),
        Sample("joints.npy", humanml3d.write(alone, path="joints.npy", layout="joints")),
        Sample("humanoid.txt", _motion(HUMANOID)),
        Sample("dog.json", _motion(DOG)),
        Sample("dog_pose.txt", _dog_text()),
        Sample("07_01.amc", MOTION.encode(), {"07.asf": FIGURE.encode()}),
        Sample("07.asf", FIGURE.encode()),
        Sample("walk.anim", unity.write(alone, path="walk.anim")[:60_000]),
        Sample("markers.c3d", bytes((2, 0x50)) + bytes(1022)),
    ]  # fmt: skip
    if find_spec("pxr"):
        from moveset.formats.usd.write import write

        made += [
            Sample(f"walk{suffix}", write(alone, path=f"walk{suffix}"))
            for suffix in (".usda", ".usdc", ".usdz")
        ]
    return {sample.name: sample for sample in made}


def _smpl() -> bytes:
    poses = 0.1 * np.random.default_rng(0).normal(size=(4, 72)).astype(np.float32)
    return save_npz({"poses": poses, "trans": np.zeros((4, 3)), "mocap_framerate": np.array(30.0)})


def _stored() -> bytes:
    """Without compression, where changes reach the numbers."""
    out = io.BytesIO()
    np.savez(out, poses=np.zeros((3, 72), np.float32), trans=np.zeros((3, 3)), gender=np.array("male"))
    return out.getvalue()


def _motion(body) -> bytes:
    rows = np.zeros((4, body.width))
    rows[:, 0] = 1 / 30
    at = 4
    for joint in body.joints:
        if joint.kind in ("none", "spherical"):
            rows[:, at] = 1
        at += {"none": 4, "spherical": 4, "revolute": 1, "fixed": 0}[joint.kind]
    return deepmimic.write(
        deepmimic.read(json.dumps({"Frames": rows.tolist()}).encode(), path="a.txt"), path="a.txt"
    )


def _dog_text() -> bytes:
    rows = np.zeros((4, WIDTH))
    rows[:, 3::4] = 1
    return "\n".join(",".join(f"{v:.5f}" for v in row) for row in rows).encode()
