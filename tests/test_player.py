"""A bundle plays with nothing but ONNX Runtime, NumPy and its JSON, in the poses in which Moveset plays it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from moveset.bundle import open_bundle
from moveset.geometry import quaternion
from moveset.motion.floor import world_from_ground
from moveset.motion.kinematics import forward_kinematics
from moveset.runtime.behaviors import Wish
from moveset.runtime.controller import character_seeds
from moveset.runtime.learned import LearnedConfig, LearnedController

PLAYER = Path(__file__).parents[1] / "examples" / "08_write_a_player.py"
GOLDEN = Path(__file__).parent / "golden" / "bundle-v1"
FRAMES = 40
VELOCITY = (0.3, 1.1)
ALONE = """
import runpy, sys
sys.modules["moveset"] = None
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def by_the_player(lod, tmp_path):
    options = [
        "--side",
        VELOCITY[0],
        "--forward",
        VELOCITY[1],
        "--seconds",
        FRAMES / 30,
        "--lod",
        lod,
        "--noise",
        0,
    ]
    arguments = [PLAYER, GOLDEN / "walker.controller", "-o", tmp_path / "poses.npz", *options]
    code = f"import sys; sys.argv = {[str(a) for a in arguments]!r}\n{ALONE}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with np.load(tmp_path / "poses.npz") as poses:
        return poses["rotations"], poses["positions"]


def by_moveset(lod):
    """The last of as many characters as an answer has states to use: it does not ask early to spread the load."""
    controller = LearnedController(
        open_bundle(GOLDEN / "walker.controller"), lod, LearnedConfig(noise=0.0, choices=1)
    )
    count, times = controller.execute, np.array(controller.times)
    wish = Wish(
        np.zeros(count, dtype=bool),
        np.broadcast_to(np.outer(times, VELOCITY), (count, len(times), 2)).copy(),
        np.zeros((count, len(times))),
        np.zeros((count, 2)),
    )
    state = controller.start(character_seeds(0, count))
    place, heading, parents = np.zeros(3), 0.0, controller.skeleton.parents
    rotations, positions = [], []
    for _ in range(FRAMES):
        poses = controller.step(state, wish, 1 / controller.fps)
        step = poses.steps[-1]
        place = place + world_from_ground(step[:2], heading)[[0, 0, 1]] * (1, 0, 1)
        heading += step[2]
        turned, placed = forward_kinematics(poses.rotations[-1], poses.translations[-1], parents)
        facing = quaternion.from_axis_angle((0, 1, 0), heading)
        rotations.append(quaternion.to_matrix(quaternion.multiply(facing, turned)))
        positions.append(place + quaternion.rotate(facing, placed))
    return np.array(rotations), np.array(positions)


@pytest.mark.parametrize("lod", [0, 1])
def test_a_player_without_moveset_gives_the_same_poses(lod, tmp_path):
    played, expected = by_the_player(lod, tmp_path), by_moveset(lod)
    assert np.linalg.norm(expected[1][-1, 0] - expected[1][0, 0]) > 1.0  # it went somewhere
    for a, b in zip(played, expected, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)


@pytest.mark.parametrize("name", ["walker.autoencoder", "walker.controller"])
def test_a_bundle_of_format_1_opens_and_answers_as_it_did(name):
    bundle = open_bundle(GOLDEN / name)
    assert bundle.manifest["format"] == 1 and bundle.skeleton.by_role["rightFoot"] == 8
    with np.load(GOLDEN / "answers.npz") as answers:
        for file in bundle.manifest["networks"]:
            network = bundle.network(file)
            inputs = {port.name: answers[f"{name}/{file}/in/{port.name}"] for port in network.inputs}
            for port, output in zip(network.outputs, network(**inputs), strict=True):
                expected = answers[f"{name}/{file}/out/{port.name}"]
                np.testing.assert_allclose(output, expected, atol=1e-5, err_msg=f"{file} {port.name}")
