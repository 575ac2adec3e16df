"""Outputs that cannot be, and inputs of another kind, are refused in one line before any work is done."""

from __future__ import annotations

import pytest

import moveset as package
from handmade import handmade
from moveset import Asset
from moveset.library.training_set import SetClip, write_set
from moveset.synthetic import synthesize

pytest.importorskip("torch")
from handmade_bundle import write_handmade

BEYOND = "which is replaced as a whole -- give another output"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A training set, a bundle, a file and a folder, with a space and a letter that is not ASCII in their path."""
    place = tmp_path_factory.mktemp("früh ab")
    walk = synthesize("walk_120")
    write_set(place / "walk.set", [SetClip(walk, "real")], {"real": 1.0})
    write_handmade(place / "walk.controller", handmade())
    package.write(Asset(clips=(walk,)), place / "walk.bvh")
    (place / "notes").mkdir()
    (place / "notes" / "mine.txt").write_text("mine")
    return place


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("train autoencoder walk.set -o notes", "notes: is there and is no bundle -- give another output"),
        ("train autoencoder walk.set -o walk.bvh", "walk.bvh: is there and is no bundle"),
        ("train autoencoder walk.set -o walk.controller", "is there and is of kind 'controller', not 'autoencoder'"),
        ("train autoencoder walk.set -o walk.set/a.autoencoder", BEYOND),
        ("train controller walk.set -o walk.controller/a.controller", BEYOND),
        ("train controller walk.set -o walk.bvh/a.controller", "cannot be made"),
        ("train controller walk.set -o a.set --steps 0", "steps of the training is 0"),
        ("train controller walk.bvh -o a.controller --seed -1", "seed of the training is -1"),
        ("train controller walk.bvh -o a.controller --autoencoder walk.controller", "not 'autoencoder'"),
        ("train controller walk.bvh -o a.controller --autoencoder nowhere", "nowhere: there is no such bundle"),
        ("train controller walk.controller -o b.controller", "walk.controller: is a bundle, not clips"),
        ("train controller walk.set walk.bvh -o b.controller", "walk.set: is a training set, not clips"),
        ("play walk.set", "walk.set: is a training set, not clips"),
        ("play walk.controller walk.bvh", "walk.controller: is a bundle, not clips"),
        ("play walk.controller -o walk.controller/walk.glb", f"walk.controller, {BEYOND}"),
        ("play walk.bvh -o walk.set/walk.gif", f"walk.set, {BEYOND}"),
        ("evaluate controller walk.controller -o walk.controller/report", f"walk.controller, {BEYOND}"),
        ("evaluate autoencoder walk.controller --on walk.set --html walk.set/a.html", f"walk.set, {BEYOND}"),
        ("evaluate controller walk.controller -o walk.bvh", "walk.bvh: is there and is no folder"),
        ("evaluate controller walk.controller -o walk.bvh/report", "walk.bvh/report: cannot be made"),
        ("evaluate autoencoder walk.controller --on walk.set", "is of kind 'controller', not 'autoencoder'"),
        ("evaluate autoencoder walk.set --on walk.set", "walk.set: is no bundle: it has no bundle.json"),
    ],
)  # fmt: skip
def test_refused(moveset, place, monkeypatch, asked, text):
    monkeypatch.chdir(place)
    before = sorted(str(path.relative_to(place)) for path in place.rglob("*"))
    told = moveset(*asked.split())
    assert told.code == 2 and text in told.err and told.err.count("\n") == 1 and not told.out
    assert sorted(str(path.relative_to(place)) for path in place.rglob("*")) == before
