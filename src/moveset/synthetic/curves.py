"""Curves over time: easing, quintic Hermite segments, auto-clamped keys, smoothing, noise that any rate samples alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from moveset.conventions import GRAVITY
from moveset.geometry import quaternion, signal
from moveset.geometry.quaternion import Array


def minimum_jerk(x: ArrayLike) -> Array:
    """0 to 1 with zero velocity and acceleration at both ends (Flash and Hogan 1985); clipped outside."""
    u = np.asarray(np.clip(x, 0, 1), dtype=float)
    return u * u * u * (10 + u * (6 * u - 15))


def pulse(u: ArrayLike, rise: float = 2, fall: float = 2) -> Array:
    """0 to 1 to 0 over u from 0 to 1, C1 at both ends for powers of 2 and more; the peak lies at rise / (rise + fall)."""
    u = np.clip(u, 0, 1)
    peak = rise / (rise + fall)
    return (u / peak) ** rise * ((1 - u) / (1 - peak)) ** fall


def quintic(
    u: Array,
    start: Array | float,
    start_rate: Array | float,
    end: Array | float,
    end_rate: Array | float,
    start_bend: Array | float = 0.0,
    end_bend: Array | float = 0.0,
) -> Array:
    """Quintic Hermite segment over u in [0, 1]: first (rate) and second (bend) derivatives by u at both ends."""
    u2, u3 = u * u, u * u * u
    u4, u5 = u2 * u2, u2 * u3
    return (
        (1 - 10 * u3 + 15 * u4 - 6 * u5) * start
        + (u - 6 * u3 + 8 * u4 - 3 * u5) * start_rate
        + (0.5 * u2 - 1.5 * u3 + 1.5 * u4 - 0.5 * u5) * start_bend
        + (10 * u3 - 15 * u4 + 6 * u5) * end
        + (-4 * u3 + 7 * u4 - 3 * u5) * end_rate
        + (0.5 * u3 - u4 + 0.5 * u5) * end_bend
    )


STROKE = 1.875
"""Speed in the middle of a minimum-jerk movement over its mean speed."""


def through(knots: ArrayLike, keys: ArrayLike, times: Array, strokes: Sequence[int] = ()) -> Array:
    """Smooth curve through keys (K, ...) at `knots` (K,): C2, level at extremes and ends, so it never overshoots.

    Tangents are the harmonic mean of the neighbouring slopes where they agree in sign (Fritsch and Butland 1984);
    the segments are quintic with zero second derivative at the keys. A key numbered in `strokes` lies on one
    movement from rest at the key before to rest at the key after, fastest there.
    """
    knots, keys = np.asarray(knots, dtype=float), np.asarray(keys, dtype=float)
    if len(knots) == 1:
        return np.broadcast_to(keys[0], (*times.shape, *keys.shape[1:])).copy()
    shape = (-1,) + (1,) * (keys.ndim - 1)
    spans = np.diff(knots)
    slopes = np.diff(keys, axis=0) / spans.reshape(shape)
    tangents = np.zeros_like(keys)
    before, after = slopes[:-1], slopes[1:]
    agree = before * after > 0
    w0, w1 = (2 * spans[1:] + spans[:-1]).reshape(shape), (spans[1:] + 2 * spans[:-1]).reshape(shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        harmonic = (w0 + w1) / (w0 / before + w1 / after)
    tangents[1:-1] = np.where(agree, harmonic, 0)
    for k in strokes:
        tangents[k - 1 : k + 2] = 0
    at = np.clip(times, knots[0], knots[-1])
    k = np.clip(np.searchsorted(knots, at, side="right") - 1, 0, len(spans) - 1)
    span = spans[k]
    u = ((at - knots[k]) / span).reshape(shape)
    scale = span.reshape(shape)
    out = quintic(u, keys[k], tangents[k] * scale, keys[k + 1], tangents[k + 1] * scale)
    for k in strokes:
        inside = (at > knots[k - 1]) & (at < knots[k + 1])
        out[inside] = _stroke(knots[k - 1 : k + 2], keys[k - 1 : k + 2], at[inside])
    return out


def _stroke(knots: Array, keys: Array, times: Array) -> Array:
    """One movement along the parabola through three keys (3, ...), from rest to rest, timed by the way it has gone.

    Each coordinate by itself would stop where it turns round, and the whole would be fastest before the middle key.
    """
    first, second, third = keys.reshape(3, -1)
    ways = np.linalg.norm((second - first, third - second), axis=1)
    middle = float(np.clip(ways[0] / max(ways.sum(), 1e-9), 0.1, 0.9))

    def parabola(u: Array) -> Array:
        u = u[:, None]
        out = (u - middle) * (u - 1) / middle * first
        out = out + u * (1 - u) / (middle * (1 - middle)) * second
        return out + u * (u - middle) / (1 - middle) * third

    # so fine that a straight line between two samples is off by less than a thousandth of a millimetre
    u = np.linspace(0, 1, 1025)
    gone = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(parabola(u), axis=0), axis=1))))
    gone = gone / gone[-1] if gone[-1] > 0 else u
    half = float(np.interp(middle, u, gone))
    spans = np.diff(knots)
    speed = STROKE * min(1 / spans.sum(), *(np.array([half, 1 - half]) / spans))
    late = times > knots[1]
    v = np.where(late, (times - knots[1]) / spans[1], (times - knots[0]) / spans[0])
    way = np.where(
        late, quintic(v, half, speed * spans[1], 1.0, 0.0), quintic(v, 0.0, 0.0, half, speed * spans[0])
    )
    return parabola(np.interp(way, gone, u)).reshape(-1, *keys.shape[1:])


def aim_through(knots: ArrayLike, aims: ArrayLike, times: Array, strokes: Sequence[int] = ()) -> Array:
    """(T, 3) unit directions along great circles from key to key (K, 3); at rest at each key but in `strokes`."""
    moments = np.asarray(knots, dtype=float)
    ways = np.asarray(aims, dtype=float)
    ways = ways / np.linalg.norm(ways, axis=1, keepdims=True)
    if len(ways) == 1:
        return np.broadcast_to(ways[0], (*times.shape, 3)).copy()
    angles = np.arccos(np.clip(np.einsum("ki,ki->k", ways[:-1], ways[1:]), -1, 1))
    spans = np.diff(moments)
    speeds = np.zeros(len(moments))
    for k in strokes:
        mean = (angles[k - 1] + angles[k]) / (moments[k + 1] - moments[k - 1])
        speeds[k] = STROKE * min(mean, angles[k - 1] / spans[k - 1], angles[k] / spans[k])
    at = np.clip(times, moments[0], moments[-1])
    k = np.clip(np.searchsorted(moments, at, side="right") - 1, 0, len(spans) - 1)
    u = (at - moments[k]) / spans[k]
    gone = quintic(u, 0.0, speeds[k] * spans[k], angles[k], speeds[k + 1] * spans[k])
    share = np.where(angles[k] > 1e-6, gone / np.maximum(angles[k], 1e-6), 0.0)
    turn = quaternion.to_rotation_vector(quaternion.between(ways[:-1], ways[1:]))[k]
    return quaternion.rotate(quaternion.from_rotation_vector(turn * share[:, None]), ways[k])


def spread(x: Array, kernel: Array) -> Array:
    """x (T, ...) averaged over time with a symmetric, normalized kernel; the ends are held."""
    reach = len(kernel) // 2
    flat = x.reshape(len(x), -1)
    padded = np.concatenate((np.repeat(flat[:1], reach, 0), flat, np.repeat(flat[-1:], reach, 0)))
    out = np.stack([np.convolve(column, kernel, mode="valid") for column in padded.T], axis=1)
    return out.reshape(x.shape)


def envelope(x: Array, sigma: float, rate: float) -> Array:
    """A smooth curve nowhere below x (T,): the running maximum over +-4 sigma [s], then a Gaussian as wide."""
    reach = int(np.ceil(4 * sigma * rate))
    padded = np.pad(x, 2 * reach, mode="edge")
    highest = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).max(axis=1)
    return signal.gaussian(highest, sigma * rate)[reach : reach + len(x)]


def pendulum(pressure: Array, height: float, rate: float) -> Array:
    """Where the mass of a linear inverted pendulum goes over a moving centre of pressure (T, K).

    x'' = (g / h) (x - p) has one bounded solution: p averaged with the kernel exp(-w |t|) w / 2, w = sqrt(g / h).
    It looks ahead, which is why a body shifts its weight before it lifts a foot (Kajita et al. 2003).
    """
    w = np.sqrt(GRAVITY / height)
    reach = int(np.ceil(5 / w * rate))
    kernel = np.exp(-w * np.abs(np.arange(-reach, reach + 1)) / rate)
    return spread(pressure, kernel / kernel.sum())


def noise(
    times: Array, rng: np.random.Generator, frequency: float, period: float | None = None, parts: int = 4
) -> Array:
    """Smooth noise of unit variance around `frequency` [1/s]: a few sinusoids, so that every rate samples one curve.

    With a `period` [s] it repeats itself.
    """
    frequencies = frequency * rng.uniform(0.5, 1.6, parts)
    if period is not None:
        frequencies = np.maximum(np.round(frequencies * period), 1) / period
    phases = rng.uniform(0, 2 * np.pi, parts)
    return np.sqrt(2 / parts) * np.sin(2 * np.pi * np.outer(times, frequencies) + phases).sum(axis=1)


def rates(x: Array, rate: float) -> Array:
    """Time derivative of x (T, ...), central differences."""
    return np.gradient(x, 1 / rate, axis=0)


def soft_maximum(a: Array, b: Array, width: float) -> Array:
    """Maximum with a rounded corner, exact where the two differ by more than `width`."""
    return np.maximum(a, b) + np.maximum(width - np.abs(a - b), 0) ** 2 / (4 * width)


def blend(values: Sequence[float], at: Sequence[float], x: Array | float) -> Array:
    """Piecewise linear table: `values` given at increasing `at`, read at x."""
    return np.asarray(np.interp(x, at, values))
