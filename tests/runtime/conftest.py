"""Clips, a controller over them, and small helpers for the runtime's tests."""

from __future__ import annotations

import pytest

from moveset.edit.bend import bent_copies
from moveset.runtime.matching import MotionMatching
from moveset.synthetic.corpus import synthesize

NAMES = (
    "idle_relaxed", "walk_100", "walk_120", "walk_140", "run_240", "run_280", "walk_start", "walk_stop",
    "walk_to_run", "run_to_walk", "walk_curve_left_15", "walk_curve_right_15", "walk_curve_left_30",
    "walk_curve_right_30", "wander_walk_1", "wander_walk_2", "wander_mixed_1",
)  # fmt: skip


@pytest.fixture(scope="session")
def clips():
    """Plain walks and runs, straight and turning."""
    return [synthesize(name) for name in NAMES]


@pytest.fixture(scope="session")
def matching(clips):
    """Motion matching over them and bent copies."""
    return MotionMatching.from_clips([*clips, *bent_copies(clips, 1)])
