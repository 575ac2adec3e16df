"""The same motion twice: byte for byte, under another name, in another export, mirrored, or in place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from moveset.audit.body import humanoid
from moveset.audit.check import SetCheck
from moveset.audit.digest import Digest, mirror_motion
from moveset.geometry.quaternion import Array
from moveset.motion import Finding

LENGTH = 0.04
"""Two exports of one motion differ in length by a frame or two, at most this share."""
SAME = 0.05
"""Distance over the size of the movement (root mean squares) below which two motions are the same. Two exports of
KayKit lie below 0.02; the most alike takes of one performer waving a hand (Bandai, 1,472 clips) at 0.075. The same
capture solved for another body differs by 0.1 to 0.3 and is not named."""
POSE = 0.15
"""Mean distance of the unit directions of bones in the average poses: what other joint centres explain (9 degrees)."""
PATH, PATH_SHARE = 0.15, 0.3
"""How far the hips must be apart, over the stature and over the length of the path, to have gone another way."""
MOVES = 0.015
"""Size of a movement, in directions of bones, below which a body only breathes and likeness says nothing."""


def duplicates(digests: Sequence[Digest]) -> dict[int, list[Finding]]:
    """A finding at the later clip of each pair, naming the earlier; at most one a clip."""
    out: dict[int, list[Finding]] = {}
    first: dict[str, int] = {}
    for i, item in enumerate(digests):
        if item.content and (j := first.setdefault(item.content, i)) != i:
            out[i] = [
                _finding(item, digests[j], "is the same data as", 0.0, "warning", "keep one of the two")
            ]
    for i, j, kind, distance in _alike([i for i in range(len(digests)) if i not in out], digests):
        if i not in out:
            text, severity, advice = _KINDS[kind]
            out[i] = [_finding(digests[i], digests[j], text, distance, severity, advice)]
    return out


_KINDS = {
    "same": ("is the same motion as", "warning", "keep one, or keep both on one side of a split"),
    "mirrored": ("is the mirror image of", "info", "keep both on one side of a split"),
    "path": (
        "has the same poses on another path as",
        "info",
        "an in-place twin: keep the one with root motion",
    ),
}


def _alike(left: Sequence[int], digests: Sequence[Digest]) -> Iterator[tuple[int, int, str, float]]:
    """(later, earlier, kind, distance) of pairs with equal poses, the best kind of each later clip first."""
    groups: dict[object, list[int]] = defaultdict(list)
    for i in left:
        if (motion := digests[i].motion) is not None:
            # humanoids of all rigs are compared by role, other creatures joint by joint
            key = motion.shape[1] if humanoid(digests[i].skeleton) else (digests[i].skeleton.names,)
            groups[key].append(i)
    for key, members in groups.items():
        yield from _alike_in_group(members, digests, by_role=isinstance(key, int))


def _alike_in_group(
    members: list[int], digests: Sequence[Digest], by_role: bool
) -> Iterator[tuple[int, int, str, float]]:
    seconds = np.array([digests[i].seconds for i in members])
    motions = np.stack([digests[i].motion for i in members])  # type: ignore[misc]
    paths = np.stack([digests[i].path for i in members])  # type: ignore[misc]
    means, moves = _split(motions)
    size = np.sqrt(np.square(moves).mean(axis=(1, 2)))
    for at in range(1, len(members)):
        near = np.flatnonzero(np.abs(seconds[:at] - seconds[at]) <= LENGTH * seconds[at] + 1e-6)
        if size[at] < MOVES or len(near) == 0:
            continue
        looks = [("same", motions[at], paths[at])]
        if by_role:
            looks.append(("mirrored", *mirror_motion(motions[at], paths[at])))
        for kind, motion, path in looks:
            mean, move = _split(motion[None])
            distance = np.sqrt(np.square(moves[near] - move).mean(axis=(1, 2))) / size[at]
            pose = np.linalg.norm(means[near] - mean, axis=-1).mean(axis=-1)
            alike = np.flatnonzero((distance < SAME) & (pose < POSE))
            if len(alike):
                best = alike[distance[alike].argmin()]
                apart = np.linalg.norm(paths[near[best]] - path, axis=-1).max()
                length = np.linalg.norm(path, axis=-1).max()
                other_path = kind == "same" and apart > max(PATH, PATH_SHARE * length)
                yield members[at], members[near[best]], "path" if other_path else kind, float(distance[best])
                break


def _split(motions: Array) -> tuple[Array, Array]:
    """Average pose (N, K, 3) and movement about it (N, SAMPLES, 3 K)."""
    mean = motions.mean(axis=1)
    return mean, (motions - mean[:, None]).reshape(len(motions), motions.shape[1], -1)


def _finding(item: Digest, other: Digest, text: str, distance: float, severity: str, advice: str) -> Finding:
    return Finding(
        "duplicates", severity, item.name, f"{text} {other.name!r}", (), None, distance, "of movement", advice
    )  # fmt: skip


CHECKS = (
    SetCheck("duplicates", "the same motion again, also mirrored, in place or in another export", duplicates),
)
