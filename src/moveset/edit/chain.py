"""Clips one after the other, the seams faded out: what a library of single actions lacks is the way between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from moveset.errors import MovesetError
from moveset.geometry import quaternion, spring
from moveset.geometry.quaternion import Array
from moveset.motion import Clip
from moveset.motion.ground import ground_frame, integrate
from moveset.motion.rooted import poses_in_ground

HALF_LIFE = 0.12
"""Half-life of what a seam leaves [s]: twice that of a jump within one motion, as actions lie further apart."""


def chain(clips: Sequence[Clip], name: str = "chain", half_life: float = HALF_LIFE) -> Clip:
    """Clips of one skeleton and frame rate, each going on where and as the one before it ended.

    The pose in which a clip ends, and its velocity, fade into those of the next (Bollo, Inertialization, GDC 2018).
    Contacts are left to be detected: a foot may slide over a seam.
    """
    if not clips or any(clip.fps != clips[0].fps or len(clip) < 2 for clip in clips):
        raise MovesetError(
            "a chain needs clips of two frames or more and one frame rate",
            do="resample the clips, drop empty ones",
        )
    fps = clips[0].fps
    links: list[tuple[Array, Array, Array]] = []
    for clip in clips:
        ground = ground_frame(clip)
        rotations, translations = poses_in_ground(clip, ground)
        steps = ground.displacements.copy()
        steps[0] = steps[1]  # nobody saw the step into the first frame
        link = quaternion.unroll(rotations), translations, steps
        links.append(_joined(links[-1], link, fps, half_life) if links else link)
    rotations, translations, steps = (np.concatenate(part) for part in zip(*links))
    steps[0] = 0
    ground = integrate(steps)
    roots = list(clips[0].skeleton.roots)
    rotations[:, roots] = ground.world_from_ground_rotations(rotations[:, roots])
    translations[:, roots] = ground.world_from_ground(translations[:, roots])
    return Clip(clips[0].skeleton, quaternion.unroll(rotations), translations, fps, name, tags=clips[0].tags)


def random_chains(clips: Sequence[Clip], seconds: float, seed: int = 0, length: float = 30.0) -> list[Clip]:
    """Chains of about `length` seconds of clips in random order, `seconds` or a little more of them in all: at the end
    of each clip any other may follow."""
    rng, chains, made = np.random.default_rng(seed), [], 0.0
    links = max(2, round(length / float(np.mean([clip.seconds for clip in clips]))))
    while made < seconds:
        order = rng.integers(0, len(clips), links)
        chains.append(chain([clips[k] for k in order], f"chain-{len(chains)}"))
        made += chains[-1].seconds
    return chains


def _joined(
    before: tuple[Array, Array, Array], after: tuple[Array, Array, Array], fps: float, half_life: float
) -> tuple[Array, Array, Array]:
    """Rotations, translations and steps of the clip `after`, begun where `before` ended."""
    old, new = before[0], after[0]
    times = np.arange(1, len(new) + 1)[:, None, None] / fps
    turn = _between(new[0], old[-1])
    rate = (_between(old[-2], old[-1]) - _between(new[0], new[1])) * fps
    left, _ = spring.decay(turn[None], rate[None], half_life, times)
    rotations = quaternion.multiply(quaternion.from_rotation_vector(left), new)

    old, new = before[1], after[1]
    rate = (old[-1] - old[-2] - new[1] + new[0]) * fps
    left, _ = spring.decay((old[-1] - new[0])[None], rate[None], half_life, times)
    translations = new + left

    gap = before[2][-1] - after[2][0]
    left, _ = spring.decay(gap[None], np.zeros((1, 3)), half_life, times[..., 0])
    return rotations, translations, after[2] + left


def _between(first: Array, second: Array) -> Array:
    """Rotation vectors that take `first` to `second`, the short way."""
    return quaternion.to_rotation_vector(
        quaternion.positive(quaternion.multiply(second, quaternion.conjugate(first)))
    )
