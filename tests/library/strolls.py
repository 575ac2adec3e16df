"""Small clips, and a stand-in for reading files, that the tests of this room share."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.library.ingest.prepare import Tools
from moveset.motion import Asset, Clip, Tags
from moveset.motion.canonical import Body, canonical_skeleton


def stroll(
    frames: int = 60,
    speed: float = 1.2,
    seed: int = 0,
    fps: float = 30.0,
    name: str = "stroll",
    body: Body | None = None,
) -> Clip:
    """A figure that glides forward swinging its limbs: smooth, and another motion for every seed."""
    skeleton = canonical_skeleton(body)
    rng = np.random.default_rng(seed)
    times = np.arange(frames) / fps
    # arms down, so that no frame is a T-pose
    angles = np.zeros((frames, len(skeleton), 3))
    for side, sign in (("left", -1), ("right", 1)):
        angles[:, skeleton.joint(f"{side}UpperArm"), 2] = sign * 1.2
    for role in ("leftUpperLeg", "rightUpperLeg", "leftUpperArm", "rightUpperArm", "spine", "neck"):
        amplitude, phase = rng.uniform(0.2, 0.5), rng.uniform(0, 2 * np.pi)
        angles[:, skeleton.joint(role), 0] += amplitude * np.sin(2 * np.pi * times + phase)
    translations = np.tile(skeleton.rest_translations, (frames, 1, 1))
    translations[:, 0, 2] += speed * times
    return Clip(
        skeleton,
        quaternion.from_rotation_vector(angles),
        translations,
        fps,
        name,
        tags=Tags(license="CC0-1.0"),
    )


def load(path: str) -> Asset:
    """A stand-in for reading files: `NAME SEED` of the text, `bad` fails, `crash` ends the process."""
    text = Path(path).read_text().split()
    if text[0] == "bad":
        raise MovesetError("cannot be read", file=path, do="mend it")
    if text[0] == "bug":
        raise ValueError("a bug")
    if text[0] == "crash":
        os._exit(7)
    return Asset(clips=(stroll(seed=int(text[1]), frames=30 + 2 * int(text[1]), name=text[0]),))


TOOLS = Tools(load)
