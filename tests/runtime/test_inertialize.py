from __future__ import annotations

import numpy as np
import pytest

from moveset.geometry import quaternion, spring
from moveset.runtime.inertialize import jump, no_offsets, write_poses


def pose(database, offsets, rows, fractions):
    rotations = np.empty((len(rows), len(database.skeleton), 4))
    translations = np.zeros((len(rows), len(database.skeleton), 3))
    write_poses(database, offsets, rows, fractions, rotations, translations)
    return rotations, translations[:, database.moving]


@pytest.fixture
def database(matching):
    return matching.database


def test_rows_are_shown_as_they_are_stored(database):
    rows = np.array([5, 77, 200])
    rotations, translations = pose(database, no_offsets(database, 3), rows, np.zeros(3))
    np.testing.assert_allclose(rotations, database.rotations[rows], atol=1e-6)
    np.testing.assert_allclose(translations, database.moving_translations[rows], atol=1e-6)


def test_a_jump_is_continuous_in_value_and_velocity(database):
    rng = np.random.default_rng(0)
    count, dt = 40, 1e-4
    rows = rng.integers(2, database.stops[-1] - 2, count)
    rows = np.where(database.stops[rows] - rows < 2, rows - 2, rows)
    targets = database.searchable[rng.integers(0, len(database.searchable), count)]
    fractions = rng.uniform(0.1, 0.8, count)
    offsets = no_offsets(database, count)
    offsets.rotations[:] = rng.normal(size=offsets.rotations.shape) * 0.05
    offsets.translations[:] = rng.normal(size=offsets.translations.shape) * 0.02

    before = pose(database, offsets, rows, fractions)
    later = no_offsets(database, count)
    later.rotations[:], later.translations[:] = offsets.rotations, offsets.translations
    later.decay(1e9, dt)  # a half-life this long only lets the rates act
    old_next = pose(database, later, rows, fractions + dt * database.fps)

    jump(database, offsets, np.arange(count), rows, fractions, targets)
    after = pose(database, offsets, targets, np.zeros(count))
    assert quaternion.angle_between(before[0], after[0]).max() < 1e-6
    assert np.abs(before[1] - after[1]).max() < 1e-6

    offsets.decay(1e9, dt)
    new_next = pose(database, offsets, targets, np.full(count, dt * database.fps))
    old_rate = quaternion.to_rotation_vector(
        quaternion.multiply(old_next[0], quaternion.conjugate(before[0]))
    )
    new_rate = quaternion.to_rotation_vector(quaternion.multiply(new_next[0], quaternion.conjugate(after[0])))
    # rates of rotation vectors add up only for small offsets: a few per cent of the fastest joints
    size = np.abs(old_rate).max()
    assert np.abs(old_rate - new_rate).mean() < 0.02 * size
    np.testing.assert_allclose(new_next[1] - after[1], old_next[1] - before[1], atol=0.02 * dt)


def test_offsets_fade_as_the_spring_says(database):
    rng = np.random.default_rng(2)
    offsets = no_offsets(database, 3)
    offsets.steps[:] = rng.normal(size=offsets.steps.shape)
    value, rate = spring.decay(offsets.steps[:, 0], offsets.steps[:, 1], 0.13, 0.04)
    offsets.decay(0.13, 0.04)
    np.testing.assert_allclose(offsets.steps[:, 0], value)
    np.testing.assert_allclose(offsets.steps[:, 1], rate)


def test_offsets_fade_by_half_life(database):
    offsets = no_offsets(database, 1)
    offsets.rotations[..., 0, 0] = 0.4
    for _ in range(30):
        offsets.decay(0.1, 1 / 30)
    assert 0 < offsets.rotations[..., 0, 0].max() < 0.01
