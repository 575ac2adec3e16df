"""Clean clips in which faults are planted."""

from __future__ import annotations

import pytest

from moveset.motion import Clip
from moveset.synthetic.corpus import synthesize


@pytest.fixture(scope="session")
def walk() -> Clip:
    return synthesize("walk_120")


@pytest.fixture(scope="session")
def idle() -> Clip:
    return synthesize("idle_relaxed")


CLEAN = (
    "idle_relaxed", "walk_060", "walk_200", "run_360", "sprint_700", "walk_turn_left_180", "strafe_left_fast",
    "backpedal_fast", "crouch_walk", "jump_forward", "dodge_left", "one_handed_heavy_overhead",
    "one_handed_light_thrust", "two_handed_heavy_right_to_left", "hit_heavy_front", "block_hold_one_handed",
)  # fmt: skip


@pytest.fixture(scope="session", params=CLEAN)
def clean(request) -> Clip:
    return synthesize(request.param)
