from __future__ import annotations

import json

import numpy as np
import pytest

from handmade import handmade
from moveset import formats
from moveset.cli import main
from moveset.errors import MovesetError
from moveset.motion import Asset
from moveset.rigs.mannequin import mannequin
from moveset.runtime.evaluation.reference import references, to_manifest
from moveset.synthetic.corpus import synthesize
from moveset.workflows.load import load
from moveset.workflows.play import Play, play

pytest.importorskip("torch")
from handmade_bundle import write_handmade


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return write_handmade(tmp_path_factory.mktemp("bundles") / "made.controller", handmade())


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["play", *arguments])
    out = capsys.readouterr()
    return int(stopped.value.code or 0), out.out, out.err


def test_a_bundle_walks_a_path(bundle, tmp_path, capsys):
    code, said, _ = run(
        capsys, str(bundle.path), "--path", "eight", "--seconds", "6", "-o", str(tmp_path / "w.bvh")
    )
    assert code == 0
    assert "made: regression, LOD0; license of its data: CC0-1.0" in said
    assert "carries no measures of real clips" in said and "jerk" not in said
    clip = load(str(tmp_path / "w.bvh")).clips[0]
    hips = clip.world_positions[:, clip.skeleton.joint("hips")]
    assert np.linalg.norm(np.diff(hips[:, ::2], axis=0), axis=-1).sum() == pytest.approx(7.2, rel=0.1)


def test_figures_stand_beside_those_that_it_carries(tmp_path):
    clips = [synthesize(name) for name in ("walk_100", "walk_120", "walk_curve_left_15")]
    said, arrays = to_manifest(references(clips[:2], clips[2:]))
    own = write_handmade(tmp_path / "own.controller", handmade(), {"reference": arrays}, reference=said)
    measures = play([str(own.path)], Play(path="circle:3", seconds=6, lod=1)).measures
    assert 0.3 < measures["jerk_ratio"] < 1.5 and measures["foot_skate_real"] > 0


def test_or_beside_clips_that_are_named(bundle, tmp_path):
    clip = synthesize("walk_120")
    formats.write(Asset(characters=(mannequin(clip.skeleton),), clips=(clip,)), tmp_path / "walk_120.glb")
    played = play([str(bundle.path)], Play(path="line", seconds=5, against=str(tmp_path / "walk_120.glb")))
    assert played.measures["pose_distance"] < 0.05 and played.notes == ()
    formats.write(Asset(clips=(clip,)), tmp_path / "other_walk.bvh")  # a file of its own order of joints
    with pytest.raises(MovesetError, match="is on another skeleton than the controller"):
        play([str(bundle.path)], Play(path="line", seconds=5, against=str(tmp_path / "other_walk.bvh")))


@pytest.mark.parametrize("behavior", ["velocity", "target", "idle", "wander"])
def test_all_behaviors(bundle, behavior):
    played = play([str(bundle.path)], Play(behavior=behavior, seconds=6, characters=3, target=(1.0, 2.0)))
    walked = np.linalg.norm(played.run.positions[-1] - played.run.positions[0], axis=-1)
    if behavior == "target":
        assert played.measures["target_distance"] < 0.1 and played.measures["arrived"] == 1
    assert (walked < 0.2).all() if behavior == "idle" else (walked > 1).any()


def test_wishes_beyond_the_data_are_told(bundle, capsys):
    code, said, _ = run(
        capsys, str(bundle.path), "--path", "line", "--speed", "5", "--seconds", "3", "--json"
    )
    report = json.loads(said)["report"]["controls"]
    assert code == 0 and report["clamped"] > 60
    _, said, _ = run(capsys, str(bundle.path), "--path", "line", "--speed", "5", "--seconds", "3")
    assert "wishes went beyond what the controller's data held" in said


def test_what_is_no_controller_or_level_is_refused(bundle, tmp_path, capsys):
    code, _, said = run(capsys, str(bundle.path), "--lod", "7")
    assert code == 2 and "no level of detail 7" in said
    with pytest.raises(MovesetError, match="target"):
        Play(behavior="target", target=(np.nan, 0.0))
