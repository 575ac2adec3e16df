"""Unity clips as text: handedness, slopes, Euler curves, and a round trip."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from moveset.errors import MovesetError
from moveset.formats import unity
from moveset.geometry import quaternion
from moveset.motion import Asset
from moveset.synthetic import synthesize

HEAD = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!74 &7400000\nAnimationClip:\n  m_Name: Wave\n"


def read(text: str):
    return unity.read((HEAD + text).encode(), path="Wave.anim")


def curve(keys: list[tuple[str, ...]], path: str, order: int = 4) -> str:
    lines = ["  - curve:", "      serializedVersion: 2", "      m_Curve:"]
    for time, value, inward, outward in keys:
        lines += ["      - serializedVersion: 3", f"        time: {time}", f"        value: {value}"]
        lines += [f"        inSlope: {inward}", f"        outSlope: {outward}", "        tangentMode: 0"]
    return "\n".join([*lines, f"      m_RotationOrder: {order}", f"    path: {path}", ""])


ZERO = "{x: 0, y: 0, z: 0}"


def test_axes_and_slopes():
    """A straight line, a step, and a cubic between keys, with x turned round."""
    line = curve(
        [("0", ZERO, ZERO, "{x: 2, y: 0, z: 0}"), ("0.5", "{x: 1, y: 0, z: 0}", "{x: 2, y: 0, z: 0}", ZERO)],
        "A",
    )
    step = curve(
        [
            ("0", "{x: 0, y: 1, z: 2}", ZERO, "{x: Infinity, y: 0, z: 0}"),
            ("0.5", "{x: 3, y: 2,\n          z: 3}", ZERO, ZERO),
        ],
        "A/B",
    )
    clip = read(f"  m_PositionCurves:\n{line}{step}  m_SampleRate: 4\n").clips[0]
    assert clip.name == "Wave" and clip.fps == 4 and clip.skeleton.names == ("A", "B")
    np.testing.assert_allclose(clip.translations[:, 0], [[0, 0, 0], [-0.5, 0, 0], [-1, 0, 0]], atol=1e-9)
    np.testing.assert_allclose(clip.translations[:, 1], [[0, 1, 2], [0, 1.5, 2.5], [-3, 2, 3]], atol=1e-9)


@pytest.mark.parametrize(("order", "axes"), [(4, "ZXY"), (0, "XYZ")])
def test_euler_curves(order, axes):
    """Turns about fixed axes in the order that is stated, in a left-handed world."""
    text = curve([("0", "{x: 10, y: 20, z: 30}", ZERO, ZERO)], "A", order)
    rotation = quaternion.to_matrix(read(f"  m_EulerCurves:\n{text}").clips[0].rotations[0, 0])
    turns = {}
    for axis, degrees in (("X", 10), ("Y", 20), ("Z", 30)):
        c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        i, j = {"X": (1, 2), "Y": (2, 0), "Z": (0, 1)}[axis]
        turn = np.eye(3)
        turn[[i, j], [i, j]], turn[i, j], turn[j, i] = c, -s, s
        turns[axis] = turn
    left = (
        turns[axes[2]] @ turns[axes[1]] @ turns[axes[0]]
    )  # Unity's matrices look the same, its x points the other way
    flip = np.diag([-1, 1, 1])
    np.testing.assert_allclose(rotation, flip @ left @ flip, atol=1e-9)


@pytest.mark.parametrize("loop", [False, True])
def test_round_trip(loop):
    clip = synthesize("walk_turn_left_090").slice(0, 20)
    clip = replace(clip, loop=loop, name="a 'walk'")
    asset = unity.read(unity.write(Asset(clips=(clip,)), path="a.anim"), path="a.anim")
    again = asset.clips[0]
    assert not asset.findings
    assert (len(again), again.loop, again.fps) == (20, loop, clip.fps)
    at = [again.skeleton.index[name] for name in clip.skeleton.names]
    np.testing.assert_allclose(again.world_positions[:, at], clip.world_positions, atol=1e-5)
    assert quaternion.angle_between(again.world_rotations[:, at], clip.world_rotations).max() < 1e-5


def test_a_clip_without_positions_is_told():
    text = curve([("0", "{x: 0, y: 0, z: 0, w: 1}", ZERO, ZERO)], "Hips/Spine").replace(
        ZERO, "{x: 0, y: 0, z: 0, w: 0}"
    )
    asset = read(f"  m_RotationCurves:\n{text}")
    assert asset.clips[0].skeleton.names == ("Hips", "Spine")
    assert [f.check for f in asset.findings] == ["no_bones"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("  m_FloatCurves:\n  - curve:\n", "moves humanoid muscles"),
        ("  m_PositionCurves: []\n", "moves no transform"),
        ("  m_PositionCurves:\n" + curve([("x", ZERO, ZERO, ZERO)], "A"), "line 11: 'time: x' is no key"),
        ("  m_PositionCurves:\n" + curve([("0", "{x: 0}", ZERO, ZERO)], "A"), "is no key"),
        (
            "  m_PositionCurves:\n" + curve([("0", "{x: NaN, y: 0, z: 0}", ZERO, ZERO)], "A"),
            "A: holds numbers",
        ),
        (
            "  m_PositionCurves:\n" + curve([("1", ZERO, ZERO, ZERO), ("0", ZERO, ZERO, ZERO)], "A"),
            "out of order",
        ),
        ("  m_PositionCurves:\n" + curve([("1e9", ZERO, ZERO, ZERO)], "A"), "lasts 1e"),
        ("  m_PositionCurves:\n" + curve([("0", ZERO, ZERO, ZERO)], "a/" * 20000 + "b"), "more transforms"),
    ],
)
def test_what_is_refused(text, message):
    with pytest.raises(MovesetError, match=message):
        read(text)
    with pytest.raises(MovesetError, match="no AnimationClip as text"):
        unity.read(b"\0\1\2", path="a.anim")
