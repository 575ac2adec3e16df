"""Compiled loops of the learned controller: the queue of predicted states, and decoded numbers into poses."""

# ruff: noqa: ANN201, ANN202
from __future__ import annotations

import math

import numpy as np
from numba import njit

_HYSTERESIS = 0.1
"""A foot bears from a contact of 0.5 + this on, and no longer below 0.5 - this."""


@njit(cache=True, nogil=True)
def find_due(offsets, free, answered, jump, fractions, left, frames):
    """Characters that come to need a state within `frames` and have none left, or whose wish has jumped."""
    due = np.empty(len(left), dtype=np.int64)
    count = 0
    for n in range(len(left)):
        far = max(abs(offsets[n, -1, 0] - answered[n, 0]), abs(offsets[n, -1, 1] - answered[n, 1]))
        if _arrival(fractions[n], frames) > 1 and (left[n] <= 0 or (far > jump and not free[n])):
            due[count] = n
            count += 1
    return due[:count]


@njit(cache=True, inline="always")
def _arrival(fraction, frames):
    """Where a character gets, in frames from the state before its newest; on a state where rounding nearly says so."""
    end = fraction + frames
    return float(round(end)) if abs(end - round(end)) < 1e-6 else end


@njit(cache=True, nogil=True, error_model="numpy")
def advance(frames, context, queue, taken, left, gain, fps, fractions, steps, states) -> None:
    """Move all N characters on by `frames`, at most 1, from their `fractions` (N,) of the way to their newest state.

    Past it the next state of the queue becomes the newest. Writes the root's way (N, 3), and the state (N, S) in
    between: a cubic through the states before and after, which is the newest itself at 1.
    """
    count, length, size = context.shape
    for n in range(count):
        begin, end = fractions[n], _arrival(fractions[n], frames)
        # what is left of the way to the newest state, seen from where the character is on it
        side, forward, turn = _root(context[n, length - 1], gain, fps)
        share = min(end, 1.0) - begin
        x, z = _turned(share * side, share * forward, -begin * turn)
        turned = share * turn
        if end > 1:
            for c in range(length - 1):
                context[n, c] = context[n, c + 1]
            context[n, length - 1] = queue[n, taken[n]]
            taken[n] += 1
            left[n] -= 1
            end -= 1
            side, forward, turn = _root(context[n, length - 1], gain, fps)
            more_x, more_z = _turned(end * side, end * forward, turned)
            x, z, turned = x + more_x, z + more_z, turned + end * turn
        fractions[n] = end
        steps[n, 0], steps[n, 1], steps[n, 2] = x, z, turned
        a, b = context[n, length - 2], context[n, length - 1]
        before = context[n, max(length - 3, 0)]
        last = taken[n] >= queue.shape[1]
        after = queue[n, min(taken[n], queue.shape[1] - 1)]
        t = end
        for s in range(size):
            follows = 2 * b[s] - a[s] if last else after[s]
            leave, arrive = 0.5 * (b[s] - before[s]), 0.5 * (follows - a[s])
            states[n, s] = (
                a[s]
                + t * t * (3 - 2 * t) * (b[s] - a[s])
                + t * (1 - t) * ((1 - t) * leave - t * arrive)
            )  # fmt: skip


@njit(cache=True, inline="always")
def _root(state, gain, fps):
    """Side and forward [m], turn [rad] of one frame: affine in the last three numbers of a state."""
    size = len(state)
    out = (gain[3, 0], gain[3, 1], gain[3, 2])
    for k in range(3):
        v = state[size - 3 + k]
        out = (out[0] + v * gain[k, 0], out[1] + v * gain[k, 1], out[2] + v * gain[k, 2])
    return out[0] / fps, out[1] / fps, out[2] / fps


@njit(cache=True, inline="always")
def _turned(x, z, angle):
    """A floor vector turned by a heading."""
    sine, cosine = math.sin(angle), math.cos(angle)
    return x * cosine + z * sine, z * cosine - x * sine


@njit(cache=True, nogil=True, error_model="numpy")
def write_poses(decoded, places, contacts, turning, moving, columns, rotations, translations, bears) -> None:
    """Decoded 6D rotations (N, A, 6), translations (N, M, 3) and contacts (N, K) into the arrays of Poses.

    Gram-Schmidt as in geometry/rotation6d.py; each quaternion takes the sign nearer to the one it replaces.
    """
    for n in range(len(decoded)):
        for i in range(len(turning)):
            joint = turning[i]
            x, y, z, w = _quaternion(decoded[n, i])
            old = rotations[n, joint]
            if x * old[0] + y * old[1] + z * old[2] + w * old[3] < 0:
                x, y, z, w = -x, -y, -z, -w
            old[0], old[1], old[2], old[3] = x, y, z, w
        for i in range(len(moving)):
            for d in range(3):
                translations[n, moving[i], d] = places[n, i, d]
        for k in range(len(columns)):
            bar = 0.5 - _HYSTERESIS if bears[n, k] else 0.5 + _HYSTERESIS
            bears[n, k] = contacts[n, columns[k]] > bar


@njit(cache=True, inline="always")
def _quaternion(r):
    """x y z w of two columns of a matrix."""
    ax, ay, az = float(r[0]), float(r[1]), float(r[2])
    s = 1 / max(math.sqrt(ax * ax + ay * ay + az * az), 1e-12)
    ax, ay, az = ax * s, ay * s, az * s
    bx, by, bz = float(r[3]), float(r[4]), float(r[5])
    d = ax * bx + ay * by + az * bz
    bx, by, bz = bx - d * ax, by - d * ay, bz - d * az
    s = 1 / max(math.sqrt(bx * bx + by * by + bz * bz), 1e-12)
    bx, by, bz = bx * s, by * s, bz * s
    cx, cy, cz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    # from the largest of the four, so that no root is of nearly nothing
    trace = ax + by + cz
    if trace > 0:
        s = 2 * math.sqrt(1 + trace)
        return (bz - cy) / s, (cx - az) / s, (ay - bx) / s, s / 4
    if ax > by and ax > cz:
        s = 2 * math.sqrt(1 + ax - by - cz)
        return s / 4, (bx + ay) / s, (cx + az) / s, (bz - cy) / s
    if by > cz:
        s = 2 * math.sqrt(1 + by - ax - cz)
        return (bx + ay) / s, s / 4, (cy + bz) / s, (cx - az) / s
    s = 2 * math.sqrt(1 + cz - ax - by)
    return (cx + az) / s, (cy + bz) / s, s / 4, (ay - bx) / s
