"""Evaluations of controllers: figures, JSON, the page, and what is refused."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

from moveset import formats
from moveset.cli import main
from moveset.errors import MovesetError
from moveset.motion import Asset
from moveset.runtime.matching import MotionMatching
from moveset.synthetic.corpus import synthesize
from moveset.workflows.evaluation.bundles import evaluate_bundles
from moveset.workflows.evaluation.controller import Size, evaluate, standard_trials, summary
from moveset.workflows.evaluation.controller_figures import as_json
from moveset.workflows.evaluation.controller_picture import from_above
from moveset.workflows.evaluation.controller_report import write_evaluation
from moveset.workflows.evaluation.real_clips import real_clips, real_clips_of

SMALL = Size(seconds=6.0, each=1, targets=2, minutes=0.1, parts=2, wanderers=2)
NAMES = (
    "walk_100", "walk_120", "walk_140", "walk_start", "walk_stop", "walk_curve_left_30", "walk_curve_right_30",
    "walk_turn_left_090", "idle_relaxed",
)  # fmt: skip


@pytest.fixture(scope="module")
def clips():
    return [synthesize(name) for name in NAMES]


@pytest.fixture(scope="module")
def found(clips):
    real = real_clips_of(clips[1:], clips[:1])
    matching = MotionMatching.from_clips(real.playable)
    return evaluate({"motion <matching>": (matching, "some rows")}, real.measured(), real.examples(), SMALL)


def test_every_trial_has_a_task_and_a_motion(found):
    names = [trial.name for trial in found.trials]
    assert len(set(names)) == len(names)
    expected = "line circle:0.5 circle:1 circle:2 circle:4 circle:6 eight:2 square:4 kinks:4 kinks:4,_walkable side_step to_targets"
    assert {f"walk {name.replace('_', ' ')}" for name in expected.split()} <= set(names)
    assert not [name for name in names if name.startswith("run")]  # nobody runs in these clips
    for figures in found.columns[1].trials.values():
        assert {"foot_skate", "planted_speed", "jerk_ratio", "pose_ratio"} < figures.keys()
        assert len(figures) > 8
    assert set(found.columns[1].unlocked) == {trial.name for trial in found.trials if trial.line is not None}


def test_the_summary_is_the_mean_of_the_main_paths(found):
    figures = found.columns[1].trials
    mean = summary(figures, "walk")
    paths = ("walk line", "walk circle:2", "walk eight:2")
    assert mean["path_distance"] == pytest.approx(np.mean([figures[p]["path_distance"] for p in paths]))
    assert mean["skate_ratio"] == pytest.approx(mean["foot_skate"] / mean["foot_skate_real"])
    assert math.isnan(mean["planted_ratio"])  # computed clips plant their feet exactly
    assert summary(figures, "run") == {}


def test_the_json_can_be_read_anywhere(found):
    said = json.loads(json.dumps(as_json(found), allow_nan=False))
    assert [column["name"] for column in said["columns"]] == ["real clips", "motion <matching>"]
    column = said["columns"][1]
    assert column["summary"]["walk"]["planted_ratio"] is None
    assert (
        column["summary_without_foot_lock"]["walk"]["planted_speed"]
        > column["summary"]["walk"]["planted_speed"]
    )
    assert column["uncontrolled"]["steady"] is None and len(column["uncontrolled"]["parts"]) == 2
    assert set(column["cost"]) == {"all_1", "controller_1", "all_64", "controller_64"}
    assert column["cost"]["controller_64"] < column["cost"]["all_64"] < column["cost"]["all_1"]
    assert said["real"]["walk"]["foot_skate"] == found.real.of("walk").foot_skate


def test_the_page_needs_nothing_else(found, tmp_path):
    written = write_evaluation(found, tmp_path / "deep" / "report")
    assert [path.name for path in written] == ["report.json", "sheet.gif", "report.html"]
    page = written[2].read_text(encoding="utf-8")
    assert not re.search(r'(src|href)="(?!data:)', page) and "<script" not in page
    assert "motion &lt;matching&gt;" in page and "<matching>" not in page
    assert page.count("<svg") == sum(trial.line is not None for trial in found.trials)
    assert ">nan<" not in page


def test_from_above_left_is_left(found):
    trial = next(trial for trial in found.trials if trial.name == "walk circle:2")
    svg = from_above(trial.line, found.columns[1].walks[trial.name], "a circle")
    x, _, width, height = map(float, svg.split('viewBox="')[1].split('"')[0].split())
    # the circle goes to the left, +X: in the picture to the left as well
    assert x < -4 and x + width < 1 and width == height


def test_standard_trials_follow_the_gaits_that_there_are(found):
    assert standard_trials(type(found.real)(found.real.everything)) == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory, clips):
    folder = tmp_path_factory.mktemp("walks")
    for clip in clips:
        formats.write(Asset(clips=(clip,)), folder / f"{clip.name}.glb")
    return folder


def test_files_without_a_split_are_split(folder):
    real = real_clips([str(folder)])
    assert len(real.held_out) == 2
    assert len(real.known) == 14  # seven clips and their twins
    assert set(real.examples()) == {"walk"}


def test_the_command_writes_a_report(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("moveset.workflows.evaluation.controller.QUICK", SMALL)
    with pytest.raises(SystemExit) as end:
        main(["evaluate", "controller", "--against", str(folder), "--quick", "-o", str(tmp_path / "out")])
    assert end.value.code == 0
    told = capsys.readouterr().out
    assert "report.html" in told and re.search(r"motion matching +\d\.\d cm +\d\.\d deg", told)
    said = json.loads((tmp_path / "out" / "report.json").read_text())
    assert [column["name"] for column in said["columns"]] == ["real clips", "motion matching"]


def test_nothing_to_evaluate_is_told():
    with pytest.raises(MovesetError, match="nothing to evaluate"):
        evaluate_bundles([])
    with pytest.raises(MovesetError, match="no such bundle"):
        evaluate_bundles(["nowhere.controller"])
