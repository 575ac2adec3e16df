"""`moveset render` as typed."""

import pytest

from moveset import formats
from moveset.motion import Asset
from moveset.synthetic import synthesize


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    path = tmp_path_factory.mktemp("walk") / "walk.bvh"
    formats.write(Asset(clips=(synthesize("walk_100").slice(0, 6),)), str(path))
    return path


def test_writes_and_says_so(walk, tmp_path, moveset):
    out = tmp_path / "out.gif"
    run = moveset("render", walk, "-o", out, "--view", "side", "--size", 64, "--every", 2)
    assert (run.code, run.err) == (0, "")
    assert run.out.strip() == f"wrote {out}"
    assert out.read_bytes().startswith(b"GIF89a")


def test_strip_flag(walk, tmp_path, moveset):
    assert moveset("render", walk, "-o", tmp_path / "strip.png", "--strip", "--size", 64).code == 0
    assert (tmp_path / "strip.png").read_bytes().startswith(b"\x89PNG")


def test_mistakes_take_one_line(walk, tmp_path, moveset):
    run = moveset("render", tmp_path / "none.bvh")
    assert run.code == 2
    assert run.err.count("\n") == 1
    run = moveset("render", walk, "-o", tmp_path / "a.tiff")
    assert run.code == 2
    assert "name a .png or .gif file" in run.err


def test_help_shows_an_example(moveset):
    assert "moveset render" in moveset("render", "--help").out
