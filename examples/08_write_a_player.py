"""How to write a player for a controller in any engine: ONNX Runtime, NumPy and the bundle's JSON, no Moveset.

    python 08_write_a_player.py [NAME.controller] [-o poses.npz] [--side 0] [--forward 1.2] [--seconds 5] [--lod 0]

docs/bundle.md says what the files hold. An engine's player does the same in its own words: keep the last states, ask
the predictor when the queue is used up, decode the newest state every frame, put the pose where the root has come to.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import onnxruntime

GOLDEN = Path(__file__).parents[1] / "tests" / "golden" / "bundle-v1" / "walker.controller"


class Player:
    """One character."""

    def __init__(self, folder: Path, lod: int = 0) -> None:
        manifest = json.loads((folder / "bundle.json").read_text(encoding="utf-8"))
        if (manifest["format"], manifest["kind"]) != (1, "controller"):
            raise SystemExit(f"{folder} is no controller of format 1")
        self.about = manifest["controller"]
        self.level = self.about["lods"][lod]
        self.space = manifest["pose_space"]
        self.predictor = onnxruntime.InferenceSession(folder / self.level["predictor"])
        self.decoder = onnxruntime.InferenceSession(folder / self.level["decoder"])
        self.starts = dict(np.load(folder / "starts.npz"))
        self.random = np.random.default_rng(0)
        self.position, self.heading = np.zeros(3), 0.0
        self.context = self.queue = np.zeros(0, np.float32)
        self.used = 0

    def begin(self, offsets: np.ndarray, turns: np.ndarray) -> None:
        """At the moment of the data whose future is most like what is asked."""
        gaps = np.square(self.starts["offsets"] - offsets).sum(axis=(1, 2))
        gaps += np.square(self.starts["turns"] - turns).sum(axis=1)
        self.context = self.starts["contexts"][gaps.argmin()]  # (C, S)
        self.used = self.about["execute"]  # so the first step asks

    def ask(self, offsets: np.ndarray, turns: np.ndarray, noise: float) -> None:
        """The next states (K, S) for places (T, 2) [m] and facings (T,) [rad], seen from the character."""
        inputs = {"context": self.context, "offsets": offsets, "turns": turns, "free": np.zeros(1)}
        inputs = {name: np.asarray(array, np.float32)[None] for name, array in inputs.items()}
        steps = self.level["steps"]
        if not steps:  # an answer in one pass
            if self.level.get("noise"):
                inputs["noise"] = noise * self.random.normal(size=(1, self.level["noise"])).astype(np.float32)
            states = self.predictor.run(None, inputs)[0]
        else:  # a flow, from chance to an answer
            states = noise * self.random.normal(size=(1, self.about["chunk"] * self.context.shape[1]))
            for step in range(steps):
                inputs["sample"] = states.astype(np.float32)
                inputs["time"] = np.full((1, 1), step / steps, np.float32)
                states = states + self.predictor.run(None, inputs)[0] / steps
        self.queue = np.asarray(states, np.float32).reshape(self.about["chunk"], -1)
        self.used = 0

    def step(self, offsets: np.ndarray, turns: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
        """World rotations (J, 3, 3) and positions (J, 3) one frame later."""
        if self.used == self.about["execute"]:
            self.ask(offsets, turns, noise)
        self.context = np.concatenate((self.context[1:], self.queue[self.used : self.used + 1]))
        self.used += 1
        rotations, translations, _, root = (
            array[0] for array in self.decoder.run(None, {"state": self.context[-1:]})
        )
        side, forward, turn = root / self.about["fps"]  # seen from the ground frame before this step
        self.position = self.position + about_y(self.heading) @ (side, 0.0, forward)
        self.heading += turn
        return self.world(rotations, translations)

    def world(self, rotations: np.ndarray, translations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Forward kinematics, roots in the ground frame."""
        local = np.stack([from_quaternion(q) for q in self.space["rotations"]])
        local[self.space["turning"]] = [from_columns(r) for r in rotations]
        offsets = np.array(self.space["translations"])
        offsets[self.space["moving"]] = translations
        turned, placed = np.empty_like(local), np.empty_like(offsets)
        for j, joint in enumerate(self.space["skeleton"]["joints"]):
            above = joint["parent"]
            frame = about_y(self.heading) if above < 0 else turned[above]
            turned[j] = frame @ local[j]
            placed[j] = (self.position if above < 0 else placed[above]) + frame @ offsets[j]
        return turned, placed


def about_y(angle: float) -> np.ndarray:
    """A turn about the up axis; positive from +Z, where a character faces, to +X, its left."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def from_columns(r: np.ndarray) -> np.ndarray:
    """The rotation matrix whose first two columns point along r[:3] and r[3:], by Gram-Schmidt."""
    x = r[:3] / np.linalg.norm(r[:3])
    y = r[3:] - (x @ r[3:]) * x
    y = y / np.linalg.norm(y)
    return np.stack((x, y, np.cross(x, y)), axis=1)


def from_quaternion(q: list[float]) -> np.ndarray:
    """The rotation matrix of x y z w."""
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def main() -> None:
    """Walk at one velocity, seen from the character, and say where that led."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bundle", nargs="?", type=Path, default=GOLDEN)
    parser.add_argument("-o", type=Path, metavar="poses.npz")
    parser.add_argument("--side", type=float, default=0.0, help="m/s")
    parser.add_argument("--forward", type=float, default=1.2, help="m/s")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--lod", type=int, default=0)
    parser.add_argument(
        "--noise", type=float, default=1.0, help="size of the chance, where a model takes any"
    )
    options = parser.parse_args()
    player = Player(options.bundle, options.lod)
    times = np.array(player.about["times"])
    offsets, turns = np.outer(times, (options.side, options.forward)), np.zeros(len(times))
    player.begin(offsets, turns)
    frames = round(options.seconds * player.about["fps"])
    poses = [player.step(offsets, turns, options.noise) for _ in range(frames)]
    x, _, z = player.position
    print(f"{frames} frames: the character came to {x:.2f}, {z:.2f} m")
    if options.o:
        np.savez(options.o, rotations=[r for r, _ in poses], positions=[p for _, p in poses])


if __name__ == "__main__":
    main()
