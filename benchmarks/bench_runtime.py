"""What a learned controller costs in a crowd: networks, bookkeeping and kernels, foot lock, forward kinematics.

    OMP_NUM_THREADS=1 python benchmarks/bench_runtime.py [my.controller]

Without a bundle a controller of the usual size is used whose networks hold random numbers: costs do not depend on
them. Processor time, all parts interleaved, best of several rounds.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

from moveset.bundle import Bundle, open_bundle, write_bundle
from moveset.bundle.kinds import CONTROLLER
from moveset.features.pose import pose_space
from moveset.motion.kernels import forward
from moveset.runtime.crowd import Crowd, CrowdConfig
from moveset.runtime.evaluation.cost import Timed
from moveset.runtime.learned import LearnedController
from moveset.runtime.path import PathFollower, circle
from moveset.synthetic.corpus import synthesize

COUNTS = (1, 64, 512)
LATENTS, HIDDEN, CONTEXT, CHUNK, EXECUTE = 64, 512, 4, 8, 4
TIMES = (1 / 6, 1 / 3, 2 / 3, 1.0)
ROUNDS = 8


def dense(
    name: str, inputs: dict[str, tuple[int, ...]], widths: list[int], outputs: dict[str, tuple[int, ...]]
) -> bytes:
    """A network of dense layers with random numbers: `inputs` side by side, `outputs` cut out of the last layer."""
    rng = np.random.default_rng(0)
    nodes, constants = [], []

    def constant(key: str, value: np.ndarray) -> str:
        constants.append(numpy_helper.from_array(value, key))
        return key

    flat = []
    for key, shape in inputs.items():
        size = constant(f"{key}_size", np.array([-1, int(np.prod(shape))], dtype=np.int64))
        nodes.append(helper.make_node("Reshape", [key, size], [f"{key}_flat"]))
        flat.append(f"{key}_flat")
    nodes.append(helper.make_node("Concat", flat, ["h0"], axis=1))
    sizes = [
        sum(int(np.prod(s)) for s in inputs.values()),
        *widths,
        sum(int(np.prod(s)) for s in outputs.values()),
    ]
    for k, (a, b) in enumerate(pairwise(sizes)):
        weight = constant(f"w{k}", (rng.normal(size=(a, b)) * 0.3 / np.sqrt(a)).astype(np.float32))
        nodes.append(
            helper.make_node("Gemm", [f"h{k}", weight, constant(f"b{k}", np.zeros(b, np.float32))], [f"g{k}"])
        )
        if k < len(sizes) - 2:
            nodes += [
                helper.make_node("Sigmoid", [f"g{k}"], [f"s{k}"]),
                helper.make_node("Mul", [f"g{k}", f"s{k}"], [f"h{k + 1}"]),
            ]
    cuts = constant("cuts", np.array([int(np.prod(s)) for s in outputs.values()], dtype=np.int64))
    nodes.append(
        helper.make_node("Split", [f"g{len(sizes) - 2}", cuts], [f"{key}_flat" for key in outputs], axis=1)
    )
    for key, shape in outputs.items():
        whole = constant(f"{key}_shape", np.array([-1, *shape], dtype=np.int64))
        nodes.append(helper.make_node("Reshape", [f"{key}_flat", whole], [key]))

    def port(key: str, shape: tuple[int, ...]) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(key, onnx.TensorProto.FLOAT, ["N", *shape])

    graph = helper.make_graph(
        nodes, name, [port(*p) for p in inputs.items()], [port(*p) for p in outputs.items()], constants
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model.SerializeToString()


def random_bundle(folder: Path) -> Bundle:
    """A controller of the `small` size over the synthetic skeleton that moves at random."""
    space = pose_space([synthesize("walk_120")])
    states, joints, moving = LATENTS + 3, len(space.turning), len(space.moving)
    asked = {"context": (CONTEXT, states), "offsets": (len(TIMES), 2), "turns": (len(TIMES),), "free": (1,)}
    shown = {"rotations": (joints, 6), "translations": (moving, 3), "contacts": (4,), "root": (3,)}
    answer = {"states": (CHUNK, states)}
    networks = {
        "lod0.onnx": dense("lod0", asked, [HIDDEN] * 3, answer),
        "decoder.onnx": dense("decoder", {"state": (states,)}, [384, 384], shown),
    }

    def told(names: dict[str, tuple[int, ...]]) -> dict[str, dict[str, str]]:
        return {name: {"unit": "", "meaning": name} for name in names}

    rng = np.random.default_rng(1)
    level = {"name": "LOD0", "predictor": "lod0.onnx", "decoder": "decoder.onnx", "steps": 0}
    wide = [[9.0, 9.0]] * len(TIMES)
    manifest = {
        "skeleton": space.skeleton, "pose_space": space, "layouts": {}, "config": {}, "seeds": {}, "data": {},
        "stands_on": {}, "license": "", "provenance": {}, "measures": {},
        "networks": {
            "lod0.onnx": {"inputs": told(asked), "outputs": told(answer)},
            "decoder.onnx": {"inputs": told({"state": (states,)}), "outputs": told(shown)},
        },
        "controller": {
            "fps": 30.0, "times": list(TIMES), "context": CONTEXT, "chunk": CHUNK, "execute": EXECUTE,
            "family": "regression", "states": states, "lods": [level],
            "control_range": {
                "offsets": {"low": wide, "high": wide}, "turns": {"low": [-9.0] * 4, "high": [9.0] * 4},
            },
        },
    }  # fmt: skip
    starts = {
        "contexts": rng.normal(size=(64, CONTEXT, states)).astype(np.float32),
        "offsets": rng.normal(size=(64, len(TIMES), 2)),
        "turns": rng.normal(size=(64, len(TIMES))),
    }
    return write_bundle(folder / "random.controller", CONTROLLER, manifest, networks, {"starts": starts})


def costs(bundle: Bundle, count: int, lod: int, rate: float = 30.0) -> dict[str, float]:
    """Microseconds a character-frame of each part, in a crowd of `count` on a circle."""
    networks: list[Timed] = []

    def timed(network: Callable[..., tuple[np.ndarray, ...]]) -> Timed:
        networks.append(Timed(network))
        return networks[-1]

    controller = LearnedController(bundle, lod).with_networks(timed)
    predictors = len(controller.levels)
    follower = PathFollower(circle(2), 1.2, np.arange(count) * 0.2)
    crowds = {lock: Crowd(controller, count, 0, CrowdConfig(foot_lock=lock)) for lock in (False, True)}
    for crowd in crowds.values():
        crowd.place(*follower.place())
    parents = np.ascontiguousarray(controller.skeleton.parents, dtype=np.int64)
    world = np.empty((count, len(parents), 4)), np.empty((count, len(parents), 3))
    frames = max(8, 600 // count)
    found: dict[str, float] = {}
    for round in range(ROUNDS):
        for lock, crowd in crowds.items():
            spent: dict[str, float] = dict.fromkeys(("path", "control", "step", "fk"), 0.0)
            for network in networks:
                network.spent = 0.0
            for frame in range(round * frames, (round + 1) * frames):
                marks = [time.thread_time()]
                control = follower.control(frame / rate, controller.times)
                marks.append(time.thread_time())
                crowd.control(control)
                marks.append(time.thread_time())
                poses = crowd.step(1 / rate)
                marks.append(time.thread_time())
                forward(poses.rotations, poses.translations, parents, *world)
                marks.append(time.thread_time())
                for name, took in zip(spent, np.diff(marks)):
                    spent[name] += float(took)
            spent["predictor"] = sum(network.spent for network in networks[:predictors])
            spent["decoder"] = sum(network.spent for network in networks[predictors:])
            spent["step"] -= spent["predictor"] + spent["decoder"]
            for name, took in spent.items():
                key = f"{name}, lock" if lock and name == "step" else name
                found[key] = min(found.get(key, np.inf), took / frames / count * 1e6)
    return found


def report(bundle: Bundle) -> None:
    """The table."""
    levels = bundle.manifest["controller"]["lods"]
    print(
        "| level, characters | predictor | decoder | bookkeeping | foot lock | control | FK | path | beside networks |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for lod, level in enumerate(levels):
        for count in COUNTS:
            c = costs(bundle, count, lod)
            lock = c["step, lock"] - c["step"]
            parts = (c["predictor"], c["decoder"], c["step"], lock, c["control"], c["fk"], c["path"])
            beside = c["step, lock"] + c["control"] + c["fk"]
            print(
                f"| {level['name']}, {count} | " + " | ".join(f"{x:.1f}" for x in (*parts, beside)) + " |",
                flush=True,
            )


def a_frame(bundle: Bundle, count: int = 100, rate: float = 60.0) -> None:
    """Processor time of whole frames of a crowd of `count` at `rate`: the median and the dearest."""
    controller = LearnedController(bundle)
    follower = PathFollower(circle(2), 1.2, np.arange(count) * 0.2)
    crowd = Crowd(controller, count)
    crowd.place(*follower.place())
    parents = np.ascontiguousarray(controller.skeleton.parents, dtype=np.int64)
    world = np.empty((count, len(parents), 4)), np.empty((count, len(parents), 3))
    spent = []
    for frame in range(400):
        began = time.thread_time()
        crowd.control(follower.control(frame / rate, controller.times))
        poses = crowd.step(1 / rate)
        forward(poses.rotations, poses.translations, parents, *world)
        spent.append(time.thread_time() - began)
    kept = 1e3 * np.array(spent[50:])
    print(
        f"\n{count} characters at {rate:.0f} Hz: {np.median(kept):.2f} ms a frame, p99 {np.percentile(kept, 99):.2f}, "
        f"of {1000 / rate:.1f} ms"
    )


def main() -> None:
    """Table and frame time of one bundle."""
    parser = argparse.ArgumentParser()
    parser.add_argument("bundle", nargs="?")
    given = parser.parse_args().bundle
    with tempfile.TemporaryDirectory() as folder:
        bundle = open_bundle(given, CONTROLLER) if given else random_bundle(Path(folder))
        report(bundle)
        a_frame(bundle)


if __name__ == "__main__":
    main()
