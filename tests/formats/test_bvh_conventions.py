"""Units, up axis and frame rate: what the file does not say is guessed, the guess is a finding."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bvh_text import FIGURE, Bone, random_values, slow_positions, text_of

from moveset.errors import MovesetError
from moveset.formats import bvh
from moveset.formats.bvh.conventions import UNITS, frame_rate


def scaled(bones: tuple[Bone, ...], factor: float) -> tuple[Bone, ...]:
    def times(v):
        return None if v is None else tuple(x * factor for x in v)

    return tuple(Bone(b.name, b.parent, times(b.offset), b.channels, times(b.tip)) for b in bones)


def standing(bones: tuple[Bone, ...]) -> np.ndarray:
    """Values whose angles are small and whose root stands at leg height."""
    values = random_values(bones) * 0.02
    values[:, :3] = (0, -sum(b.offset[1] for b in bones[3:5]) - bones[4].tip[1], 0)
    return values


@pytest.mark.parametrize(("name", "metres"), UNITS.items())
def test_unit_is_guessed_from_the_bones(name, metres):
    bones = scaled(FIGURE, 0.01 / metres)
    values = standing(bones)
    asset = bvh.read(text_of(bones, values).encode(), path="a.bvh")
    found = {f.check: f for f in asset.findings}
    assert found["unit_guess"].value == pytest.approx(metres)
    assert found["unit_guess"].severity == ("info" if name == "cm" else "warning")
    np.testing.assert_allclose(
        asset.clips[0].world_positions, slow_positions(bones, values) * metres, atol=1e-9
    )


def test_unit_guess_does_not_depend_on_the_motion():
    far, near = standing(FIGURE), standing(FIGURE)[:1]
    far[:, :3] += 5000
    guesses = {
        f.value
        for values in (far, near)
        for f in bvh.read(text_of(FIGURE, values).encode(), path="a.bvh").findings
        if f.check == "unit_guess"
    }
    assert guesses == {0.01}


def z_up(bones: tuple[Bone, ...]) -> tuple[Bone, ...]:
    def turned(v):
        return None if v is None else (v[0], -v[2], v[1])

    return tuple(Bone(b.name, b.parent, turned(b.offset), b.channels, turned(b.tip)) for b in bones)


def test_z_up_is_seen_in_the_rest_pose_and_turned():
    bones = z_up(FIGURE)
    values = random_values(bones) * 0.05
    values[:, :3] = (10, 20, 95)
    asset = bvh.read(text_of(bones, values).encode(), path="a.bvh", unit="cm")
    (finding,) = asset.findings
    assert finding.check == "up_axis_guess" and "Z" in finding.message and finding.severity == "warning"
    x, y, z = np.moveaxis(slow_positions(bones, values) / 100, -1, 0)
    np.testing.assert_allclose(asset.clips[0].world_positions, np.stack((x, z, -y), axis=-1), atol=1e-9)
    assert asset.clips[0].skeleton.rest_world[1][2, 1] > 0.5, "the rest pose is turned too"


def test_folded_rest_pose_is_judged_by_its_first_poses():
    """Bandai Namco and Neo rigs: with zero rotations every bone lies along X."""
    bones = (FIGURE[0], Bone("Spine", 0, (12, 0, 0)), Bone("Head", 1, (45, 0, 0), tip=(18, 0, 0)),
             Bone("LeftLeg", 0, (4, 0, 9)), Bone("LeftFoot", 3, (80, 0, 0), tip=(10, 0, 0)))  # fmt: skip
    values = np.zeros((3, sum(len(b.channels) for b in bones)))
    values[:, 1] = 90
    values[:, 6] = 90  # the spine turns up
    values[:, 12] = -90  # the leg turns down
    asset = bvh.read(text_of(bones, values).encode(), path="a.bvh", unit="cm")
    (finding,) = asset.findings
    assert "Y" in finding.message and "poses of its motion" in finding.message


def test_given_unit_and_axis_are_not_guessed():
    asset = bvh.read(text_of(FIGURE, standing(FIGURE)).encode(), path="a.bvh", unit=0.5, up="Z")
    assert asset.findings == ()


@pytest.mark.parametrize("options", [{"unit": "furlong"}, {"unit": 0}, {"unit": -1.0}, {"up": "X"}])
def test_nonsense_is_refused(options):
    with pytest.raises(MovesetError):
        bvh.read(text_of(FIGURE, standing(FIGURE)).encode(), path="a.bvh", **options)


@pytest.mark.parametrize(
    ("text", "fps"),
    [
        ("0.0333333", 30), ("0.033333", 30), ("0.03333333", 30), ("0.033", 30), ("0.016667", 60), ("0.016666", 60),
        ("0.0083333", 120), ("0.00833333", 120), ("0.041667", 24), ("0.04", 25), ("0.041708", 24000 / 1001),
        ("0.0417083333", 24000 / 1001), ("0.033367", 30000 / 1001), ("0.01", 100), ("0.1", 10), ("1", 1), ("0.05", 20),
        ("0.03333333333333333", 30), ("0.0333333350718021393", 30), ("0.02", 50),
    ],
)  # fmt: skip
def test_frame_time_becomes_the_rate_that_prints_like_it(text, fps):
    found, _ = frame_rate(float(text), text)
    assert found == pytest.approx(fps, rel=1e-12)


@pytest.mark.parametrize("text", ["0.03", "0.0312345", "0.0123416789", "0.0345678"])
def test_other_frame_times_stay_as_they_are(text):
    found, findings = frame_rate(float(text), text)
    assert math.isclose(found, 1 / float(text), rel_tol=1e-12) and findings == []


def test_a_coarse_frame_time_is_reported():
    fps, (finding,) = frame_rate(0.033, "0.033")
    assert fps == 30 and finding.check == "frame_rate" and "30.303" in finding.message
