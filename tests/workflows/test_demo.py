"""The whole journey, short: what the newcomer sees must be there, whole and readable."""

from __future__ import annotations

import re

import pytest

import moveset
from moveset.cli import main
from moveset.synthetic import synthesize
from moveset.workflows import demo
from moveset.workflows.demo import Demo, run_demo
from moveset.workflows.demo_learned import teach
from moveset.workflows.demo_report import Step

CLIPS = ("wander_walk_1", "wander_walk_2", "walk_120", "walk_start", "walk_stop", "idle_relaxed")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    for name in CLIPS:
        moveset.write(moveset.Asset(clips=(synthesize(name),)), folder / "clips" / f"{name}.bvh")
    said: list[str] = []
    steps = run_demo(folder / "out", Demo((str(folder / "clips"),), "circle:3", 1.2, 4.0, 3, 6), said.append)
    return folder / "out", steps, said


def test_every_file_that_is_named_is_there(made):
    out, steps, said = made
    files = [file for step in steps for file in step.files]
    assert set(files) == {
        *("audit.html", "moves.library", "walk.glb", "walk.bvh", "walk.gif", "crowd.gif"),
        *("moves.autoencoder", "moves.controller", "beside.gif", "learned.glb", "learned_crowd.gif"),
    }
    assert all((out / file).exists() for file in files)
    assert str(out / "report.html") in said[-1]


def test_the_report_refers_only_to_files_beside_it(made):
    out, _, _ = made
    page = (out / "report.html").read_text(encoding="utf-8")
    targets = re.findall(r'(?:href|src)="([^"]+)"', page)
    assert targets and all((out / target).exists() for target in targets)
    assert "distance to the path" in page and "nan" not in page
    assert "moves.controller.training/lod0/losses.png" in targets


def test_the_learned_character_stands_beside_motion_matching(made):
    out, steps, said = made
    beside = next(step for step in steps if "beside" in step.title)
    assert list(beside.measures) == ["motion matching", "learned"]
    asked, came = (set(measures) for measures in beside.measures.values())
    assert asked == came and "pose_ratio" in asked
    taught = next(step for step in steps if step.title.startswith("Train"))
    assert {row[0] for row in taught.table.rows} >= {
        "moves.controller/lod0.onnx",
        "moves.controller/bundle.json",
        "moves.autoencoder/decoder.onnx",
    }
    assert len(moveset.load(str(out / "learned.glb")).clips[0]) == 120
    assert any("steps of" in line for line in said)


def test_a_second_demo_trains_anew(made):
    out, _, _ = made
    before = (out / "moves.controller" / "bundle.json").read_bytes()
    teach(out / "moves.library", 3, Step("again"), lambda text: None)
    assert (out / "moves.controller" / "bundle.json").read_bytes() != before


def test_without_the_extra_it_goes_on_and_says_what_to_install(made, tmp_path, monkeypatch):
    out, _, _ = made
    lacking = "training needs torch -- pip install 'moveset[learn]'"
    monkeypatch.setattr(demo, "not_taught", lambda: lacking)
    steps = run_demo(tmp_path, Demo((str(out.parent / "clips"),), "line", 1.2, 3.0, 2), lambda text: None)
    assert steps[-1].lines == [f"left out: {lacking}"]
    assert "left out: training needs torch" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not (tmp_path / "moves.controller").exists()


def test_the_walk_is_a_skinned_figure_that_went_where_it_was_asked(made):
    out, steps, _ = made
    asset = moveset.load(str(out / "walk.glb"))
    (clip,) = asset.clips
    assert asset.characters[0].meshes and len(clip) == 120
    hips = clip.world_positions[:, clip.skeleton.joint("hips")]
    assert abs(hips[-1, ::2] - hips[0, ::2]).max() > 1.0
    walked = next(step.measures for step in steps if "walk.glb" in step.files)
    assert walked["motion matching"]["path_distance"] < 0.25
    bvh = moveset.load_clip(str(out / "walk.bvh"))
    head = clip.world_positions[:, clip.skeleton.joint("head")]
    assert abs(bvh.world_positions[:, bvh.skeleton.joint("head")] - head).max() < 1e-3


def test_nothing_fit_for_a_library_is_said_in_a_line(tmp_path, capsys):
    still = synthesize("idle_relaxed").slice(0, 1)
    moveset.write(moveset.Asset(clips=(still,)), tmp_path / "one.bvh")
    with pytest.raises(SystemExit) as stop:
        main(["demo", str(tmp_path / "one.bvh"), "-o", str(tmp_path / "out")])
    assert stop.value.code == 2
    assert "no clip was fit for it (too_short 1)" in capsys.readouterr().err
