"""What the pictures of moving characters show."""

from dataclasses import replace

import numpy as np

from moveset.motion import Clip
from moveset.motion.canonical import canonical_skeleton
from moveset.workflows.play_picture import _WIDE, _still_camera


def walker(start: tuple[float, float], step: tuple[float, float], frames: int = 60) -> Clip:
    """The rest pose, carried along."""
    skeleton = canonical_skeleton()
    clip = Clip(
        skeleton,
        np.repeat(skeleton.rest_rotations[None], frames, axis=0),
        np.repeat(skeleton.rest_translations[None], frames, axis=0),
        30.0,
    )
    translations = np.array(clip.translations)
    translations[:, 0, 0] += start[0] + step[0] * np.arange(frames)
    translations[:, 0, 2] += start[1] + step[1] * np.arange(frames)
    return replace(clip, translations=translations)


def share_seen(camera, clip) -> float:
    """Of the joints in all frames."""
    x, y = np.moveaxis(camera.project(clip.world_positions, _WIDE), -1, 0)
    return float(((x > 0) & (x < _WIDE[0]) & (y > 0) & (y < _WIDE[1])).mean())


def test_a_short_path_is_seen_whole():
    clip = walker((0, 0), (0.02, 0.05))
    path = np.array([(0.0, 0, 0), (1.2, 0, 3.0), (3.0, 0, 4.0)])
    camera = _still_camera([clip], path)
    assert camera is not None
    assert share_seen(camera, clip) == 1
    x, y = camera.project(path, _WIDE).T
    assert (x > 0).all() and (x < _WIDE[0]).all() and (y > 0).all() and (y < _WIDE[1]).all()


def test_a_long_path_is_followed():
    assert _still_camera([walker((0, 0), (0, 0.5))], None) is None
    assert _still_camera([walker((0, 0), (0, 0.01))], np.array([(0.0, 0, 0), (0, 0, 40)])) is None


def test_a_crowd_is_framed_where_most_of_it_is():
    thick = [walker((0.8 * k - 4, 0.5 * (k % 3)), (0.005, 0.01)) for k in range(12)]
    strays = [walker((0, 0), (0.5, 0.3)), walker((0, 0), (-0.6, 0))]
    camera = _still_camera([*thick, *strays], None)
    assert camera is not None
    assert np.mean([share_seen(camera, clip) for clip in thick]) > 0.8
    assert all(share_seen(camera, clip) < 0.7 for clip in strays)
    head = camera.project(thick[6].world_positions[0], _WIDE)[:, 1]
    assert np.ptp(head) > 40  # pixels: not a dot
