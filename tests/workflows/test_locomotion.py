"""Clips of several bodies and floors become one set that a character can walk by."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from moveset.edit.level import raised
from moveset.motion import Skeleton
from moveset.motion.canonical import Body
from moveset.motion.contacts import standing_heights
from moveset.synthetic import synthesize
from moveset.workflows.locomotion import is_locomotion, one_body


def test_other_bodies_come_over_and_it_is_said():
    own = [synthesize("wander_walk_1"), synthesize("walk_120")]
    other = synthesize("walk_120", Body(leg=0.85))
    kept, notes = one_body([*own, other])
    assert len({clip.skeleton.signature for clip in kept}) == 1 and len(kept) == 3
    assert notes == ("copied from other bodies onto that of wander_walk_1: 1 of 3 clips",)
    travelled = [np.ptp(clip.world_positions[:, 0, 2]) for clip in (other, kept[-1])]
    assert travelled[1] == pytest.approx(travelled[0] / 0.85, rel=0.01)


def test_other_floors_are_levelled_and_it_is_said():
    clips = [synthesize(name) for name in ("walk_100", "walk_120", "walk_140")]
    kept, notes = one_body([clips[0], raised(clips[1], 0.1), clips[2]])
    assert notes == ("levelled, up to 10 cm off the others' floor: 1 of 3 clips",)
    assert np.ptp([standing_heights(clip) for clip in kept], axis=0).max() < 0.005


def test_a_body_that_is_no_humanoid_is_left_out_by_name():
    walk = synthesize("walk_120")
    s = walk.skeleton
    bare = Skeleton(s.names, s.parents, s.rest_rotations, s.rest_translations * 1.2)
    kept, notes = one_body([walk, replace(walk.slice(0, 50), skeleton=bare, name="cat")])
    assert [clip.name for clip in kept] == ["walk_120"]
    assert notes[0].startswith("cat: left out")


@pytest.mark.parametrize(
    ("name", "words", "expected"),
    [
        ("Walking_A", (), True),
        ("02_01", ("walk",), True),
        ("Running_Strafe", (), False),
        ("sword_attack", (), False),
        ("walk_tired", (), False),
    ],
)
def test_what_is_plain_locomotion(name, words, expected):
    assert is_locomotion(name, words) is expected
