"""What a controller's bundle is made of."""

from __future__ import annotations

import pytest
import torch

from moveset.features.pose import pose_space
from moveset.learn.controllers import StateDecoder
from moveset.learn.models.autoencoder import Autoencoder, AutoencoderConfig, PoseDecoder
from moveset.learn.states import StateSpace
from moveset.synthetic import synthesize


@pytest.mark.parametrize("layers", [1, 2])
def test_a_state_is_decoded_as_its_latents_and_its_root_are(layers):
    torch.manual_seed(layers)
    space = pose_space([synthesize("walk_120")])
    autoencoder = Autoencoder(AutoencoderConfig(latents=8, width=16, layers=layers), space.layout)
    for name in ("mean", "scale"):
        getattr(autoencoder, name).copy_(torch.rand(autoencoder.layout.width) + 0.5)
    decoder, states = PoseDecoder(autoencoder), StateSpace(8)
    states.latent_mean.copy_(torch.randn(8))
    states.latent_scale.copy_(torch.rand(8) + 0.5)
    state = torch.randn(5, states.width)
    before = decoder(states.latents_of(state))
    found = StateDecoder(states, decoder)(state)
    for truth, own in zip((*before, states.root_of(state)), found, strict=True):
        torch.testing.assert_close(own, truth, rtol=1e-5, atol=1e-5)
    for truth, again in zip(before, decoder(states.latents_of(state)), strict=True):
        assert torch.equal(truth, again)  # it took a copy
