"""Acclaim skeletons and motions: a slow reference, and CMU's own beside the pack's conversion of them."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest

from moveset import formats
from moveset.errors import MovesetError
from moveset.formats.asf import parse_asf
from moveset.geometry import quaternion

INCH = 0.0254
FIGURE = """
# a two-bone arm
:version 1.10
:units
  mass 1.0
  length 0.45
  angle deg
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name spine
    direction 0 1 0
    length 10
    axis 0 0 0 XYZ
    dof rx ry rz
    limits (-20.0 45.0)
           (-30.0 30.0)
           (-30.0 30.0)
  end
  begin
    id 2
    name arm
    direction 0.6 0.8 0
    length 5
    axis 10 20 30 ZYX
    dof rz rx
  end
:hierarchy
  begin
    root spine
    spine arm
  end
"""
MOTION = """#!OML:ASF
:FULLY-SPECIFIED
:DEGREES
1
root 1 2 3 10 20 30
spine 5 -6 7
arm 40 -50
2
root 1 2 4 10 20 30
spine 0 0 0
"""


def read(folder, motion: str = MOTION, figure: str = FIGURE, **options):
    (folder / "07.asf").write_text(figure)
    (folder / "07_01.amc").write_text(motion)
    return formats.read(folder / "07_01.amc", **options)


def turn(axis: str, degrees: float) -> np.ndarray:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array(
        {
            "X": [[1, 0, 0], [0, c, -s], [0, s, c]],
            "Y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
            "Z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
        }[axis]
    )


def test_by_hand(tmp_path):
    """C M C^-1 by matrices: turns about fixed axes, the first one first."""
    asset = read(tmp_path)
    clip = asset.clips[0]
    unit = INCH / 0.45
    root = turn("Z", 30) @ turn("Y", 20) @ turn("X", 10)
    spine = root @ turn("Z", 7) @ turn("Y", -6) @ turn("X", 5)
    c = turn("X", 30) @ turn("Y", 20) @ turn("Z", 10)  # `axis 10 20 30 ZYX`: 10 about Z first
    arm = spine @ c @ turn("X", -50) @ turn("Z", 40) @ c.T
    place = np.array([1, 2, 3.0])
    elbow = place + spine @ [0, 10, 0]
    np.testing.assert_allclose(clip.world_positions[0], np.array([place, place, elbow]) * unit, atol=1e-9)
    hand = elbow + arm @ [3, 4, 0]
    tips = clip.skeleton.tips
    reached = clip.world_positions[0, 2] + quaternion.rotate(clip.world_rotations[0, 2], tips[2])
    np.testing.assert_allclose(reached, hand * unit, atol=1e-9)
    assert clip.fps == 120 and [f.check for f in asset.findings] == ["frame_time"]
    np.testing.assert_allclose(clip.rotations[1, 1:], [[0, 0, 0, 1]] * 2, atol=1e-12)
    assert parse_asf(FIGURE.encode(), "a.asf").bones[1].limits == ((-20, 45), (-30, 30), (-30, 30))


def test_a_unit_that_makes_no_body_is_guessed(tmp_path):
    asset = read(tmp_path, figure=FIGURE.replace("length 0.45", "length 100"))
    assert [f.check for f in asset.findings] == ["unit_guess", "frame_time"]
    assert 0.5 < np.linalg.norm(asset.clips[0].skeleton.rest_world[1][2]) < 2


def test_cmu_beside_the_conversion_of_the_pack(pack):
    clip = formats.read(pack / "mocap/samples/cmu_02_03.amc").clips[0]
    twin = formats.read(pack / "mocap/cmu/cmu-asfamc-30fps.zip/02_03.bvh", unit="cm", up="Y").clips[0]
    assert clip.skeleton.names == twin.skeleton.names and len(clip.skeleton) == 31
    ours = clip.world_positions[::4]
    assert len(ours) == len(twin)
    error = np.linalg.norm(ours - twin.world_positions, axis=-1)
    assert error.max() < 3e-4, "the twin's angles are printed with 2 decimals"


def test_the_figure_alone(pack):
    asset = formats.read(pack / "mocap/samples/cmu_02.asf")
    skeleton = asset.characters[0].skeleton
    assert not asset.clips and not asset.findings
    assert skeleton.tips is not None
    head = skeleton.rest_world[1][skeleton.index["head"]]
    feet = skeleton.rest_world[1][skeleton.index["ltoes"]]
    assert 1.4 < head[1] - feet[1] < 1.7


def test_which_figure(tmp_path):
    asset = read(tmp_path, fps=60.0)
    assert asset.clips[0].fps == 60
    (tmp_path / "08.asf").write_text("broken")
    assert len(formats.read(tmp_path / "07_01.amc").clips[0]) == 2
    (tmp_path / "09_02.amc").write_text(MOTION)
    with pytest.raises(MovesetError, match=r"there are 2 \.asf, none named like it -- put 09\.asf into"):
        formats.read(tmp_path / "09_02.amc")
    (tmp_path / "08.asf").unlink()
    assert formats.read(tmp_path / "09_02.amc").clips
    packed = tmp_path / "pack.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a/07.asf", FIGURE)
        archive.writestr("a/07_01.amc", MOTION)
        archive.writestr("b/07_01.amc", MOTION)
    assert formats.read(f"{packed}/a/07_01.amc").clips
    with pytest.raises(MovesetError, match=r"its skeleton is not beside it -- put 07\.asf"):
        formats.read(f"{packed}/b/07_01.amc")


@pytest.mark.parametrize(
    ("motion", "figure", "text"),
    [
        (MOTION.replace("arm 40 -50", "arm 40"), FIGURE, "line 7: has 1 numbers for arm, which moves in 2 ways"),
        (MOTION.replace("arm 40 -50", "leg 40 -50"), FIGURE, "line 7: moves 'leg', which its skeleton has not"),
        (MOTION.replace("-50", "nan"), FIGURE, "line 7: holds what is no number"),
        ("root 1 2 3 4 5 6", FIGURE, "comes before the first frame"),
        (MOTION, FIGURE.replace("spine arm", "spine root"), "bone 'root' hangs twice"),
        (MOTION, FIGURE.replace("root spine", "arm spine"), "bones hang on no root"),
        (MOTION, FIGURE.replace("direction 0 1 0", "direction 0 1"), "spine: three numbers"),
        (MOTION, FIGURE.replace("ZYX", "ZYZX"), "arm: 'ZYZX' is no order of axes"),
        (MOTION, FIGURE.replace("length 0.45", "length 0"), "length 0 is no unit"),
        (MOTION, FIGURE.partition(":hierarchy")[0], "it has no bonedata and hierarchy"),
        (MOTION, FIGURE.replace("dof rz rx", "dof rz rz"), "'rz' is no way to move"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path, motion, figure, text):
    with pytest.raises(MovesetError, match=text):
        read(tmp_path, motion, figure)
