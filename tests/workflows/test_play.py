from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from moveset import formats
from moveset.cli import main
from moveset.errors import MovesetError
from moveset.motion import Asset
from moveset.runtime.evaluation.measures import measure_motion
from moveset.synthetic.corpus import synthesize
from moveset.workflows.load import load
from moveset.workflows.locomotion import is_locomotion, motion_of
from moveset.workflows.play import Play, play_clips, real_measures, write_played
from moveset.workflows.split import Split


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A handful of walks as BVH files, and a jump that is not to be walked with."""
    folder = tmp_path_factory.mktemp("clips")
    for name in (
        "walk_100",
        "walk_120",
        "walk_140",
        "walk_curve_left_30",
        "walk_curve_right_30",
        "jump_forward",
    ):
        clip = synthesize(name)
        formats.write(Asset(clips=(clip,)), folder / f"{name}.bvh")
    return folder


@pytest.fixture(scope="module")
def played(folder):
    return play_clips([str(folder)], Play(path="circle:3", seconds=4, characters=2))


def test_a_folder_of_clips_follows_a_path(played):
    assert played.clips_used == 5
    assert played.measures["path_distance"] < 0.3
    assert {
        "path_error",
        "heading_error",
        "foot_skate",
        "jerk_ratio",
        "microseconds",
    } <= played.measures.keys()
    assert len(played.run.clips) == 2 and len(played.run.clips[0]) == 120


def test_what_is_held_out_judges_what_is_played():
    walk, other = synthesize("walk_120"), synthesize("walk_curve_left_30")
    judged = measure_motion([other], real_measures(Split((walk,), (other,))))
    assert judged["pose_ratio"] == pytest.approx(1, abs=0.05)
    assert np.isnan(measure_motion([other], real_measures(Split((walk, other), ())))["pose_ratio"])
    with pytest.raises(MovesetError, match="give some of more than 8 frames"):
        real_measures(Split((walk.slice(0, 8),), ()))


def test_two_characters_are_two_files_that_read_back(played, tmp_path):
    written = write_played(played, str(tmp_path / "out.bvh"))
    assert [name[-10:] for name in written] == ["out-01.bvh", "out-02.bvh"]
    clip = load(written[1]).clips[0]
    np.testing.assert_allclose(
        clip.world_positions[:, :20], played.run.clips[1].world_positions[:, :20], atol=2e-3
    )


def test_a_picture_shows_all(played, tmp_path):
    (name,) = write_played(played, str(tmp_path / "all.png"))
    assert (tmp_path / "all.png").stat().st_size > 10_000 and name.endswith("all.png")


@pytest.mark.parametrize("behavior", ["velocity", "wander"])
def test_other_behaviors(folder, behavior):
    played = play_clips([str(folder)], Play(behavior=behavior, seconds=3, characters=3))
    assert "path_error" not in played.measures
    assert np.isfinite(played.run.positions).all()


@pytest.mark.parametrize(
    "name, words, walks",
    [
        ("walk_120", (), True),
        ("jump_forward", (), False),
        ("dataset-2_run_normal_001", (), True),
        ("crouch_walk", (), False),
        ("clip7", ("walking",), True),
        ("runway_attack", (), False),
        ("walk", ("Strafe",), False),
    ],
)
def test_which_clips_are_plain_locomotion(name, words, walks):
    assert is_locomotion(name, words) == walks


def test_a_bad_file_and_a_jump_are_left_out_and_told(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "clips")
    (tmp_path / "clips" / "cut.bvh").write_text("HIERARCHY")
    clips, notes = motion_of([str(tmp_path / "clips")])
    assert len(clips) == 5
    assert "cut.bvh" in notes[0] and notes[1].startswith("1 clips were not taken")
    with pytest.raises(MovesetError, match=r"cut.bvh"):
        motion_of([str(tmp_path / "clips" / "cut.bvh")])


def test_senseless_options_are_refused():
    with pytest.raises(MovesetError, match="speed 99"):
        Play(speed=99)
    with pytest.raises(MovesetError, match="behavior 'fly'"):
        Play(behavior="fly")


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["play", *arguments])
    out = capsys.readouterr()
    return int(stopped.value.code or 0), out.out, out.err


def test_the_command_prints_measures_and_writes(folder, tmp_path, capsys):
    target = tmp_path / "walk.glb"
    code, out, _ = run(capsys, str(folder), "--path", "line", "--seconds", "3", "-o", str(target), "--json")
    answer = json.loads(out)
    assert code == 0 and target.exists() and answer["files"] == [str(target)]
    assert answer["measures"]["path_error"] < 1 and answer["report"]["controls"]["given"] == 90
    assert len(load(str(target)).clips[0]) == 90


@pytest.mark.parametrize(
    "arguments, said",
    [
        ((), "nothing to play"),
        (("nowhere",), "nowhere"),
        (("{folder}", "-o", "x.mp4"), "end it in .glb, .bvh, .gif or .png"),
        (("{folder}", "--path", "spiral"), "there is no path 'spiral'"),
        (("{folder}", "--where", "speed > 1"), "--where asks a library"),
        (("{folder}", "--speed", "9"), "m/s at most, 9 m/s were asked"),
        (("{folder}", "--characters", "0"), "0 characters"),
        (("{folder}", "--nudge", "nan"), "nudge is nan"),
        (("{folder}", "--to", "nope.glb"), "nope.glb: there is no such file"),
        (("{folder}", "--to", "{folder}/walk_100.bvh"), "holds no character with a mesh"),
        (("{folder}", "-o", "{folder}/walk_100.bvh"), "is an input and would be overwritten"),
        (("{folder}/walk_100.bvh#walk_100", "-o", "{folder}/walk_100.bvh"), "is an input"),
    ],
)
def test_mistakes_are_answered_in_a_sentence(folder, capsys, arguments, said):
    code, _, err = run(capsys, *(a.format(folder=folder) for a in arguments))
    assert code == 2 and said in err and "Traceback" not in err
