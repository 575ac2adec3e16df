"""The regression controller: it learns, its windows are what they say, what it gives stays within the data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from moveset.learn.body import Body
from moveset.learn.data import TrainingSet, open_training_set
from moveset.learn.draw import Draw
from moveset.learn.loop import TrainConfig, train
from moveset.learn.models.autoencoder import Autoencoder, AutoencoderConfig, AutoencoderTask
from moveset.learn.models.regression import RegressionConfig, RegressionTask, importance
from moveset.learn.models.small_decoder import SmallDecoder, SmallDecoderConfig
from moveset.motion.contacts import feet as feet_of
from moveset.synthetic import synthesize
from moveset.workflows.training.sets import ANY_MOTION, write_training_set

CONFIG = RegressionConfig(width=32, rounds=(2, 3))


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> TrainingSet:
    folder = tmp_path_factory.mktemp("regression") / "walks"
    write_training_set(folder, [synthesize(name) for name in ("walk_120", "run_280")], [], ANY_MOTION)
    return open_training_set(folder)


@pytest.fixture(scope="module")
def autoencoder(data) -> Autoencoder:
    return AutoencoderTask(AutoencoderConfig(latents=16, width=16), data).module.requires_grad_(False)


def make(data, autoencoder, **changes) -> RegressionTask:
    return RegressionTask(replace(CONFIG, **changes), data, autoencoder)


def test_the_losses_fall(data, autoencoder, tmp_path):
    task = make(data, autoencoder)
    batch = task.batch(Draw(10_000, 64, 1.0))
    with torch.no_grad():
        _, before = task.loss(batch, 1.0)
    train(task, TrainConfig(steps=120, batch=32, learning_rate=3e-3, picture_every=0), tmp_path)
    with torch.no_grad():
        _, after = task.loss(batch, 1.0)
    assert after["states"] < 0.7 * before["states"]
    assert after["reach"] < 0.7 * before["reach"]


def test_roll_outs_grow_longer(data, autoencoder):
    task = make(data, autoencoder)
    early, late = (task.batch(Draw(0, 8, progress)) for progress in (0.0, 0.9))
    assert late["states"].shape[1] - early["states"].shape[1] == CONFIG.execute


def test_a_network_that_knows_the_clip_has_no_loss(data, autoencoder):
    """The loss of the truth itself: windows, roots, feet and their differences all agree."""
    task, batch = told(data, autoencoder)
    _, terms = task.loss(batch, 1.0)
    assert terms["states"] == 0 and terms["smooth"] == 0 and terms["jolt"] < 1e-9
    assert terms["position"] < 1e-6 and terms["heading"] < 1e-9
    assert terms["reach"] < 1e-6
    assert terms["skate"] < 0.02  # [m/s]: a difference of float32 places over a thirtieth of a second


def told(data, autoencoder, **changes):
    """A task whose network knows the very windows of the batch."""
    task = make(data, autoencoder, noise=0.0, bent=0.0, paced=0.0, free=0.0, **changes)
    batch = task.batch(Draw(0, 16, 1.0))
    rounds = iter(range(CONFIG.rounds[1]))

    def knows(context, offsets, turns, free):
        start = CONFIG.context + next(rounds) * CONFIG.execute
        return batch["states"][:, start : start + CONFIG.chunk]

    task.module.unclamped = knows
    task.module.space.low.fill_(-torch.inf)
    task.module.space.high.fill_(torch.inf)
    return task, batch


@pytest.mark.parametrize("beside", [0.02, 0.3])
def test_who_keeps_beside_the_path_loses_by_the_distance(data, autoencoder, beside):
    task, batch = told(data, autoencoder)
    batch["place"] = torch.tensor([beside, 0.0]).expand(16, 2)
    _, terms = task.loss(batch, 1.0)
    assert terms["position"].item() == pytest.approx(beside, abs=0.01)


def test_feet_and_contacts_are_those_of_the_decoder_that_plays(data, autoencoder):
    motion = make(data, autoencoder).motion
    small = SmallDecoder(SmallDecoderConfig(width=4), autoencoder).requires_grad_(False)
    task = RegressionTask(CONFIG, data, autoencoder, motion, decoder=small)
    latents = motion.space.latents_of(motion.states[:20])
    feet, contacts = task.feet(latents)
    rotations, translations, flags = small(latents)
    body = Body(data.space)(rotations, translations).permute(2, 1, 0)
    roles = feet_of(data.space.skeleton)
    columns = [list(data.space.turning).index(joint) for joint in data.space.skeleton.joints(roles)]
    torch.testing.assert_close(feet, body[:, columns], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(contacts.clamp(0, 1), flags)
    whole = make(data, autoencoder)
    torch.testing.assert_close(task._clips.places, whole._clips.places)


def test_bent_windows_turn_and_keep_their_steps(data, autoencoder):
    straight, curved = (make(data, autoencoder, bent=share).batch(Draw(4, 32, 1.0)) for share in (0.0, 1.0))
    lengths = [
        torch.linalg.vector_norm(batch["tracks"][..., :2].diff(dim=1), dim=-1) for batch in (straight, curved)
    ]
    torch.testing.assert_close(*lengths, atol=1e-5, rtol=1e-4)
    frames = straight["states"].shape[1]
    extra = (curved["tracks"] - straight["tracks"])[:, :frames, 2].diff(dim=1) * data.fps
    scale = make(data, autoencoder).motion.space.root_scale[-1]
    said = (curved["states"] - straight["states"])[:, 1:, -1] * scale
    torch.testing.assert_close(extra, said, atol=2e-3, rtol=1e-3)
    assert extra.abs().amax(dim=1).median() > 0.2


def test_paced_windows_go_faster_or_slower_on_the_same_way(data, autoencoder):
    plain, paced = (
        make(data, autoencoder, bent=0.0, paced=share).batch(Draw(4, 32, 1.0)) for share in (0.0, 1.0)
    )
    frames = plain["states"].shape[1]
    steps = [
        torch.linalg.vector_norm(batch["tracks"][..., :2].diff(dim=1), dim=-1)[:, : frames - 1]
        for batch in (plain, paced)
    ]
    space = make(data, autoencoder).motion.space
    speeds = [
        torch.linalg.vector_norm(space.root_of(batch["states"])[:, 1:, :2], dim=-1)
        for batch in (plain, paced)
    ]
    torch.testing.assert_close(steps[1] / steps[0], speeds[1] / speeds[0], atol=1e-3, rtol=1e-3)
    assert (steps[1] / steps[0] - 1).abs().amax(dim=1).median() > 0.05
    torch.testing.assert_close(plain["tracks"][..., 2], paced["tracks"][..., 2])


def test_answers_stay_within_the_data(data, autoencoder):
    module = make(data, autoencoder).module
    wild = 50 * torch.randn(7, CONFIG.context, module.space.width)
    states = module(wild, torch.randn(7, 4, 2), torch.randn(7, 4), torch.zeros(7, 1))
    assert states.shape == (7, CONFIG.chunk, module.space.width)
    assert (states <= module.space.high).all() and (states >= module.space.low).all()


def test_who_is_free_is_not_told_where_to_go(data, autoencoder):
    module = make(data, autoencoder).module
    context = torch.randn(2, CONFIG.context, module.space.width)[:1].expand(2, -1, -1)
    offsets, turns = torch.randn(2, 4, 2), torch.randn(2, 4)
    free = module.unclamped(context, offsets, turns, torch.ones(2, 1))
    asked = module.unclamped(context, offsets, turns, torch.zeros(2, 1))
    torch.testing.assert_close(free[0], free[1])
    assert not torch.allclose(asked[0], asked[1])


@pytest.mark.parametrize("late", [-2, -1, 0, 1, 2])
def test_a_stride_ahead_or_behind_is_compared_with_its_own_moment(data, autoencoder, late):
    task = make(data, autoencoder)
    truth = task.batch(Draw(0, 16, 1.0))["states"]
    answer = truth[:, 10 + late : 16 + late]
    assert (task._lags(answer, truth, 10, 2) == late).all()
    assert task._lags(answer, truth, 10, 0).abs().sum() == 0
    target = task._at(truth, 10 + late + torch.arange(6).expand(16, 6), 10)
    latents = task.module.space.latents
    assert torch.equal(target[..., :latents], answer[..., :latents])
    assert torch.equal(target[..., latents:], truth[:, 10:16, latents:])


def test_importance_follows_what_shows(data, autoencoder):
    motion = make(data, autoencoder).motion
    weights = importance(autoencoder, motion)
    assert weights.mean().item() == pytest.approx(1.0)
    # the principal components come in the order of their size
    assert weights[0] > 3 * weights[-1]
    assert np.isfinite(weights.numpy()).all()
