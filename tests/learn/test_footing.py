"""Feet in losses are those that motion is measured by."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from moveset.learn.data import open_training_set
from moveset.learn.feet import Feet
from moveset.learn.footing import ClipFeet, in_world, skate, slide
from moveset.learn.models.autoencoder import AutoencoderConfig, AutoencoderTask, PoseDecoder
from moveset.learn.states import encoded
from moveset.motion import measure
from moveset.motion.contacts import foot_positions, standing_heights
from moveset.synthetic import synthesize
from moveset.workflows.training.sets import ANY_MOTION, write_training_set

NAMES = ("walk_120", "run_280")


def test_slide_is_the_speed_of_feet_that_stand():
    frames = 10
    feet = torch.zeros(1, frames, 2, 3)
    places = torch.zeros(1, frames, 2)
    places[0, :, 1] = 0.1 * torch.arange(frames)  # the body goes on
    feet[0, :, 0, 2] = -places[0, :, 1]  # one foot stays, one goes along
    contacts = torch.ones(1, frames, 2)
    stepped = in_world(feet, places, torch.zeros(1, frames))
    assert slide(stepped, contacts).item() == pytest.approx(0.05, abs=1e-3)
    contacts[..., 1] = 0
    assert slide(stepped, contacts).item() == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_skate_has_the_terms_of_the_measure(name):
    clip = synthesize(name)
    standing = standing_heights(clip)
    stepped = torch.tensor(foot_positions(clip), dtype=torch.float64)[None]
    found = skate(stepped, torch.tensor(standing), clip.fps)[0]
    np.testing.assert_allclose(
        found.mean(dim=1), measure.foot_skate_by_frame(clip, standing)[1:-1], atol=2e-3
    )


def test_the_feet_of_clips_stand_and_skate_as_measured(tmp_path):
    clips = [synthesize(name) for name in NAMES]
    write_training_set(tmp_path / "set", clips, [], ANY_MOTION)
    data = open_training_set(tmp_path / "set")
    task = AutoencoderTask(AutoencoderConfig(latents=40, width=16), data)  # principal components, nearly all
    own = ClipFeet.of(Feet(PoseDecoder(task.module), data.space), encoded(data, task.module))
    expected = np.median([standing_heights(clip) for clip in clips], axis=0)
    np.testing.assert_allclose(own.standing, expected, atol=0.01)
    starts = data.view.starts
    for number, kind in enumerate(data.kinds):
        if kind == "real":
            rows = slice(int(starts[number]), int(starts[number + 1]))
            vectors = np.array(data.view.features[rows], dtype=float)
            shown = data.space.clip(vectors, data.fps)
            terms = measure.foot_skate_by_frame(shown, own.standing.double().numpy())
            assert own.skate[rows].mean(dim=1)[1:-1].mean().item() == pytest.approx(terms.mean(), abs=0.03)
            assert own.skate[rows][[0, -1]].abs().max() == 0
