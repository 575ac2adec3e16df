"""Which controller a library gets where nobody says: one that follows paths, or one that follows any of many futures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from moveset.errors import MovesetError
from moveset.learn.data import open_training_set
from moveset.learn.models import distill, flow, regression
from moveset.library.split import TRAIN
from moveset.synthetic import synthesize
from moveset.workflows.train import train_autoencoder, train_controller
from moveset.workflows.training.how import How
from moveset.workflows.training.sets import ACTIONS, ANY_MOTION, write_training_set
from moveset.workflows.training.usual import in_place, share_that_travels, suited, usual_family

FEW = replace(ANY_MOTION, retimed=0.0, mirrored=0.0)
STILL = ("idle_relaxed", "hit_heavy_front")


def share(folder, *names) -> float:
    write_training_set(folder, [synthesize(name) for name in names], [synthesize("run_280")], FEW)
    return share_that_travels(open_training_set(folder))


def test_what_travels_is_told_from_what_acts_in_place(tmp_path):
    assert share(tmp_path / "a", "walk_120", "walk_curve_left_30") == 1.0
    assert share(tmp_path / "b", *STILL) < 0.1  # of the held-out run nothing is learnt
    assert 0.2 < share(tmp_path / "c", "walk_120", *STILL) < 0.6


def test_the_choice_is_what_measures_best_and_says_why():
    family, why = usual_family(0.8)
    assert family == "regression" and why.startswith("80%")
    family, why = usual_family(0.3)
    assert family == "flow" and why.startswith("70%")


def test_where_nothing_travels_nothing_is_asked():
    moving, still = (suited(flow.PRESETS["small"], travelling) for travelling in (0.6, 0.1))
    assert moving == flow.PRESETS["small"]
    assert still.model.free == 1.0 and still.model.bent == still.model.paced == 0.0
    assert still.train == moving.train
    assert suited(regression.PRESETS["small"], 0.0).model.free == 0.5
    students = suited(distill.PRESETS["small"], 0.0)
    assert students.model.free == 1.0
    assert students.model.context == still.model.context and students.model.chunk == still.model.chunk
    assert in_place(flow.FlowConfig(), width=64).width == 64


def test_clips_that_act_in_place_get_a_flow_that_wanders(tmp_path):
    """It has seen what follows on what."""
    chains = replace(ACTIONS, chain_seconds=20.0)
    made = write_training_set(tmp_path / "set", [synthesize(name) for name in STILL], (), chains)
    assert made.seconds[TRAIN]["chain"] >= 20.0
    said = []
    once, output = How(steps=1), tmp_path / "x.controller"
    below = train_autoencoder(tmp_path / "set", tmp_path / "x.autoencoder", "tiny", how=once)
    bundle = train_controller(tmp_path / "set", output, "tiny", autoencoder=below, how=once, say=said.append)
    assert bundle.manifest["controller"]["family"] == "flow" and bundle.manifest["controller"]["wanders"]
    assert any("of the recorded time is in place" in line and "--family" in line for line in said)


def test_a_family_that_nobody_knows_is_refused(tmp_path):
    with pytest.raises(MovesetError, match="no family 'diffusion'"):
        train_controller(tmp_path, tmp_path / "x.controller", family="diffusion")
