"""How well an autoencoder gives back poses that it has not learned, in millimetres and degrees.

Judged is what a player shows: forward kinematics of the decoded rotations and translations, never the decoded
positions. Principal components with as many numbers, fitted on the same training frames, stand beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from moveset.bundle import Bundle
from moveset.errors import MovesetError
from moveset.features.pose import PoseSpace
from moveset.features.principal import fit_principal_components, without_root, without_root_block
from moveset.geometry import quaternion, rotation6d
from moveset.geometry.quaternion import Array
from moveset.learn.data import TrainingSet
from moveset.library.split import HELD_OUT
from moveset.motion.kinematics import forward_kinematics
from moveset.motion.measure import contact_f1, joint_error, rotation_error

Decoded = tuple[Array, Array, Array]
"""Rotations (F, A, 6), translations (F, M, 3), contacts (F, K) of a decoder."""

_WORST = 6
_FITTED = 40_000
"""Training frames on which principal components are fitted ..."""
_SEEN = 4_000
"""... and which the autoencoder codes, to tell what it has not learned from what it has never seen."""


@dataclass(frozen=True)
class WorstClip:
    """A clip that was given back badly."""

    name: str
    mean: float
    """[m]"""
    p99: float
    """[m]"""
    frame: int
    """Where it is worst ..."""
    error: float
    """... in its worst joint [m] ..."""
    joint: str
    """... which is this one."""
    row: int = 0
    """Of the first frame in the training set."""


@dataclass(frozen=True)
class Coding:
    """How well one way to code poses gives them back."""

    name: str
    latents: int
    mean: float
    """Distance of joints [m] ..."""
    p99: float
    """... and its 99th percentile."""
    angle: float
    """Between local rotations [rad] ..."""
    angle_p99: float
    """... and the 99th percentile."""
    contact_f1: float
    contact_accuracy: float
    joints: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    """By name: mean and 99th percentile of the distance [m], mean angle [rad]; the worst first."""
    clips: tuple[WorstClip, ...] = ()
    """The worst first."""


@dataclass(frozen=True)
class LatentFacts:
    """The latents of the held-out frames."""

    deviation: tuple[float, float]
    """Smallest and largest of the L deviations; 1 on the training frames."""
    furthest: float
    """Largest number."""
    step: tuple[float, float, float]
    """Root mean square change from frame to frame: of the calmest, the median and the most restless latent."""
    correlation: float
    """Largest between two latents."""


@dataclass(frozen=True)
class AutoencoderEvaluation:
    """What `evaluate_autoencoder` found."""

    bundle: str
    hash: str
    license: str
    same_set: bool
    """Whether the set is the one that it was trained on: only then are held-out clips surely unseen."""
    clips: int
    frames: int
    joints: int
    codings: tuple[Coding, ...]
    """The autoencoder, then the principal components."""
    seen: float
    """Mean distance of joints on frames that the autoencoder was trained on [m]."""
    latents: LatentFacts
    networks: Mapping[str, Mapping[str, float]]
    """By file: kilobytes, microseconds alone and microseconds_in_64."""


def evaluate_autoencoder(bundle: Bundle, training: TrainingSet, timed: bool = True) -> AutoencoderEvaluation:
    """Judge the autoencoder of a bundle on the held-out clips of a training set."""
    space = bundle.pose_space
    if space.layout.signature != training.space.layout.signature:
        raise MovesetError(
            f"holds poses of another layout ({training.space.layout.width} numbers) than the autoencoder was "
            f"trained on ({space.layout.width})",
            file=training.folder,
            do="give a set of clips of the same skeleton, best the one it was trained on",
        )
    if HELD_OUT not in training.view.splits:
        raise MovesetError("has no held-out clips", file=training.folder, do="give a set that holds some out")
    rows = np.sort(training.windows(1, HELD_OUT))
    truth = without_root_block(training.view.features[rows], space.layout).astype(np.float32)
    encode, decode = coder(bundle)
    latents = encode(truth)
    seen = training.windows(1)
    fitted = training.view.features[seen[:: -(-len(seen) // _FITTED)]]
    line = fit_principal_components(
        without_root_block(fitted, space.layout).astype(np.float64), space, latents.shape[1]
    )
    judge = _Judge(training, space, rows, truth)
    sample = seen[:: -(-len(seen) // _SEEN)]
    known = without_root_block(training.view.features[sample], space.layout).astype(np.float32)
    return AutoencoderEvaluation(
        bundle=bundle.name,
        hash=bundle.hash,
        license=training.facts.license,
        same_set=bundle.manifest["data"].get("hash") == training.facts.hash,
        clips=int(np.count_nonzero([split == HELD_OUT for split in training.view.splits])),
        frames=len(rows),
        joints=len(space.turning),
        codings=(
            judge.coding("autoencoder", decode(latents), latents.shape[1]),
            judge.coding(
                "principal components", _blocks(line.decode(line.encode(truth)), space), latents.shape[1]
            ),
        ),
        seen=_Judge(training, space, sample, known).mean(decode(encode(known))),
        latents=_latent_facts(latents, rows),
        networks=network_costs(bundle) if timed else {},
    )


def coder(bundle: Bundle) -> tuple[Callable[[Array], Array], Callable[[Array], Decoded]]:
    """What encodes pose vectors without root block (F, D) to latents (F, L), and what decodes those."""
    encoder, decoder = bundle.network("encoder.onnx"), bundle.network("decoder.onnx")

    def decode(latents: Array) -> Decoded:
        rotations, translations, contacts = decoder(latent=latents)
        return rotations, translations, contacts

    return lambda poses: encoder(pose=poses)[0], decode


def network_costs(bundle: Bundle) -> dict[str, dict[str, float]]:
    """Kilobytes of each network and microseconds a row of it takes, alone and in 64."""
    costs = {}
    for name in bundle.manifest["networks"]:
        network = bundle.network(name)
        costs[name] = {
            "kilobytes": network.kilobytes,
            "microseconds": network.microseconds(1),
            "microseconds_in_64": network.microseconds(64) / 64,
        }
    return costs


class _Judge:
    """Held-out frames and what was decoded of them."""

    def __init__(self, training: TrainingSet, space: PoseSpace, rows: np.ndarray, truth: Array) -> None:
        self.space, self.training, self.rows = space, training, rows
        rotations, translations, contacts = _blocks(truth, space)
        self.contacts = contacts > 0.5
        self.rotations = rotation6d.to_quaternion(rotations.astype(np.float64))
        self.places = self._places(self.rotations, translations)
        self.joints = [space.skeleton.names[joint] for joint in space.turning]

    def mean(self, decoded: Decoded) -> float:
        """Mean distance of joints [m]."""
        places = self._places(rotation6d.to_quaternion(decoded[0].astype(np.float64)), decoded[1])
        return joint_error(places, self.places)[0]

    def coding(self, name: str, decoded: Decoded, latents: int) -> Coding:
        """Figures of decoded frames."""
        quaternions = rotation6d.to_quaternion(decoded[0].astype(np.float64))
        places = self._places(quaternions, decoded[1])
        apart = np.linalg.norm(places - self.places, axis=-1)  # (F, A)
        angles = quaternion.angle_between(quaternions, self.rotations)
        mean, p99 = joint_error(places, self.places)
        angle, angle_p99 = rotation_error(quaternions, self.rotations)
        flags = decoded[2] > 0.5
        order = np.argsort(-apart.mean(axis=0))
        return Coding(
            name=name,
            latents=latents,
            mean=mean,
            p99=p99,
            angle=angle,
            angle_p99=angle_p99,
            contact_f1=contact_f1(flags, self.contacts),
            contact_accuracy=float(np.mean(flags == self.contacts)) if flags.size else float("nan"),
            joints={
                self.joints[j]: (
                    float(apart[:, j].mean()),
                    float(np.percentile(apart[:, j], 99)),
                    float(angles[:, j].mean()),
                )
                for j in order
            },
            clips=self._worst_clips(apart),
        )

    def _worst_clips(self, apart: Array) -> tuple[WorstClip, ...]:
        view = self.training.view
        found = []
        for c, split in enumerate(view.splits):
            if split == HELD_OUT and view.starts[c + 1] > view.starts[c]:
                own = apart[
                    np.searchsorted(self.rows, view.starts[c]) : np.searchsorted(
                        self.rows, view.starts[c + 1]
                    )
                ]
                frame, joint = np.unravel_index(own.argmax(), own.shape)
                found.append(
                    WorstClip(
                        self.training.names[c],
                        float(own.mean()),
                        float(np.percentile(own, 99)),
                        int(frame),
                        float(own.max()),
                        self.joints[joint],
                        int(view.starts[c]),
                    )
                )
        return tuple(sorted(found, key=lambda clip: -clip.error)[:_WORST])

    def _places(self, rotations: Array, translations: Array) -> Array:
        poses = self.space.complete(rotations, translations.astype(np.float64))
        return forward_kinematics(*poses, self.space.skeleton.parents)[1][:, self.space.turning]


def _blocks(poses: Array, space: PoseSpace) -> Decoded:
    blocks = without_root(space.layout).unpack(poses)
    return blocks["rotations"], blocks["translations"], blocks["contacts"]


def _latent_facts(latents: Array, rows: np.ndarray) -> LatentFacts:
    deviations = latents.std(axis=0)
    steps = np.sqrt(np.square(np.diff(latents, axis=0)[np.diff(rows) == 1]).mean(axis=0))
    alive = deviations > 1e-6
    together = np.corrcoef(latents[:, alive].T) - np.eye(int(alive.sum()))
    return LatentFacts(
        deviation=(float(deviations.min()), float(deviations.max())),
        furthest=float(np.abs(latents).max()),
        step=(float(steps.min()), float(np.median(steps)), float(steps.max())),
        correlation=float(np.abs(together).max()),
    )
