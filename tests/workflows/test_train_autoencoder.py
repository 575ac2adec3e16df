"""Training set to bundle to figures: on synthetic clips, and on a rig that nobody has ever seen."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from moveset.bundle import open_bundle
from moveset.cli import main
from moveset.errors import MovesetError
from moveset.features.pose import PoseSpace
from moveset.features.principal import fit_principal_components, without_root_block
from moveset.geometry import quaternion, rotation6d
from moveset.learn.autoencoders import open_autoencoder
from moveset.learn.data import open_training_set
from moveset.learn.models.autoencoder import PRESETS
from moveset.motion import Clip, Skeleton
from moveset.motion.kinematics import forward_kinematics
from moveset.synthetic import synthesize
from moveset.workflows.evaluation.autoencoder import evaluate_autoencoder
from moveset.workflows.evaluation.autoencoder_report import as_json, as_text, decoded_vectors
from moveset.workflows.train import train_autoencoder
from moveset.workflows.training.how import How
from moveset.workflows.training.sets import ANY_MOTION, write_training_set

TRAINED = (
    *("walk_080", "walk_120", "walk_160", "walk_curve_left_15", "walk_turn_right_090"),
    *("walk_slow_fast", "wander_walk_1", "idle_relaxed"),
)
HELD_OUT = ("walk_100", "wander_walk_2")
MODEL, SETTINGS = PRESETS["tiny"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny") / "walks"
    write_training_set(
        folder, [synthesize(n) for n in TRAINED], [synthesize(n) for n in HELD_OUT], ANY_MOTION
    )
    return open_training_set(folder)


@pytest.fixture(scope="module")
def bundle(data, tmp_path_factory):
    output = tmp_path_factory.mktemp("bundle") / "walks.autoencoder"
    return train_autoencoder(
        data, output, config=replace(MODEL, latents=16), settings=replace(SETTINGS, steps=250, batch=128)
    )


def mean_error(space: PoseSpace, vectors: np.ndarray, others: np.ndarray) -> float:
    """Of the joints that turn [m]."""
    places = [forward_kinematics(*space.local_poses(v.astype(float)), space.skeleton.parents)[1][:, space.turning] for v in (vectors, others)]  # fmt: skip
    return float(np.linalg.norm(places[0] - places[1], axis=-1).mean())


def test_it_beats_principal_components_and_a_centimetre(bundle, data):
    found = evaluate_autoencoder(bundle, data, timed=False)
    own, line = found.codings
    assert found.same_set and found.clips == 2 and own.latents == line.latents == 16
    assert own.mean < 0.008 and own.mean < 0.8 * line.mean and own.p99 < line.p99
    assert own.contact_f1 > 0.9 and 0 < found.seen < own.mean
    assert as_json(found)["codings"][0]["mean"] == own.mean  # type: ignore[index]
    assert "another set" not in as_text(found)


def test_figures_are_those_of_the_poses(bundle, data):
    """The figure, computed another way: decoded vectors to poses to joints."""
    rows = data.windows(1, "held-out")
    truth = np.array(data.view.features[rows])
    shown = decoded_vectors(bundle, truth)
    own = evaluate_autoencoder(bundle, data, timed=False).codings[0]
    assert mean_error(data.space, truth, shown) == pytest.approx(own.mean, rel=1e-3)
    assert max(own.joints.values())[0] == next(iter(own.joints.values()))[0]
    assert own.clips[0].error >= own.clips[1].error >= own.clips[1].p99


def test_principal_components_beside_it_are_of_the_training_clips(bundle, data):
    line = evaluate_autoencoder(bundle, data, timed=False).codings[1]
    train, held = (without_root_block(data.view.features[data.windows(1, s)], data.space.layout) for s in ("train", "held-out"))  # fmt: skip
    fitted = fit_principal_components(train.astype(np.float64), data.space, 16)
    vectors = np.array(data.view.features[data.windows(1, "held-out")])
    shown = vectors.copy()
    shown[:, 3:] = fitted.decode(fitted.encode(held))
    assert mean_error(data.space, vectors, shown) == pytest.approx(line.mean, rel=1e-3)


def test_networks_of_the_bundle_are_the_module(bundle, data):
    poses = np.array(data.view.features[data.windows(1, "held-out")][:, 3:])
    module = open_autoencoder(open_bundle(bundle.path, "autoencoder"))
    with torch.no_grad():
        latents = module.encode(torch.from_numpy(poses))
        blocks = module.layout.unpack(module.decode(latents).numpy())
    (encoded,) = bundle.network("encoder.onnx")(pose=poses)
    rotations, translations, contacts = bundle.network("decoder.onnx")(latent=encoded)
    assert np.allclose(encoded, latents, atol=1e-4)
    assert np.allclose(rotations, blocks["rotations"], atol=1e-4)
    assert np.allclose(translations, blocks["translations"], atol=1e-4)
    assert np.allclose(contacts, blocks["contacts"].clip(0, 1), atol=1e-4)


def test_the_bundle_says_what_it_is_and_how_good(bundle, data):
    said = json.loads((bundle.path / "bundle.json").read_text())
    measured = said["measures"]["held_out"]
    assert 0 < measured["autoencoder"]["mean"] < measured["principal components"]["mean"]
    assert said["measures"]["networks"]["decoder.onnx"]["kilobytes"] > 10
    assert said["data"]["hash"] == data.facts.hash and said["config"]["model"]["latents"] == 16
    assert "skeleton" not in said["pose_space"]  # it is there already
    assert bundle.pose_space.to_json() == data.space.to_json()
    latents = bundle.network("encoder.onnx")(pose=np.array(data.view.features[data.windows(1)][:, 3:]))[0]
    assert np.allclose(latents.mean(axis=0), 0, atol=0.02) and np.allclose(latents.std(axis=0), 1, atol=0.02)


def test_the_same_seed_gives_the_same_bundle(data, tmp_path):
    config, settings = replace(MODEL, latents=4, width=8), replace(SETTINGS, steps=5)
    made = [train_autoencoder(data, tmp_path / f"{n}.autoencoder", config=config, settings=settings, how=How(seed=seed)) for n, seed in enumerate((3, 3, 4))]  # fmt: skip
    assert made[0].hash == made[1].hash and made[0].latent == made[1].latent
    assert made[0].latent != made[2].latent


def five_joints() -> Skeleton:
    """A desk lamp: no roles, no feet, two roots' worth of odd axes."""
    parents = np.array([-1, 0, 1, 2, 1])
    rest = quaternion.normalize(np.random.default_rng(5).normal(size=(5, 4)))
    return Skeleton(
        ("foot", "arm", "elbow", "shade", "plug"),
        parents,
        rest,
        np.array([[0, 0.1, 0], *4 * [[0.3, 0.1, 0]]]),
    )


