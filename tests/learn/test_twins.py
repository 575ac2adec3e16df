"""The maths of `learn` gives the numbers of `geometry` and `motion`, and gradients that are finite everywhere."""

from __future__ import annotations

import inspect
from importlib import import_module

import numpy as np
import pytest
import torch

from moveset.geometry import quaternion as truth

PARENTS = (-1, 0, 1, 1, 0, 4, -1, 6)
SHAPES = [(), (3,), (2, 1, 3), (0,)]
HALF = np.sqrt(0.5)
SPECIAL = {
    "none": [0, 0, 0, 1],
    "half x": [1, 0, 0, 0],
    "half z": [0, 0, 1, 0],
    "half xy": [HALF, HALF, 0, 0],
    "quarter, negated": [0, -HALF, 0, -HALF],
}
ANGLES = {
    "1e-9": 1e-9,
    "1e-5": 1e-5,
    "2e-3": 2e-3,
    "0.02": 0.02,
    "any": 2.0,
    "near a half turn": np.pi - 1e-3,
}
KINDS = [*SPECIAL, *ANGLES]


def rotations(rng, shape, kind):
    if kind in SPECIAL:
        return np.broadcast_to(np.array(SPECIAL[kind], dtype=float), (*shape, 4)).copy()
    axes = rng.normal(size=(*shape, 3))
    axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
    return truth.from_axis_angle(axes, np.full(shape, ANGLES[kind]))


def vectors(rng, shape):
    return rng.normal(size=(*shape, 3))


def pair(rng, shape, kind):
    """Two rotations that are `kind` apart."""
    a = rotations(rng, shape, "any")
    return a, truth.multiply(a, rotations(rng, shape, kind))


def directions(rng, shape, kind):
    a = vectors(rng, shape)
    return a, truth.rotate(rotations(rng, shape, kind), a) * 1.7


def six(rng, shape, kind):
    m = truth.to_matrix(rotations(rng, shape, kind))
    return np.concatenate((m[..., :, 0] * 2, m[..., :, 1] * 0.5 + m[..., :, 0]), axis=-1)


def affine(rng, shape, kind):
    m = np.zeros((*shape, 4, 4))
    scales = rng.uniform(0.5, 2, (*shape, 1, 3)) * [-1, 1, 1]
    m[..., :3, :3] = truth.to_matrix(rotations(rng, shape, kind)) * scales
    m[..., :3, 3], m[..., 3, 3] = vectors(rng, shape), 1
    return m


def pose(rng, shape, kind):
    joints = (*shape, len(PARENTS))
    return rotations(rng, joints, kind), vectors(rng, joints), PARENTS


AXIS = np.array([0.6, 0.0, 0.8])
ARGUMENTS = {
    "vector": {"unit": lambda r, s, k: [vectors(r, s) * (k != "none")]},
    "quaternion": {
        "normalize": lambda r, s, k: [rotations(r, s, k) * 1.3 * (k != "half x")],
        "multiply": pair,
        "conjugate": lambda r, s, k: [rotations(r, s, k)],
        "inverse_multiply": pair,
        "rotate": lambda r, s, k: [rotations(r, s, k), vectors(r, s)],
        "inverse_rotate": lambda r, s, k: [rotations(r, s, k), vectors(r, s)],
        "cross": lambda r, s, k: [vectors(r, s), vectors(r, s)],
        "from_rotation_vector": lambda r, s, k: [truth.to_rotation_vector(rotations(r, s, k))],
        "to_rotation_vector": lambda r, s, k: [rotations(r, s, k)],
        "from_axis_angle": lambda r, s, k: [AXIS, truth.angle(rotations(r, s, k))],
        "to_matrix": lambda r, s, k: [rotations(r, s, k)],
        "from_matrix": lambda r, s, k: [truth.to_matrix(rotations(r, s, k))],
        "between": directions,
        "positive": lambda r, s, k: [rotations(r, s, k)],
        "unroll": lambda r, s, k: [rotations(r, (5, *s), k) * r.choice([-1, 1], (5, *s, 1))],
        "slerp": lambda r, s, k: [*pair(r, s, k), r.uniform(size=s)],
        "angle": lambda r, s, k: [rotations(r, s, k)],
        "angle_between": pair,
        "swing_twist": lambda r, s, k: [rotations(r, s, k), AXIS],
    },
    "rotation6d": {
        "from_quaternion": lambda r, s, k: [rotations(r, s, k)],
        "to_quaternion": lambda r, s, k: [six(r, s, k)],
        "from_matrix": lambda r, s, k: [truth.to_matrix(rotations(r, s, k))],
        "to_matrix": lambda r, s, k: [six(r, s, k)],
    },
    "transform": {
        "compose": lambda r, s, k: [vectors(r, s), rotations(r, s, k), np.exp(vectors(r, s))],
        "decompose": lambda r, s, k: [affine(r, s, k)],
        "from_linear": lambda r, s, k: [affine(r, s, k)[..., :3, :3], vectors(r, s)],
        "inverse": lambda r, s, k: [affine(r, s, k)],
        "apply": lambda r, s, k: [affine(r, s, k), vectors(r, s)],
        "apply_direction": lambda r, s, k: [affine(r, s, k), vectors(r, s)],
    },
    "kinematics": {"forward_kinematics": pose, "inverse_kinematics": pose},
}
NOT_TWINS = {"vector": {"length"}}
CASES = [(room, name) for room, functions in ARGUMENTS.items() for name in functions]
AMBIGUOUS = {"between", "slerp", "angle_between"}
"""Functions whose result or gradient jumps at a half turn."""


