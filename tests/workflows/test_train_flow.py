"""Controllers of the flow family from training set to crowd."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from moveset.learn.data import open_training_set
from moveset.learn.loop import TrainConfig
from moveset.learn.models import distill, flow, meanflow
from moveset.learn.models.autoencoder import AutoencoderConfig
from moveset.learn.models.detail import Detail
from moveset.learn.models.distill import DistillConfig, DistillPreset
from moveset.learn.models.small_decoder import SmallDecoderConfig
from moveset.runtime.control import uncontrolled
from moveset.runtime.crowd import Crowd
from moveset.runtime.learned import LearnedController
from moveset.synthetic import synthesize
from moveset.workflows.train import train_autoencoder
from moveset.workflows.training.controllers import ControllerTraining
from moveset.workflows.training.sets import ANY_MOTION, write_training_set

SHORT = TrainConfig(steps=4, batch=16, picture_every=0)


@pytest.fixture(scope="module")
def training(tmp_path_factory) -> ControllerTraining:
    folder = tmp_path_factory.mktemp("train_flow")
    widening = replace(ANY_MOTION, mirrored=0.0)
    write_training_set(folder / "walks", [synthesize("walk_120"), synthesize("run_280")], [], widening)
    data = open_training_set(folder / "walks")
    config = AutoencoderConfig(latents=12, width=16)
    return ControllerTraining(
        data, train_autoencoder(data, folder / "poses.autoencoder", config=config, settings=SHORT)
    )


def wandered(bundle, lod: int, seed: int) -> np.ndarray:
    crowd = Crowd(LearnedController(bundle, lod), 2, seed)
    for _ in range(12):
        crowd.control(uncontrolled())
        poses = crowd.step(1 / 30)
    return poses.rotations.copy()


def test_a_flow_its_students_and_a_mean_flow_play(training, tmp_path):
    preset = flow.FlowPreset(model=flow.FlowConfig(width=32), train=SHORT)
    bundle, teacher = training.flow(tmp_path / "a.controller", preset)
    said = bundle.manifest["controller"]
    assert said["family"] == "flow"
    assert [level["name"] for level in said["lods"]] == ["4 steps", "8 steps", "2 steps", "1 step"]
    assert not said["wanders"] and said["noise"] == 0.3  # it was mostly asked for something
    students = training.students(
        tmp_path / "b.controller",
        teacher,
        DistillPreset(
            model=DistillConfig(rounds=(1, 2)),
            train=SHORT,
            levels=(Detail(), Detail(width=16, decoder=SmallDecoderConfig(width=8, train=SHORT))),
        ),
    )
    assert students.manifest["controller"]["lods"][1]["decoder"] == "decoder1.onnx"
    mean = training.mean_flow(
        tmp_path / "c.controller",
        meanflow.MeanFlowPreset(model=meanflow.MeanFlowConfig(width=32), train=SHORT),
    )
    for made, lod in ((bundle, 0), (bundle, 3), (students, 0), (students, 1), (mean, 0)):
        found = wandered(made, lod, seed=0)
        assert np.isfinite(found).all()
        assert np.array_equal(found, wandered(made, lod, seed=0))
        assert not np.array_equal(found, wandered(made, lod, seed=1))


def test_presets_of_a_family_have_equal_names():
    assert flow.PRESETS.keys() == distill.PRESETS.keys() == meanflow.PRESETS.keys()
