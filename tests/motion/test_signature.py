"""Skeletons of one body have one signature, wherever it stands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from moveset.motion import Skeleton
from moveset.motion.canonical import Body, canonical_skeleton


def moved(skeleton: Skeleton, name: str, by: tuple[float, float, float]) -> Skeleton:
    translations = skeleton.rest_translations.copy()
    translations[skeleton.index[name]] += by
    return replace(skeleton, rest_translations=translations)


def rooted(skeleton: Skeleton) -> Skeleton:
    """A root joint on the floor above the hips."""
    return Skeleton(
        ("root", *skeleton.names),
        np.concatenate(([-1], skeleton.parents + 1)),
        np.concatenate(([[0, 0, 0, 1]], skeleton.rest_rotations)),
        np.concatenate(([[0, 0, 0]], skeleton.rest_translations)),
    )


@pytest.mark.parametrize("skeleton", [canonical_skeleton(), rooted(canonical_skeleton())])
def test_where_a_body_stands_does_not_count(skeleton):
    assert moved(skeleton, "hips", (0.3, -0.02, -4.5)).signature == skeleton.signature


@pytest.mark.parametrize("joint", ["spine", "leftUpperLeg", "leftHand", "head"])
def test_how_it_is_built_does(joint):
    skeleton = rooted(canonical_skeleton())
    assert moved(skeleton, joint, (0, 0.001, 0)).signature != skeleton.signature
    assert moved(skeleton, joint, (0, 0.00001, 0)).signature == skeleton.signature


def test_names_parents_and_proportions_do():
    skeleton = canonical_skeleton()
    others = (
        replace(skeleton, names=("pelvis", *skeleton.names[1:])),
        canonical_skeleton(Body(leg=1.1)),
        rooted(skeleton),
    )
    assert len({s.signature for s in (skeleton, *others)}) == 4


def test_a_chain_without_a_fork_keeps_its_bones():
    snake = Skeleton(
        ("a", "b", "c"), np.array([-1, 0, 1]), np.tile((0.0, 0, 0, 1), (3, 1)), np.full((3, 3), 0.2)
    )
    assert moved(snake, "a", (1, 0, 0)).signature == snake.signature
    assert moved(snake, "c", (1, 0, 0)).signature != snake.signature
