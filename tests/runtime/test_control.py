from __future__ import annotations

import numpy as np
import pytest

from moveset.errors import MovesetError
from moveset.runtime.control import Control, trajectory_follow, uncontrolled, velocity_follow
from moveset.runtime.crowd import Crowd, CrowdConfig

DT = 1 / 30


@pytest.fixture
def crowd(matching):
    return Crowd(matching, 3, seed=4, config=CrowdConfig(keep_seconds=0.2))


def test_a_control_is_consumed_by_one_step(crowd):
    crowd.control(velocity_follow((0.0, 1.2)))
    crowd.step(DT)
    assert (crowd.report.controls.given, crowd.report.controls.kept) == (3, 0)
    crowd.step(DT)
    assert (crowd.report.controls.given, crowd.report.controls.kept) == (3, 3)


def test_a_forgotten_control_is_kept_then_the_character_wanders(crowd):
    crowd.control(velocity_follow((0.0, 1.2)), who=1)
    for _ in range(12):
        crowd.step(DT)
    controls = crowd.report.controls
    assert controls.kept == 6 and controls.fallen_back == 5, controls
    assert crowd.mailbox.behavior.tolist() == [0, 0, 0]


def test_no_control_at_all_is_wandering_and_not_an_error(crowd):
    for _ in range(30):
        crowd.step(DT)
    assert crowd.report.controls.fallen_back == 0
    assert np.isfinite(crowd.positions).all()


def test_values_that_are_not_finite_are_refused_for_those_characters_only(crowd):
    velocity = np.array([[0.0, 1.2], [np.nan, 1.2], [0.0, np.inf]])
    crowd.control(velocity_follow(velocity))
    for _ in range(30):
        crowd.step(DT)
    assert crowd.report.controls.not_finite == 2 and crowd.report.controls.given == 1
    assert np.isfinite(crowd.positions).all() and np.isfinite(crowd.poses.rotations).all()


def test_late_and_repeated_controls_are_counted(crowd):
    crowd.step(DT)
    crowd.control(velocity_follow((0.0, 1.2)), frame=0)
    assert crowd.report.controls.late == 3 and not crowd.mailbox.fresh.any()
    crowd.control(velocity_follow((0.0, 1.2)), frame=1)
    crowd.control(uncontrolled(), who=[0, 2])
    assert crowd.report.controls.overwritten == 2
    assert crowd.mailbox.behavior.tolist() == [0, 2, 0]


@pytest.mark.parametrize(
    "control, who, said",
    [
        (Control("Fly"), None, "no behavior 'Fly'; there are: Uncontrolled, Idle, VelocityFollow"),
        (Control("VelocityFollow"), None, "needs a value 'velocity'"),
        (Control("VelocityFollow", {"velocity": (0, 1), "speed": 2}), None, "takes no value 'speed'"),
        (velocity_follow((0.0, 1.0, 2.0)), None, r"velocity has shape \(3,\), expected \(3, 2\)"),
        (trajectory_follow(np.zeros((2, 2))), 0, r"positions has shape \(2, 2\), expected \(1, 4, 2\)"),
        (velocity_follow(("fast", "slow")), None, "not an array of numbers"),
        (velocity_follow([[0.0, 1.0], [0.0]]), None, "not an array of numbers"),
        (uncontrolled(), 7, "the crowd has 3: 0 to 2"),
    ],
)
def test_a_wrong_control_is_refused_where_it_is_given(crowd, control, who, said):
    with pytest.raises(MovesetError, match=said):
        crowd.control(control, who)
    assert not crowd.mailbox.fresh.any()


def test_a_long_step_consumes_the_control_once(crowd):
    crowd.control(velocity_follow((0.0, 1.2)))
    crowd.step(0.1)
    assert crowd.report.steps == 3
    assert crowd.report.controls.kept == 0
    crowd.step(0.1)
    assert crowd.report.controls.kept == 3
