"""The deliberately bad clips of synthetic/: each is found for what it is."""

from __future__ import annotations

import pytest

from moveset.audit import audit
from moveset.synthetic import bad_clips

SAYS = {
    "additive": "additive", "additive_unsaid": "additive", "t_pose": "t_pose",
    "first_frame_t_pose": "first_frame_t_pose", "one_frame": "too_short", "frozen": "frozen", "popped": "pops",
    "sliding": "foot_skate", "in_place": "in_place", "floating": "floor_offset", "sunken": "floor_offset",
    "centimetres": "scale", "z_up": "up_axis", "nan": "not_finite", "flipping": "sign_flips",
    "unnormalized": "not_unit", "shaking": "pops",
}  # fmt: skip


@pytest.fixture(scope="module")
def clips():
    return bad_clips()


@pytest.mark.parametrize("fault", SAYS)
def test_the_fault_is_found(clips, fault):
    assert SAYS[fault] in {finding.check for finding in audit(clips[fault])}
