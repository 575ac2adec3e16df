"""What is made beside a bundle, and what an export that fails says."""

from __future__ import annotations

from pathlib import Path

import pytest

from moveset.errors import MovesetError
from moveset.workflows.training.place import beside, kept


@pytest.mark.parametrize(
    ("output", "stem"),
    [("a/walks.controller", "walks"), ("a/walks", "walks"), ("a/v1.2", "v1.2"), ("a/x y.autoencoder", "x y")],
)
def test_names_beside_a_bundle(output, stem):
    assert beside(output, ".set") == Path("a") / f"{stem}.set"


def test_a_controller_does_not_take_the_place_of_its_autoencoder():
    with pytest.raises(MovesetError, match=r"name the output NAME\.controller"):
        beside("walks.autoencoder", ".autoencoder")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            OSError(28, "No space left on device"),
            "w: cannot be written: No space left on device -- make room for it; ",
        ),
        (MovesetError("no", do="yes"), "w: no -- yes; "),
        (MovesetError("no", file="lod0.onnx"), "lod0.onnx: no -- "),
        (ValueError("odd"), "w: Moveset failed to write it: ValueError: odd -- report this; "),
    ],
)
def test_a_failed_export_tells_where_the_training_is(error, text):
    with pytest.raises(MovesetError) as told, kept("w"):
        raise error
    assert str(told.value) == f"{text}what was trained is kept in w.training: go on with --resume"
