"""Clips with one planted fault each, for the tests of whatever must find it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from moveset.conventions import DEFAULT_FPS
from moveset.geometry import quaternion
from moveset.motion import Clip
from moveset.motion.canonical import Body

_FAULTS: dict[str, Callable[[Clip], Clip]] = {}


def fault(make: Callable[[Clip], Clip]) -> Callable[[Clip], Clip]:
    """List a fault: a function from a good walk to a bad one; its docstring is the sentence."""
    _FAULTS[make.__name__] = make
    return make


def bad_clips(body: Body | None = None, fps: float = DEFAULT_FPS) -> dict[str, Clip]:
    """One clip a fault, named after it: a good walk but for that."""
    from moveset.synthetic.corpus import synthesize

    good = synthesize("walk_120", body, fps)
    out = {}
    for name, make in _FAULTS.items():
        sentence = (make.__doc__ or "").strip()
        tags = replace(good.tags, sentence=sentence, words=("synthetic", "bad", name))
        out[name] = replace(make(good), name=f"bad_{name}", tags=tags)
    return out


@fault
def additive(clip: Clip) -> Clip:
    """Every pose is a difference to the first pose, and the clip says so."""
    return replace(_differences(clip), additive=True)


@fault
def additive_unsaid(clip: Clip) -> Clip:
    """Every pose is a difference to the first pose, and nothing says so."""
    return _differences(clip)


def _differences(clip: Clip) -> Clip:
    rotations = quaternion.inverse_multiply(clip.rotations[:1], clip.rotations)
    return replace(
        clip,
        rotations=rotations,
        translations=clip.translations - clip.translations[:1],
        contacts=None,
        events=(),
    )


@fault
def t_pose(clip: Clip) -> Clip:
    """The rest pose stands still for the whole clip."""
    return replace(
        clip,
        rotations=_rest(clip, len(clip))[0],
        translations=_rest(clip, len(clip))[1],
        contacts=None,
        events=(),
    )


@fault
def first_frame_t_pose(clip: Clip) -> Clip:
    """The first frame is the rest pose, the motion begins with the second."""
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[:1], translations[:1] = _rest(clip, 1)
    return replace(clip, rotations=rotations, translations=translations)


def _rest(clip: Clip, frames: int) -> tuple[np.ndarray, np.ndarray]:
    skeleton = clip.skeleton
    return (
        np.broadcast_to(skeleton.rest_rotations, (frames, len(skeleton), 4)),
        np.broadcast_to(skeleton.rest_translations, (frames, len(skeleton), 3)),
    )


@fault
def one_frame(clip: Clip) -> Clip:
    """There is a single frame."""
    return clip.slice(0, 1)


@fault
def frozen(clip: Clip) -> Clip:
    """The pose stands still for the middle third."""
    frames = np.arange(len(clip))
    third = len(clip) // 3
    frames[third : 2 * third] = third
    return replace(clip, rotations=clip.rotations[frames], translations=clip.translations[frames])


@fault
def popped(clip: Clip) -> Clip:
    """The left knee and the right elbow jump for one frame each."""
    rotations = clip.rotations.copy()
    for role, share in (("leftLowerLeg", 0.4), ("rightLowerArm", 0.7)):
        frame, joint = round(share * len(clip)), clip.skeleton.joint(role)
        jump = quaternion.from_rotation_vector(np.array([0.9, 0.0, 0.5]))
        rotations[frame, joint] = quaternion.multiply(rotations[frame, joint], jump)
    return replace(clip, rotations=rotations)


@fault
def sliding(clip: Clip) -> Clip:
    """The feet slide: the body travels a third further than it steps."""
    return _moved(clip, np.array([1.33, 1.0, 1.33]), 0.0)


@fault
def in_place(clip: Clip) -> Clip:
    """The body walks but stays where it is."""
    return _moved(clip, np.array([1.0, 1.0, 0.0]), 0.0)


@fault
def floating(clip: Clip) -> Clip:
    """The whole body hovers twelve centimetres over the floor."""
    return _moved(clip, np.ones(3), 0.12)


@fault
def sunken(clip: Clip) -> Clip:
    """The feet are nine centimetres under the floor."""
    return _moved(clip, np.ones(3), -0.09)


def _moved(clip: Clip, factor: np.ndarray, lift: float) -> Clip:
    translations = clip.translations.copy()
    translations[:, 0] = translations[:, 0] * factor + (0, lift, 0)
    return replace(clip, translations=translations)


@fault
def centimetres(clip: Clip) -> Clip:
    """All lengths are a hundred times too large."""
    skeleton = replace(clip.skeleton, rest_translations=clip.skeleton.rest_translations * 100, tips=None)
    return replace(clip, skeleton=skeleton, translations=clip.translations * 100)


@fault
def z_up(clip: Clip) -> Clip:
    """The body walks up a wall: Z points up."""
    turn = quaternion.from_rotation_vector(np.array([np.pi / 2, 0.0, 0.0]))
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[:, 0] = quaternion.multiply(turn, rotations[:, 0])
    translations[:, 0] = quaternion.rotate(turn, translations[:, 0])
    return replace(clip, rotations=rotations, translations=translations, contacts=None)


@fault
def nan(clip: Clip) -> Clip:
    """Some numbers are not numbers."""
    rotations = clip.rotations.copy()
    rotations[len(clip) // 2, clip.skeleton.joint("chest")] = np.nan
    return replace(clip, rotations=rotations)


@fault
def flipping(clip: Clip) -> Clip:
    """Quaternions change their sign from frame to frame."""
    rotations = clip.rotations.copy()
    rotations[1::2, clip.skeleton.joint("leftUpperArm")] *= -1
    return replace(clip, rotations=rotations)


@fault
def unnormalized(clip: Clip) -> Clip:
    """Quaternions are not of unit length."""
    rotations = clip.rotations.copy()
    rotations[:, clip.skeleton.joint("spine")] *= 1.2
    return replace(clip, rotations=rotations)


@fault
def shaking(clip: Clip) -> Clip:
    """Noise of two degrees shakes every joint."""
    rng = np.random.default_rng(0)
    shake = quaternion.from_rotation_vector(rng.normal(0, np.radians(2), clip.rotations.shape[:2] + (3,)))
    return replace(clip, rotations=quaternion.multiply(clip.rotations, shake))
