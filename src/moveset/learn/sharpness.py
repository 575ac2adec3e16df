"""Motion as sharp as that of clips, of which nobody can foretell every jolt.

Regression answers with the mean of what may follow, and that is softer than any of it: of the third differences of
recorded runs a third of the variance cannot be foretold from the frames before. Synthetic speech suffers from the same
and is mended by asking for the variance itself: Toda and Tokuda 2007, "A Speech Parameter Generation Algorithm
Considering Global Variance". Variances are those of many windows together, so it is left to the other losses when and
where a motion jolts; to make more of what can be foretold is then the cheapest way.
"""

from __future__ import annotations

from torch import Tensor

_TINY = 1e-6


def sharpest(motion: Tensor, share: float, but: Tensor) -> Tensor:
    """Indices of the `share` of windows (B, F, N) that jolt most; those of which `but` (B,) is true come last."""
    size = motion.diff(n=3, dim=1).square().mean(dim=(1, 2)).masked_fill(but, -1.0)
    return size.argsort(descending=True)[: max(1, round(share * len(size)))]


def softness(made: Tensor, real: Tensor, weights: Tensor | float = 1.0) -> Tensor:
    """Mean squared logarithm of how the deviations of the third differences of windows (B, F, N) compare with those of
    `real` ones, each of the N numbers by itself, times `weights` (N,): 0 where they are equal.

    Windows are scaled by how much the real one jolts, or the fastest alone would decide.
    """
    made, real = made.diff(n=3, dim=1), real.diff(n=3, dim=1)
    size = real.square().mean(dim=(1, 2), keepdim=True) + _TINY
    over = [(motion.square() / size).mean(dim=(0, 1)) + _TINY for motion in (made, real)]
    return ((over[0] / over[1]).log().square() / 4 * weights).mean()
