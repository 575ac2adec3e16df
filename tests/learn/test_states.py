"""States: from pose vectors and back, where clips went, and what lies beyond their ends."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from moveset.learn.data import TrainingSet, open_training_set
from moveset.learn.feet import Feet
from moveset.learn.models.autoencoder import Autoencoder, AutoencoderConfig, AutoencoderTask, PoseDecoder
from moveset.learn.states import Motion, encoded
from moveset.motion.contacts import foot_positions
from moveset.motion.ground import ground_frame
from moveset.synthetic import synthesize
from moveset.workflows.training.sets import ANY_MOTION, write_training_set

CLIPS = ("walk_120", "run_280")


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> TrainingSet:
    folder = tmp_path_factory.mktemp("states") / "walks"
    write_training_set(folder, [synthesize(name) for name in CLIPS], [], ANY_MOTION)
    return open_training_set(folder)


@pytest.fixture(scope="module")
def autoencoder(data) -> Autoencoder:
    return AutoencoderTask(AutoencoderConfig(latents=24, width=16), data).module.requires_grad_(False)


@pytest.fixture(scope="module")
def motion(data, autoencoder) -> Motion:
    return encoded(data, autoencoder)


def test_states_hold_latents_and_root_velocities(data, autoencoder, motion):
    vectors = data.tensor()
    root = data.space.layout.slices["root"]
    torch.testing.assert_close(motion.space.root_of(motion.states), vectors[:, root], atol=1e-4, rtol=1e-4)
    latents = autoencoder.encode(vectors[:, root.stop :])
    torch.testing.assert_close(motion.space.latents_of(motion.states), latents, atol=1e-4, rtol=1e-4)


def test_latents_of_the_training_clips_are_standardised(data, motion):
    latents = motion.states[torch.from_numpy(data.windows(1)), :-3]
    assert latents.mean(dim=0).abs().max() < 1e-3
    assert (latents.std(dim=0) - 1).abs().max() < 0.1


def test_clamping_changes_few_states_of_the_data_and_holds_all_others(motion):
    changed = (motion.space.clamp(motion.states) != motion.states).float().mean()
    assert changed < 0.002
    far = motion.space.clamp(100 * torch.ones(motion.space.width))
    torch.testing.assert_close(far, motion.space.high)


def test_tracks_are_where_the_clip_went(data, motion):
    number = 0
    start, stop = data.view.starts[number], data.view.starts[number + 1]
    window = motion.windows(torch.tensor([start]), int(stop - start), 0)
    clip = data.space.clip(data.view.features[start:stop], data.fps)
    ground = ground_frame(clip)
    # the ends are smoothed anew: look inside
    inner = slice(20, -20)
    apart = window["tracks"][0, :, :2].numpy() - ground.positions[:, [0, 2]]
    assert np.ptp(apart[inner], axis=0).max() < 0.03
    turned = window["tracks"][0, :, 2].numpy() - ground.headings
    assert np.ptp(turned[inner]) < 0.03


def test_a_track_goes_on_after_the_end_as_it_went(data, motion):
    last = int(data.view.starts[1]) - 1
    tracks = motion.windows(torch.tensor([last - 4]), 5, 30)["tracks"][0]
    steps = tracks.diff(dim=0)
    torch.testing.assert_close(steps[5:], steps[5:6].expand(29, 3), atol=1e-5, rtol=1e-4)
    assert torch.linalg.vector_norm(steps[10, :2]) * data.fps == pytest.approx(
        torch.linalg.vector_norm(steps[3, :2]).item() * data.fps, rel=0.2
    )


def test_windows_begin_at_the_origin(motion):
    tracks = motion.windows(torch.tensor([3, 50]), 10, 5)["tracks"]
    assert tracks.shape == (2, 15, 3)
    assert tracks[:, 0, :2].abs().max() == 0


def test_feet_of_latents_are_those_of_the_decoded_pose(data, autoencoder, motion):
    rows = torch.arange(0, 60)
    latents = motion.space.latents_of(motion.states[rows])
    found = Feet(PoseDecoder(autoencoder), data.space)(latents.unflatten(0, (6, 10)))[0].flatten(0, 1)
    vectors = np.concatenate((np.zeros((60, 3)), autoencoder.decode(latents).numpy()), axis=1)
    clip = data.space.clip(vectors, data.fps)
    np.testing.assert_allclose(found, foot_positions(clip), atol=1e-4)
