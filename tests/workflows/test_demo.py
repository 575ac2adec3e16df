"""The whole journey, short: what the newcomer sees must be there, whole and readable."""

from __future__ import annotations

import re

import pytest

import moveset
from moveset.cli import main
from moveset.synthetic import synthesize
from moveset.workflows.demo import Demo, run_demo

CLIPS = ("wander_walk_1", "wander_walk_2", "walk_120", "walk_start", "walk_stop", "idle_relaxed")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    for name in CLIPS:
        moveset.write(moveset.Asset(clips=(synthesize(name),)), folder / "clips" / f"{name}.bvh")
    said: list[str] = []
    steps = run_demo(folder / "out", Demo((str(folder / "clips"),), "circle:3", 1.2, 4.0, 3), said.append)
    return folder / "out", steps, said


def test_every_file_that_is_named_is_there(made):
    out, steps, said = made
    files = [file for step in steps for file in step.files]
    assert {"audit.html", "moves.library", "walk.glb", "walk.bvh", "walk.gif", "crowd.gif"} == set(files)
    assert all((out / file).exists() for file in files)
    assert str(out / "report.html") in said[-1]


def test_the_report_refers_only_to_files_beside_it(made):
    out, _, _ = made
    page = (out / "report.html").read_text(encoding="utf-8")
    targets = re.findall(r'(?:href|src)="([^"]+)"', page)
    assert targets and all((out / target).exists() for target in targets)
    assert "distance to the path" in page and "nan" not in page


def test_the_walk_is_a_skinned_figure_that_went_where_it_was_asked(made):
    out, steps, _ = made
    asset = moveset.load(str(out / "walk.glb"))
    (clip,) = asset.clips
    assert asset.characters[0].meshes and len(clip) == 120
    hips = clip.world_positions[:, clip.skeleton.joint("hips")]
    assert abs(hips[-1, ::2] - hips[0, ::2]).max() > 1.0
    assert max(step.measures.get("path_distance", 0) for step in steps) < 0.25
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