def lamp(seed: int, frames: int = 90) -> Clip:
    """Three of its joints swing together along a closed curve, its shade slides."""
    skeleton = five_joints()
    phase = np.arange(frames) / 30 * (1 + 0.1 * seed) + seed
    angles = np.zeros((frames, 5, 3))
    angles[:, 1, 2], angles[:, 2, 2] = 0.5 * np.sin(phase), 0.4 * np.sin(2 * phase)
    angles[:, 3, 0] = 0.3 * np.cos(phase)
    rotations = quaternion.multiply(skeleton.rest_rotations, quaternion.from_rotation_vector(angles))
    translations = np.tile(skeleton.rest_translations, (frames, 1, 1))
    translations[:, 3, 1] += 0.05 * np.sin(phase)
    return Clip(skeleton, rotations, translations, 30.0, f"lamp {seed}")


def test_any_skeleton(tmp_path):
    write_training_set(
        tmp_path / "set", [lamp(seed) for seed in range(6)], [lamp(9)], replace(ANY_MOTION, mirrored=0.0)
    )
    data = open_training_set(tmp_path / "set")
    assert data.space.skeleton.by_role == {} and len(data.space.turning) == 4 and len(data.space.moving) == 2
    bundle = train_autoencoder(
        data, tmp_path / "lamp.autoencoder", config=replace(MODEL, latents=3, width=32), settings=replace(SETTINGS, steps=200)
    )  # fmt: skip
    found = evaluate_autoencoder(bundle, data, timed=False)
    assert found.codings[0].mean < 0.5 * found.codings[1].mean and found.codings[0].mean < 0.01
    rotations, _, contacts = bundle.network("decoder.onnx")(latent=np.zeros((2, 3)))
    assert contacts.shape == (2, 0) and rotation6d.to_quaternion(rotations).shape == (2, 4, 4)


def test_sets_that_do_not_fit_are_refused(bundle, data, tmp_path):
    write_training_set(tmp_path / "lamps", [lamp(1)], [lamp(2)], replace(ANY_MOTION, mirrored=0.0))
    with pytest.raises(MovesetError, match="poses of another layout"):
        evaluate_autoencoder(bundle, open_training_set(tmp_path / "lamps"))
    write_training_set(tmp_path / "all", [synthesize(n) for n in HELD_OUT], [], ANY_MOTION)
    with pytest.raises(MovesetError, match="has no held-out clips"):
        evaluate_autoencoder(bundle, open_training_set(tmp_path / "all"))
    with pytest.raises(MovesetError, match=r"there is no preset 'huge'.*tiny, small, base"):
        train_autoencoder(data, tmp_path / "x", "huge")


def test_the_command(bundle, data, tmp_path, capsys):
    page = tmp_path / "page.html"
    command = ["evaluate", "autoencoder", str(bundle.path), "--on", str(data.folder)]
    with pytest.raises(SystemExit, match="0"):
        main([*command, "--json", "--html", str(page)])
    said = json.loads(capsys.readouterr().out)
    assert said["codings"][0]["mean"] == pytest.approx(
        bundle.manifest["measures"]["held_out"]["autoencoder"]["mean"]
    )
    text = page.read_text()
    assert text.count("data:image/png;base64,") == 2 and "worst in frame" in text and "http" not in text
    with pytest.raises(SystemExit, match="0"):
        main(command)
    assert "principal components" in capsys.readouterr().out
