from __future__ import annotations

import numpy as np
import pytest

from moveset.errors import MovesetError
from moveset.features.layout import Field, Layout
from moveset.features.normalizer import fit_normalizer

LAYOUT = Layout("test", (Field("a", (2, 3), "m"), Field("b", (), "rad", 2.0), Field("c", (4,), "m/s")))


def blocks(rng, *leading):
    return {f.name: rng.normal(size=(*leading, *f.shape)) for f in LAYOUT.fields}


@pytest.mark.parametrize("leading", [(), (5,), (2, 3)])
def test_unpack_is_the_inverse_of_pack(leading):
    given = blocks(np.random.default_rng(0), *leading)
    vectors = LAYOUT.pack(given)
    assert vectors.shape == (*leading, 11)
    for name, block in LAYOUT.unpack(vectors).items():
        assert np.array_equal(block, given[name])


def test_weights_follow_the_blocks():
    assert LAYOUT.weights.tolist() == [1] * 6 + [2] + [1] * 4


def test_wrong_blocks_are_refused_by_name():
    given = blocks(np.random.default_rng(0), 5)
    with pytest.raises(MovesetError, match="holds a, b, c; given: a, b"):
        LAYOUT.pack({k: given[k] for k in ("a", "b")})
    with pytest.raises(MovesetError, match=r"b has shape \(5, 1\), expected \(5,\)"):
        LAYOUT.pack({**given, "b": given["b"][:, None]})
    with pytest.raises(MovesetError, match="has 11 numbers, the vectors have 10"):
        LAYOUT.unpack(np.zeros((3, 10)))


def test_signatures_tell_layouts_apart():
    renamed = Layout("test", (Field("x", (2, 3), "m"), *LAYOUT.fields[1:]))
    heavier = Layout("other", (Field("a", (2, 3), "m", 3.0), *LAYOUT.fields[1:]))
    assert LAYOUT.signature != renamed.signature
    assert LAYOUT.signature == heavier.signature  # weights do not change what the numbers mean


def test_the_normalizer_has_one_scale_a_block_and_an_inverse():
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(500, 11)) * np.r_[np.full(6, 3.0), 0, np.full(4, 0.1)] + 7
    normalizer = fit_normalizer(vectors, LAYOUT)
    assert len(set(normalizer.scale[:6])) == 1 and normalizer.scale[0] == pytest.approx(3, rel=0.05)
    assert normalizer.scale[6] == 1e-3  # a number that never moves
    normalized = normalizer.normalize(vectors)
    np.testing.assert_allclose(normalized.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(normalizer.denormalize(normalized), vectors)
