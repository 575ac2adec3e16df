"""How a controller is to be run, to the manifest and back; what cannot be run is refused."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path

import pytest

from moveset.bundle import ControllerSpec, LevelOfDetail, open_bundle
from moveset.errors import MovesetError

GOLDEN = Path(__file__).parents[1] / "golden" / "bundle-v1" / "walker.controller"


@pytest.fixture
def said():
    return deepcopy(open_bundle(GOLDEN).manifest["controller"])


def test_it_comes_back(said):
    spec = ControllerSpec.from_json(said, GOLDEN)
    assert spec.lods[1] == LevelOfDetail("LOD1", "lod1.onnx", "decoder.onnx", steps=2)
    again = json.loads(json.dumps(spec.to_json()))
    assert ControllerSpec.from_json(again, GOLDEN) == spec
    assert {key: again[key] for key in said if key != "lods"} == {
        k: v for k, v in said.items() if k != "lods"
    }


def test_what_a_later_version_says_beside_it_is_left_out(said):
    spec = ControllerSpec.from_json(said, GOLDEN)
    said["weather"], said["lods"][0]["colour"] = "fair", "red"
    assert ControllerSpec.from_json(said, GOLDEN) == spec


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda said: said.pop("chunk"), "does not say 'chunk'"),
        (lambda said: said.update(execute=9), "9 of 8 executed"),
        (lambda said: said.update(context=1), "a context of 1 states"),
        (lambda said: said.update(fps="fast"), "fast"),
        (lambda said: said.update(lods=[]), "no level of detail"),
        (lambda said: said["lods"][0].pop("decoder"), "decoder"),
        (lambda said: said["times"].pop(), "a control range of"),
    ],
)
def test_what_cannot_be_run_is_refused(said, change, why):
    change(said)
    with pytest.raises(MovesetError, match=f"cannot be run: .*{why}.*export the controller again"):
        ControllerSpec.from_json(said, GOLDEN)