def twins(room, name):
    home = "motion" if room == "kinematics" else "geometry"
    return (
        getattr(import_module(f"moveset.{home}.{room}"), name),
        getattr(import_module(f"moveset.learn.{room}"), name),
    )


def arguments(room, name, kind, shape, seed, dtype=np.float64):
    rng = np.random.default_rng(seed)
    given = ARGUMENTS[room][name](rng, shape, kind)
    return [np.asarray(a, dtype) if isinstance(a, np.ndarray | np.floating) else a for a in given]


def tensors(given, gradient=False):
    return [
        torch.from_numpy(a.copy()).requires_grad_(gradient) if isinstance(a, np.ndarray) else a for a in given
    ]


def listed(result):
    return list(result) if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("room", ARGUMENTS)
def test_every_twin_is_here_by_the_name_of_its_original(room):
    module = import_module(f"moveset.learn.{room}")
    public = {
        name
        for name, f in inspect.getmembers(module, inspect.isfunction)
        if f.__module__ == module.__name__ and not name.startswith("_")
    }
    assert public - NOT_TWINS.get(room, set()) == set(ARGUMENTS[room])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("room", "name"), CASES)
def test_twins_give_the_same_numbers(room, name, dtype):
    original, twin = twins(room, name)
    for kind in KINDS:
        if name in AMBIGUOUS and kind.startswith("half"):
            continue
        tolerance = 1e-11
        if dtype == np.float32:  # angles between nearly equal rotations are noise in both
            tolerance = 2e-3 if name in ("slerp", "angle_between") else 1e-5
        for shape in SHAPES:
            for seed in range(2):
                given = arguments(room, name, kind, shape, seed, dtype)
                expected, found = listed(original(*given)), listed(twin(*tensors(given)))
                for e, f in zip(expected, found, strict=True):
                    message = f"{kind} {shape} {seed}"
                    assert f.numpy().dtype == dtype, message
                    np.testing.assert_allclose(f.numpy(), e, rtol=tolerance, atol=tolerance, err_msg=message)


@pytest.mark.parametrize(("room", "name"), CASES)
def test_gradients_are_finite_everywhere(room, name):
    _, twin = twins(room, name)
    for dtype in (np.float32, np.float64):
        for kind in KINDS:
            given = tensors(arguments(room, name, kind, (3,), 0, dtype), gradient=True)
            results = listed(twin(*given))
            torch.stack(
                [(r * torch.arange(1, r.numel() + 1).reshape(r.shape)).sum() for r in results]
            ).sum().backward()
            for tensor in given:
                if isinstance(tensor, torch.Tensor):
                    assert tensor.grad is not None and torch.isfinite(tensor.grad).all(), (kind, dtype)


SMOOTH_AT_REST = {"from_rotation_vector", "to_rotation_vector", "to_matrix", "from_matrix", "slerp"}


@pytest.mark.parametrize(("room", "name"), CASES)
def test_gradients_are_those_of_finite_differences(room, name):
    _, twin = twins(room, name)
    for kind in ["any", *(["none", "2e-3", "0.02"] if name in SMOOTH_AT_REST else [])]:
        given = tensors(arguments(room, name, kind, (2,), 1), gradient=True)
        constant = [a for a in given if not isinstance(a, torch.Tensor)]
        free = [a for a in given if isinstance(a, torch.Tensor)]
        assert torch.autograd.gradcheck(lambda *a, c=constant: twin(*a, *c), free, atol=1e-6), kind


def test_an_angle_has_no_gradient_where_there_is_no_rotation():
    q = torch.tensor([[0.0, 0, 0, 1]], requires_grad=True)
    import_module("moveset.learn.quaternion").angle(q).sum().backward()
    assert q.grad is not None and q.grad.tolist() == [[0, 0, 0, 0]]


def test_a_few_joints_are_those_of_the_whole():
    original, twin = twins("kinematics", "forward_kinematics")
    given = arguments("kinematics", "forward_kinematics", "any", (4,), 0)
    expected = original(*given)
    found = twin(*tensors(given), joints=(5, 2, 0))
    for e, f in zip(expected, found, strict=True):
        np.testing.assert_allclose(f.numpy(), e[:, [5, 2, 0]], atol=1e-12)
