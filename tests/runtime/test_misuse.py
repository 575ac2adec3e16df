"""What a crowd and a learned controller are told that cannot be: one sentence, and nothing has changed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from handmade import handmade
from moveset.bundle.store import _hash, open_bundle
from moveset.errors import MovesetError
from moveset.runtime.control import velocity_follow
from moveset.runtime.crowd import Crowd, CrowdConfig
from moveset.runtime.learned import LearnedConfig, LearnedController


@pytest.fixture(scope="module")
def controller():
    return LearnedController(handmade())  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [0, -1, 2.5, "3", None])
def test_no_crowd_of_such_a_size(controller, count):
    with pytest.raises(MovesetError, match="ask for a whole number, at least one"):
        Crowd(controller, count)


@pytest.mark.parametrize("dt", [0, -1 / 30, np.nan, np.inf, "x", None])
def test_no_step_of_such_a_length(controller, dt):
    crowd = Crowd(controller, 2)
    with pytest.raises(MovesetError, match="give a positive number of seconds"):
        crowd.step(dt)
    assert crowd.report.steps == 0


@pytest.mark.parametrize("dt", [1 / 240, 1 / 30, 0.5])
def test_steps_of_any_length_stay_finite(controller, dt):
    crowd = Crowd(controller, 2)
    crowd.control(velocity_follow((0.0, 1.0)))
    for _ in range(4):
        assert np.isfinite(crowd.step(dt).rotations).all()


def test_what_is_no_control_and_no_place(controller):
    crowd = Crowd(controller, 3)
    with pytest.raises(MovesetError, match="'walk' is no control"):
        crowd.control("walk")  # type: ignore[arg-type]
    for places, headings in ((((0, 0), (1, 1)), (0, 0)), ("here", "north"), ((0.0, 0.0, 0.0), 0.0)):
        with pytest.raises(
            MovesetError, match=r"do not fit 3 characters -- give \(3, 2\) and \(3,\) numbers"
        ):
            crowd.place(places, headings)  # type: ignore[arg-type]
    with pytest.raises(MovesetError, match="not finite"):
        crowd.place((np.nan, 0.0), 0.0)
    for lod in (None, "LOD0", 0.5, 7, -1):
        with pytest.raises(MovesetError, match="there is no level of detail"):
            crowd.set_lod(lod)  # type: ignore[arg-type]


def test_a_snapshot_of_another_crowd_changes_nothing(controller):
    crowd = Crowd(controller, 3)
    crowd.control(velocity_follow((0.0, 1.0)))
    crowd.step(1 / 30)
    before = crowd.snapshot()
    others = {
        "not of a crowd of 3": Crowd(controller, 2).snapshot(),
        "lock/held is not in it": Crowd(controller, 3, config=CrowdConfig(foot_lock=False)).snapshot(),
        "controller/context is not in it": {k: v for k, v in before.items() if "context" not in k},
        "controller/queue has another shape": before | {"controller/queue": np.zeros((3, 1, 1))},
    }
    for why, snapshot in others.items():
        with pytest.raises(MovesetError, match=why):
            crowd.restore(
                {name: array + 1 if array.dtype == float else array for name, array in snapshot.items()}
            )
        assert all(
            np.array_equal(array, crowd.snapshot()[name], equal_nan=array.dtype.kind == "f")
            for name, array in before.items()
        )
    crowd.restore(before)


@pytest.mark.parametrize(
    "settings",
    [{"noise": np.nan}, {"noise": -1.0}, {"choices": 0}, {"fade_seconds": 0.0}, {"wish_jump": -1.0}],
)
def test_settings_that_cannot_be(settings):
    with pytest.raises(MovesetError, match=f"{next(iter(settings))} of a learned controller is"):
        LearnedConfig(**settings)


def test_a_manifest_that_points_elsewhere_is_refused(tmp_path):
    pytest.importorskip("torch")
    from handmade_bundle import write_handmade

    folder = Path(write_handmade(tmp_path / "made.controller", handmade()).path)
    whole = json.loads((folder / "bundle.json").read_text())
    for change, why in (
        ({"files": []}, "tells of networks that are not its files"),
        ({"networks": {**whole["networks"], "../lod9.onnx": {}}}, "tells of networks that are not its files"),
        (
            {"files": {**whole["files"], "../../etc/passwd": "0"}},
            "tells of a file elsewhere: ../../etc/passwd",
        ),
    ):
        said = {**whole, **change}
        said["hash"] = _hash(said)
        (folder / "bundle.json").write_text(json.dumps(said))
        with pytest.raises(MovesetError, match=re.escape(why)):
            open_bundle(folder)
    (folder / "bundle.json").write_bytes(bytes(range(256)))
    with pytest.raises(MovesetError, match="cannot be read"):
        open_bundle(folder)
