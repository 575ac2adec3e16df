"""The numbered examples run as written; those on captured motion need the data pack."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(example: str, *arguments: object) -> str:
    done = subprocess.run(
        [sys.executable, EXAMPLES / example, *map(str, arguments)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_in(folder: Path, example: str) -> str:
    """Without arguments an example works in out/NN below the current folder."""
    done = subprocess.run([sys.executable, EXAMPLES / example], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_read_look_write(tmp_path):
    said = run_in(tmp_path, "01_read_look_write.py")
    assert "foot skate" in said and (tmp_path / "out/01/again.glb").exists()


def test_trust_a_folder(tmp_path):
    said = run_in(tmp_path, "02_trust_a_folder.py")
    assert "bad_popped" in said and "jumps" in said and "walk_120: 1.2" in said


def test_characters_that_move(tmp_path):
    assert run_in(tmp_path, "03_characters_that_move.py").count("wrote") == 3


@pytest.mark.slow
def test_one_walk_six_rigs(pack, tmp_path):
    assert "six-rigs.png" in run("04_one_walk_six_rigs.py", pack, tmp_path)


@pytest.mark.slow
def test_demo_on_mocap(pack, tmp_path):
    assert run("05_demo_on_mocap.py", pack, tmp_path).count("report.html") == 2


def test_pictures(tmp_path):
    said = run_in(tmp_path, "06_pictures.py")
    assert said.split("wrote ")[1].split() == [
        "attack.gif,",
        "attack.png,",
        "paths.png,",
        "run.png,",
        "sheet.png",
    ]


def test_train_a_controller(tmp_path):
    said = run("09_train_a_controller.py", tmp_path, "--steps", 2)
    assert "off the path" in said and said.count("wrote") == 5
    assert {"walks.library", "walks.set", "walks.autoencoder", "walks.controller", "walk.glb"} <= {
        file.name for file in tmp_path.iterdir()
    }


def test_a_crowd_of_learned_characters(tmp_path):
    said = run_in(tmp_path, "10_a_crowd_of_learned_characters.py")
    assert "36 characters at LOD0, LOD1" in said and "9 of 9 came to their targets" in said
    assert (tmp_path / "out/10/crowd.gif").exists()
