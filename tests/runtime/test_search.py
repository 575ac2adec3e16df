from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moveset.runtime.search import build_tree


def naive(vectors: np.ndarray, query: np.ndarray) -> tuple[int, np.float32]:
    """First nearest row, squares summed in float32 in the order of the dimensions."""
    total = np.zeros(len(vectors), np.float32)
    for d in range(vectors.shape[1]):
        gap = query[d] - vectors[:, d]
        total += gap * gap
    return int(total.argmin()), total.min()


def walk_like(rng: np.random.Generator, rows: int, width: int) -> np.ndarray:
    """Neighbouring rows alike, as in clips."""
    return np.cumsum(rng.normal(size=(rows, width)) * 0.1, axis=0).astype(np.float32)


@settings(max_examples=40, deadline=None)
@given(rows=st.integers(1, 5000), width=st.integers(1, 40), seed=st.integers(0, 2**31), smooth=st.booleans())
def test_the_nearest_row_is_that_of_the_plain_loop(rows, width, seed, smooth):
    rng = np.random.default_rng(seed)
    vectors = walk_like(rng, rows, width) if smooth else rng.normal(size=(rows, width)).astype(np.float32)
    queries = (
        vectors[rng.integers(0, rows, 5)] + rng.normal(size=(5, width)) * rng.choice([0.0, 0.1, 3.0])
    ).astype(np.float32)
    found, costs = build_tree(vectors).nearest(queries)
    for query, row, cost in zip(queries, found, costs):
        assert (row, cost) == naive(vectors, query)


def test_of_equal_rows_the_first_is_found():
    vectors = np.tile(np.arange(300, dtype=np.float32)[:, None] % 50, (1, 3))
    found, costs = build_tree(vectors).nearest(np.full((1, 3), 17, np.float32))
    assert found[0] == 17 and costs[0] == 0


def test_a_bound_refuses_rows_that_are_not_nearer():
    vectors = np.arange(1000, dtype=np.float32)[:, None]
    tree = build_tree(vectors)
    query = np.array([[500.25]], np.float32)
    assert tree.nearest(query, np.array([0.0625]))[0][0] == -1
    assert tree.nearest(query, np.array([0.0626]))[0][0] == 500


def test_queries_do_not_influence_each_other():
    rng = np.random.default_rng(3)
    vectors = walk_like(rng, 4000, 27)
    queries = vectors[::137] + 0.05
    tree = build_tree(vectors)
    alone = [tree.nearest(query[None])[0][0] for query in queries]
    assert tree.nearest(queries)[0].tolist() == alone


@pytest.mark.slow
def test_a_hundred_thousand_rows():
    rng = np.random.default_rng(5)
    vectors = walk_like(rng, 100_000, 27)
    tree = build_tree(vectors)
    queries = vectors[rng.integers(0, len(vectors), 50)] + rng.normal(size=(50, 27)).astype(np.float32)
    found, _ = tree.nearest(queries)
    assert found.tolist() == [naive(vectors, query)[0] for query in queries]
