"""Without the extra `learn`, training says what to install, and playing needs none of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BUNDLE = Path(__file__).parents[1] / "golden" / "bundle-v1" / "walker.controller"
WITHOUT = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "onnx", "safetensors"):
            raise ModuleNotFoundError(name)
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name in ("torch", "onnx", "safetensors") else found(name, package)
sys.meta_path.insert(0, Absent())
"""


def run(code):
    return subprocess.run([sys.executable, "-c", WITHOUT + code], capture_output=True, text=True)


def test_training_says_what_to_install():
    said = run("import moveset.learn.export").stderr
    assert said.splitlines()[-1] == (
        "moveset.errors.MovesetError: training needs torch, onnx, safetensors -- pip install 'moveset[learn]'"
    )


def test_playing_needs_none_of_it():
    done = run(
        f"""
from moveset.bundle import open_bundle
from moveset.runtime.crowd import Crowd
from moveset.runtime.learned import LearnedController
crowd = Crowd(LearnedController(open_bundle({str(BUNDLE)!r})), 2)
print(crowd.step(1 / 30).rotations.shape)
"""
    )
    assert done.stdout.strip() == "(2, 9, 4)", done.stderr
