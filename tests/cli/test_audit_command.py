"""`moveset audit`: exit codes, JSON, the lines a person reads."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from moveset import formats
from moveset.motion import Asset
from moveset.synthetic.corpus import synthesize


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    root = tmp_path_factory.mktemp("clips")
    walk, run = synthesize("walk_100"), synthesize("run_240")
    sunk = run.translations - (0, 1.0, 0) * (run.skeleton.parents < 0)[:, None]
    formats.write(Asset(clips=(replace(walk, name="walk"),)), root / "walk.bvh")
    formats.write(Asset(clips=(replace(run, name="sunk", translations=sunk),)), root / "sunk.bvh")
    return root


def test_lines_and_summary(clips, moveset):
    run = moveset("audit", clips)
    assert run.code == 0
    assert "2 clips in 2 files: 1 error, 0 warning, 1 ok" in run.out
    line = next(line for line in run.out.splitlines() if line.startswith("error"))
    assert "floor_offset the feet stand 1.00 m below the floor" in line
    assert "move the clip by +1.00 m" in line


def test_json(clips, moveset):
    run = moveset("audit", clips, "--json", "--only", "floor_offset")
    data = json.loads(run.out)
    assert (run.code, data["verdicts"]) == (0, {"error": 1, "ok": 1})
    assert data["counts"] == {"floor_offset": {"error": 1}}
    found = [f for clip in data["clips"] for f in clip["findings"]]
    assert [f["check"] for f in found] == ["floor_offset"]


def test_strict(clips, moveset):
    assert moveset("audit", clips, "--strict").code == 2
    assert moveset("audit", clips, "--strict", "--skip", "floor_offset").code == 0


def test_html(clips, tmp_path, moveset):
    page = tmp_path / "out" / "audit.html"
    run = moveset("audit", clips, "--html", page)
    assert run.code == 0
    assert page.stat().st_size > 10_000
    assert f"wrote {page}" in run.out


def test_bad_use_is_one_line(clips, tmp_path, moveset):
    for arguments, words in (
        ((tmp_path / "nothing",), "no such file"),
        ((clips, "--only", "pop"), "no check"),
        ((), "no input"),
    ):
        run = moveset("audit", *arguments)
        assert run.code == 2
        assert words in run.err
        assert run.err.count("\n") == 1


def test_a_page_never_takes_the_place_of_a_clip(clips, moveset):
    before = (clips / "walk.bvh").read_bytes()
    run = moveset("audit", clips, "--html", clips / "walk.bvh")
    assert run.code == 2
    assert "is no name for a page -- end it in .html" in run.err
    assert (clips / "walk.bvh").read_bytes() == before


def test_an_unreadable_file_shows_in_the_exit_status_and_costs_no_other(clips, tmp_path, moveset):
    (tmp_path / "cut.bvh").write_text("HIERARCHY")
    run = moveset("audit", clips / "walk.bvh", tmp_path)
    assert run.code == 2
    assert "2 clips in 2 files: 1 error, 0 warning, 1 ok" in run.out
