"""What a file may cost: small files must not fill a memory."""

from __future__ import annotations

from moveset.errors import MovesetError

POSE_BYTES = 56
"""Of a joint in a frame: a rotation and a translation."""
_LARGEST = 1 << 28
_FACTOR = 40


def refuse_bloat(size: int, file_size: int, path: str, what: str) -> None:
    """Refuse `what`, which would take `size` bytes, where that is far more than a file of `file_size` describes."""
    if size > max(_LARGEST, _FACTOR * file_size):
        raise MovesetError(
            f"{what} would take {size / 2**20:,.0f} MiB, far more than a file of {file_size / 2**20:.1f} MiB "
            "describes",
            file=path,
            do="check where the file is from; split it if it is sound",
        )


def refuse_long(frames: int, joints: int, file_size: int, path: str) -> None:
    """Refuse poses that would take far more memory than the file suggests."""
    refuse_bloat(frames * joints * POSE_BYTES, file_size, path, f"{frames} poses of {joints} joints")
