"""The pose autoencoder: where it starts, what standardising and exporting must not change, what its loss sees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from moveset.errors import MovesetError
from moveset.features.principal import fit_principal_components, without_root_block
from moveset.learn.data import TrainingSet, open_training_set
from moveset.learn.draw import Draw
from moveset.learn.models.autoencoder import PRESETS, AutoencoderConfig, AutoencoderTask, PoseDecoder
from moveset.synthetic import synthesize
from moveset.workflows.training.sets import ANY_MOTION, write_training_set

SMALL = AutoencoderConfig(latents=8, width=16)


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> TrainingSet:
    folder = tmp_path_factory.mktemp("autoencoder") / "walks"
    write_training_set(
        folder, [synthesize("walk_120"), synthesize("run_280")], [synthesize("walk_080")], ANY_MOTION
    )
    return open_training_set(folder)


@pytest.fixture
def task(data) -> AutoencoderTask:
    return AutoencoderTask(SMALL, data)


def test_it_begins_as_principal_components(task, data):
    for network in (task.module.encoder, task.module.decoder):
        torch.nn.init.zeros_(network.last[1].weight)
    poses = without_root_block(data.view.features[data.windows(1)], data.space.layout)
    line = fit_principal_components(poses, data.space, SMALL.latents)
    with torch.no_grad():
        found = task.module.decode(task.module.encode(torch.from_numpy(poses)))
    assert np.allclose((found.numpy() - line.decode(line.encode(poses))) / line.scale, 0, atol=2e-3)


def test_standardising_changes_latents_and_nothing_else(task):
    poses = task.poses[: len(task.training.windows(1))]
    with torch.no_grad():
        task.module.encoder.line.bias.add_(3.0)
        task.module.encoder.line.weight.mul_(5.0)
        before = task.module.decode(task.module.encode(poses))
        task.module.standardize(poses)
        latents, after = task.module.encode(poses), task.module.decode(task.module.encode(poses))
    assert torch.allclose(latents.mean(dim=0), torch.zeros(SMALL.latents), atol=1e-3)
    assert torch.allclose(latents.std(dim=0), torch.ones(SMALL.latents), atol=1e-3)
    assert torch.allclose(before / task.module.scale, after / task.module.scale, atol=2e-3)


def test_a_silent_latent_is_not_blown_up(task):
    with torch.no_grad():
        for layer in task.module.encoder.last:
            layer.weight[3] = 0
        task.module.standardize(task.poses)
        assert task.module.encode(task.poses)[:, 3].abs().max() < 1e-3


def test_the_players_decoder_gives_the_same_blocks(task):
    module = task.module
    latents = torch.randn(5, SMALL.latents)
    with torch.no_grad():
        rotations, translations, contacts = PoseDecoder(module)(latents)
        blocks = module.layout.unpack(module.decode(latents).numpy())
    assert np.allclose(rotations, blocks["rotations"], atol=1e-5)
    assert np.allclose(translations, blocks["translations"], atol=1e-5)
    assert np.allclose(contacts, blocks["contacts"].clip(0, 1), atol=1e-5)
    assert contacts.min() >= 0 and contacts.max() <= 1


def test_positions_of_the_loss_are_millimetres_of_the_joints(task):
    """A body moved by 1 cm sideways is 1 cm / 3 off along an axis, in the mean."""
    with torch.no_grad():
        poses = task.poses[:6].clone()
        moved = poses.clone()
        moved[:, task.module.layout.slices["translations"].start] += 0.01
        apart = task._places(moved) - task._places(poses)
    assert apart.abs().mean() == pytest.approx(0.01 / 3, rel=1e-3)


def test_pairs_are_neighbours_of_one_clip_and_chance_is_the_draws(task, data):
    batch = task.batch(Draw(step=4, size=16, seed=2))
    again = task.batch(Draw(step=4, size=16, seed=2))
    assert all(torch.equal(batch[name], again[name]) for name in batch)
    now, then = batch["poses"].chunk(2)
    every = data.tensor()[:, 3:]
    ends = set(data.view.starts[1:].tolist())
    for a, b in zip(now, then):
        rows = (every == a).all(dim=1).nonzero()[:, 0].tolist()
        assert any(row + 1 not in ends and torch.equal(every[row + 1], b) for row in rows)


def test_every_term_has_a_gradient_and_a_weight(data):
    task = AutoencoderTask(replace(SMALL, noise=0.1), data)
    total, terms = task.loss(task.batch(Draw(step=0, size=8)), 0.0)
    assert set(terms) <= set(task.settings)
    assert total.item() == pytest.approx(
        sum(getattr(task.config, name) * t.item() for name, t in terms.items()), rel=1e-5
    )
    for name, term in terms.items():
        task.module.zero_grad()
        term.backward(retain_graph=True)
        assert any(w.grad is not None and w.grad.abs().sum() > 0 for w in task.module.parameters()), name


def test_the_picture_shows_truth_and_decoded(task):
    picture = task.picture()
    assert picture is not None and picture.dtype == np.uint8 and picture.shape[0] == 2 * 160


def test_presets_and_bad_settings():
    assert [PRESETS[name][0].latents for name in ("tiny", "small", "base")] == [32, 64, 150]
    with pytest.raises(MovesetError, match="latents of the autoencoder is 0"):
        AutoencoderConfig(latents=0)
    with pytest.raises(MovesetError, match="noise of the autoencoder is -1"):
        AutoencoderConfig(noise=-1)
