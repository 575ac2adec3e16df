"""Compiled loops over bytes."""

from __future__ import annotations

import numpy as np
from numba import njit

_POWERS = np.array([10.0**k for k in range(23)])  # all exact in float64
_EXACT = 1 << 53


@njit(cache=True, inline="always")
def _blank(c: int) -> bool:
    return c == 32 or 9 <= c <= 13


@njit(cache=True, nogil=True)
def parse_decimals(
    text: np.ndarray, columns: int, values: np.ndarray, odd_tokens: np.ndarray
) -> tuple[int, int, bool]:
    """Decimals of `text` (uint8) into `values`; returns how many, how much of `odd_tokens`, and if frames are torn.

    Tokens that are not plain decimals of at most 15 digits leave a hole in `values` and a pair (index, byte) in
    `odd_tokens`. Frames of `columns` numbers are torn when one starts in the middle of a line.
    """
    size = len(text)
    count = odd = column = 0
    torn = False
    fresh_line = True
    i = 0
    while i < size:
        c = text[i]
        if _blank(c):
            if c == 10:
                fresh_line = True
            i += 1
            continue
        if column == 0 and not fresh_line:
            torn = True
        fresh_line = False
        start = i
        negative = c == 45
        if negative or c == 43:
            i += 1
        mantissa = np.int64(0)
        digits = 0
        exponent = 0
        while i < size:
            d = np.int64(text[i]) - 48
            if d < 0 or d > 9:
                break
            mantissa = mantissa * 10 + d
            digits += 1
            i += 1
        if i < size and text[i] == 46:
            i += 1
            before = i
            while i < size:
                d = np.int64(text[i]) - 48
                if d < 0 or d > 9:
                    break
                mantissa = mantissa * 10 + d
                i += 1
            exponent = before - i
            digits -= exponent
        plain = 0 < digits <= 18
        if plain and i < size and (text[i] == 101 or text[i] == 69):
            i += 1
            down = i < size and text[i] == 45
            if down or (i < size and text[i] == 43):
                i += 1
            power = 0
            before = i
            while i < size and 48 <= text[i] <= 57 and power < 1000:
                power = power * 10 + np.int64(text[i]) - 48
                i += 1
            plain = i > before
            exponent += -power if down else power
        if plain and (i == size or _blank(text[i])) and mantissa <= _EXACT and -22 <= exponent <= 22:
            value = mantissa / _POWERS[-exponent] if exponent < 0 else mantissa * _POWERS[exponent]
            values[count] = -value if negative else value
        else:
            while i < size and not _blank(text[i]):
                i += 1
            odd_tokens[odd] = count
            odd_tokens[odd + 1] = start
            odd += 2
        count += 1
        column += 1
        if column == columns:
            column = 0
    return count, odd, torn


@njit(cache=True, nogil=True)
def print_decimals(scaled: np.ndarray, decimals: int, out: np.ndarray) -> int:
    """Integers (F, C), which are numbers times 10^decimals, as text into `out` (uint8); returns its length."""
    at = 0
    digits = np.empty(24, dtype=np.uint8)
    for row in range(scaled.shape[0]):
        for column in range(scaled.shape[1]):
            value = scaled[row, column]
            if value < 0:
                out[at] = 45
                at += 1
                value = -value
            count = 0
            while value > 0 or count <= decimals:
                digits[count] = 48 + value % 10
                value //= 10
                count += 1
            for k in range(count - 1, -1, -1):
                out[at] = digits[k]
                at += 1
                if k == decimals and decimals > 0:
                    out[at] = 46
                    at += 1
            out[at] = 32 if column + 1 < scaled.shape[1] else 10
            at += 1
    return at


@njit(cache=True, nogil=True)
def turn_joints(values: np.ndarray, columns: np.ndarray, axes: np.ndarray, rotations: np.ndarray) -> None:
    """Angles in degrees (F, C) to quaternions (F, J, 4), each in the hemisphere of the frame before.

    `columns` (J, 3) are the columns of a joint's angles in the order in which they turn, `axes` (J, 3) their
    axes; -1 where a joint has fewer.
    """
    half_degree = np.pi / 360
    q = np.empty(4)
    for f in range(values.shape[0]):
        for j in range(columns.shape[0]):
            q[:3], q[3] = 0.0, 1.0
            for k in range(3):
                if columns[j, k] < 0:
                    break
                half = values[f, columns[j, k]] * half_degree
                sine, cosine = np.sin(half), np.cos(half)
                # q times a turn about axis a: the other axes b, c follow it cyclically
                a = axes[j, k]
                b, c = (a + 1) % 3, (a + 2) % 3
                qa, qb, qc, qw = q[a], q[b], q[c], q[3]
                q[a] = qa * cosine + qw * sine
                q[b] = qb * cosine + qc * sine
                q[c] = qc * cosine - qb * sine
                q[3] = qw * cosine - qa * sine
            sign = 1.0
            if f > 0:
                dot = 0.0
                for i in range(4):
                    dot += q[i] * rotations[f - 1, j, i]
                if dot < 0:
                    sign = -1.0
            for i in range(4):
                rotations[f, j, i] = sign * q[i]
