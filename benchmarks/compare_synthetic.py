"""Synthetic clips beside real ones: does each measure lie within the 5th to 95th percentile of clips of its kind?

Run: python benchmarks/compare_synthetic.py [MOVESET_DATA] [--names]   (writes docs/bench/synthetic.md)
"""

from __future__ import annotations

import csv
import io
import os
import re
import sys
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from moveset.geometry import quaternion, signal
from moveset.geometry.quaternion import Array
from moveset.motion import Clip
from moveset.motion.ground import ground_frame
from moveset.motion.measure import jerk
from moveset.motion.resample import resample
from moveset.synthetic import names, synthesize
from moveset.workflows.load import load, load_clip

ARGUMENTS = [a for a in sys.argv[1:] if not a.startswith("--")]
DATA = Path(ARGUMENTS[0] if ARGUMENTS else os.environ.get("MOVESET_DATA", "../shared/data"))
PAGE = Path(__file__).parents[1] / "docs" / "bench" / "synthetic.md"

LIBRARIES = (
    "game/kaykit-adventurers/Knight.glb",
    "game/kaykit-animations/Med_CombatMelee.glb",
    "game/kaykit-animations/Med_MovementBasic.glb",
    "game/mesh2motion/human-base-animations.glb",
    "game/catprisbrey/melee-library.glb",
)
WALKS = re.compile(r"^(.*\|)?(Walking_[ABC]|Walk_Loop|Walk_Formal_Loop|(root-)?(Light|Heavy)Walking)$")
RUNS = re.compile(
    r"^(.*\|)?(Running_[AB]|Jog_Fwd_Loop|Sprint_Loop|(root-)?(LightRunning|HeavyRunning|Sprint))$"
)
ONE_HANDED = re.compile(
    r"^(.*\|)?((Melee_1H|1H_Melee)_Attack_(Chop|Slice.*|Stab)|Sword_Attack|(root-)?(Slash[123]|SlashL1|SlashUppercut|Stab1))$"
)
TWO_HANDED = re.compile(
    r"^(.*\|)?((Melee_2H|2H_Melee)_Attack_(Chop|Slice|Stab)|(root-)?(Heavy[12]|HeavyUppercut|HeavyRelease))$"
)
JUMPS = re.compile(r"^(.*\|)?(Jump_Full_(Short|Long))$")


@dataclass(frozen=True)
class Body:
    """A clip as what every rig has: positions by role in the heading frame, lengths over leg length."""

    fps: float
    at: dict[str, Array]
    """(F, 3) of each role: left, up, ahead of the smoothed heading; origin under the path of the hips."""
    leg: float
    speed: Array
    """(F,) of the root [leg lengths / s]."""
    turn: Array
    """(F,) turn rate [rad/s]."""


ROLES = (
    "hips", "neck", "head", "leftUpperLeg", "rightUpperLeg", "leftLowerLeg", "rightLowerLeg", "leftFoot", "rightFoot",
    "leftToes", "rightToes", "leftUpperArm", "rightUpperArm", "leftLowerArm", "rightLowerArm", "leftHand", "rightHand",
)  # fmt: skip


def body(clip: Clip) -> Body:
    """Positions of a clip at 60 frames a second in the heading frame of its ground path."""
    clip = resample(clip, 60.0)
    skeleton = clip.skeleton
    frame = ground_frame(clip, position_sigma=0.30, heading_sigma=0.30)
    world = clip.world_positions
    substitute = {"neck": "head", "leftToes": "leftFoot", "rightToes": "rightFoot"}
    at = {}
    for role in ROLES:
        joint = skeleton.by_role.get(role, skeleton.by_role.get(substitute.get(role, "")))
        assert joint is not None, role
        at[role] = frame.ground_from_world(world[:, joint])
    leg = float(
        np.median(
            _length(at["leftUpperLeg"] - at["leftLowerLeg"]) + _length(at["leftLowerLeg"] - at["leftFoot"])
        )
    )
    velocity = signal.derivative(frame.positions, 60.0)
    turn = signal.derivative(np.unwrap(frame.headings), 60.0)
    return Body(60.0, at, leg, np.linalg.norm(velocity, axis=1) / leg, turn)


def _length(v: Array) -> Array:
    return np.linalg.norm(v, axis=-1)


def _forward(v: Array) -> Array:
    """Angle of a segment from hanging straight down, positive forwards [degrees]."""
    return np.degrees(np.arctan2(v[:, 2], -v[:, 1]))


def _between(a: Array, b: Array) -> Array:
    """Angle between two directions [degrees]."""
    cosine = np.einsum("fi,fi->f", a, b) / np.maximum(_length(a) * _length(b), 1e-9)
    return np.degrees(np.arccos(np.clip(cosine, -1, 1)))


def _range(x: Array) -> float:
    return float(np.percentile(x, 97) - np.percentile(x, 3))


def gait_measures(b: Body) -> dict[str, float]:
    """Joint ranges, sway and phases of a walk or run."""
    p, leg = b.at, b.leg
    thigh = {s: _forward(p[f"{s}LowerLeg"] - p[f"{s}UpperLeg"]) for s in ("left", "right")}
    knee = {
        s: _between(p[f"{s}LowerLeg"] - p[f"{s}UpperLeg"], p[f"{s}Foot"] - p[f"{s}LowerLeg"])
        for s in ("left", "right")
    }
    arm = {s: _forward(p[f"{s}LowerArm"] - p[f"{s}UpperArm"]) for s in ("left", "right")}
    elbow = {
        s: _between(p[f"{s}LowerArm"] - p[f"{s}UpperArm"], p[f"{s}Hand"] - p[f"{s}LowerArm"])
        for s in ("left", "right")
    }

    def both(x: dict[str, Array], of: Callable[[Array], float]) -> float:
        return 0.5 * (of(x["left"]) + of(x["right"]))

    hip_line = p["leftUpperLeg"] - p["rightUpperLeg"]
    shoulders = p["leftUpperArm"] - p["rightUpperArm"]
    pelvis_yaw = np.degrees(np.arctan2(-hip_line[:, 2], hip_line[:, 0]))
    chest_yaw = np.degrees(np.arctan2(-shoulders[:, 2], shoulders[:, 0]))
    list_ = np.degrees(np.arcsin(np.clip(hip_line[:, 1] / _length(hip_line), -1, 1)))
    trunk = p["neck"] - p["hips"]
    stride = _period(thigh["left"] - thigh["right"], b.fps)
    out = {
        "pelvis sway, side to side [% leg]": 100 * _range(p["hips"][:, 0]) / leg,
        "pelvis rise and fall [% leg]": 100 * _range(p["hips"][:, 1]) / leg,
        "pelvis turn, range [deg]": _range(pelvis_yaw),
        "pelvis list, range [deg]": _range(list_),
        "shoulder turn, range [deg]": _range(chest_yaw),
        "shoulders against pelvis, range [deg]": _range(chest_yaw - pelvis_yaw),
        "trunk lean, mean [deg]": float(np.degrees(np.arctan2(trunk[:, 2], trunk[:, 1])).mean()),
        "thigh furthest ahead [deg]": both(thigh, lambda x: float(np.percentile(x, 97))),
        "thigh furthest back [deg]": both(thigh, lambda x: float(np.percentile(x, 3))),
        "knee, most bent [deg]": both(knee, lambda x: float(np.percentile(x, 97))),
        "knee, straightest [deg]": both(knee, lambda x: float(np.percentile(x, 3))),
        "ankle lift [% leg]": 100 * both({s: p[f"{s}Foot"][:, 1] for s in ("left", "right")}, _range) / leg,
        "arm swing, range [deg]": both(arm, _range),
        "elbow, mean bend [deg]": both(elbow, lambda x: float(x.mean())),
        "elbow, range [deg]": both(elbow, _range),
        "step width at the ankles [% leg]": 100 * _step_width(p) / leg,
    }
    if stride:
        out["arm swing behind the thigh [deg of cycle]"] = both(
            {s: np.array(_phase(arm[s], thigh[s], stride, b.fps)) for s in ("left", "right")}, float
        )
        out["shoulder turn behind the pelvis [deg of cycle]"] = _phase(chest_yaw, pelvis_yaw, stride, b.fps)
        out["steps a second x sqrt(leg)"] = 2 / stride * np.sqrt(leg)
    return out


def _step_width(p: dict[str, Array]) -> float:
    """Median sideways distance of the ankles while both are low."""
    apart = np.abs(p["leftFoot"][:, 0] - p["rightFoot"][:, 0])
    return float(np.median(apart))


def _period(x: Array, fps: float) -> float | None:
    """Seconds of a cycle, from upward zero crossings; None if there are fewer than two."""
    x = x - np.median(x)
    up = np.flatnonzero((x[:-1] < 0) & (x[1:] >= 0))
    return float(np.median(np.diff(up))) / fps if len(up) >= 2 else None


def _phase(x: Array, y: Array, period: float, fps: float) -> float:
    """How far x lags y at the frequency of the cycle [degrees, 0 to 360]."""
    whole = max(round(len(x) / fps / period), 1)
    count = min(round(whole * period * fps), len(x))
    wave = np.exp(-2j * np.pi * np.arange(count) / (period * fps))
    a, b = ((s[:count] - s[:count].mean()) @ wave for s in (x, y))
    return float(np.degrees(np.angle(b / a)) % 360)


def strike_measures(b: Body) -> dict[str, float]:
    """How a blow is timed: seconds against the moment at which the striking hand is fastest."""
    p = b.at
    speeds = {
        s: signal.gaussian(_length(signal.derivative(p[f"{s}Hand"] - p["hips"], b.fps)), 0.8)
        for s in ("left", "right")
    }
    hand = max(speeds, key=lambda s: speeds[s].max())
    speed = speeds[hand]
    peak = int(speed.argmax())
    top = speed[peak]
    shoulders = p["leftUpperArm"] - p["rightUpperArm"]
    hip_line = p["leftUpperLeg"] - p["rightUpperLeg"]

    def turning(line: Array) -> Array:
        yaw = np.unwrap(np.arctan2(-line[:, 2], line[:, 0]))
        return signal.gaussian(np.abs(signal.derivative(yaw, b.fps)), 1.0)

    near = slice(max(peak - 18, 0), peak + 13)
    before = np.flatnonzero(speed[:peak] < 0.25 * top)
    after = np.flatnonzero(speed[peak:] < 0.25 * top)
    start = before[-1] if len(before) else 0
    stop = peak + (after[0] if len(after) else len(speed) - 1 - peak)
    arm = float(
        np.median(_length(p["leftUpperArm"] - p["leftLowerArm"]) + _length(p["leftLowerArm"] - p["leftHand"]))
    )
    lowest = p["hips"][max(peak - 12, 0) : peak + 24, 1].min()
    wrist_side = hand
    reach = _length(p[f"{wrist_side}Hand"] - p[f"{wrist_side}UpperArm"]) / arm
    return {
        "length of the clip [s]": len(speed) / b.fps,
        "fastest at this share of the clip": peak / (len(speed) - 1),
        "fastest after the blow began [s]": (peak - start) / b.fps,
        "blow ends after the fastest [s]": (stop - peak) / b.fps,
        "fastest within the blow [share]": (peak - start) / max(stop - start, 1),
        "top speed of the hand [arm lengths/s]": float(top / arm),
        "shoulders turn fastest before the hand [s]": (
            peak - near.start - int(turning(shoulders)[near].argmax())
        )
        / b.fps,
        "pelvis turns fastest before the hand [s]": (
            peak - near.start - int(turning(hip_line)[near].argmax())
        )
        / b.fps,
        "shoulder turn, whole clip [deg]": float(
            np.ptp(np.degrees(np.unwrap(np.arctan2(-shoulders[:, 2], shoulders[:, 0]))))
        ),
        "pelvis turn, whole clip [deg]": float(
            np.ptp(np.degrees(np.unwrap(np.arctan2(-hip_line[:, 2], hip_line[:, 0]))))
        ),
        "hips sink into the blow [% leg]": 100 * float(p["hips"][0, 1] - lowest) / b.leg,
        "reach at the fastest [share of the arm]": float(reach[peak]),
    }


def clip_measures(clip: Clip) -> dict[str, float]:
    """Jerk over leg length."""
    return {"jerk, p99 [legs/s^3]": jerk(clip) / body(clip).leg}


Measures = Callable[[Clip], dict[str, float]]


def _walking(clip: Clip) -> dict[str, float]:
    return gait_measures(body(clip)) | clip_measures(clip)


def _striking(clip: Clip) -> dict[str, float]:
    return strike_measures(body(clip))


@dataclass(frozen=True)
class Kind:
    """One comparison: real clips of a kind, synthetic clips of it, and how both are measured."""

    name: str
    real: Callable[[], Iterable[Clip]]
    synthetic: tuple[str, ...]
    measures: Measures


def library_clips(pattern: re.Pattern[str]) -> list[Clip]:
    """Clips of the game libraries whose name matches; a loop is measured over three rounds."""
    out = []
    for path in LIBRARIES:
        for clip in load(str(DATA / path)).clips:
            if pattern.match(clip.name) and len(clip) > 8:
                out.append(clip)
    return out


def rounds(clip: Clip, count: int = 3) -> Clip:
    """A cycle repeated without its doubled last frame, travelling on if it travels."""
    frames = np.concatenate([np.arange(len(clip) - 1)] * count)
    rotations, translations = clip.rotations[frames], clip.translations[frames].copy()
    root = clip.skeleton.roots[0]
    step = clip.translations[-1] - clip.translations[0]
    for k in range(1, count):
        part = slice(k * (len(clip) - 1), (k + 1) * (len(clip) - 1))
        for joint in {root, clip.skeleton.joint("hips")}:
            level = step[joint] * (1, 0, 1)
            translations[part, joint] += k * level
    return Clip(clip.skeleton, quaternion.unroll(rotations), translations, clip.fps, clip.name)


def cmu_clips(content: str, speeds: tuple[float, float]) -> list[Clip]:
    """Straight stretches of CMU trials at a steady speed [m/s], at least two seconds (a run: one)."""
    out = []
    for archive in ("cmu-asfamc-30fps", "cmu-daz-30fps", "cmu-actions8-30fps"):
        table = (DATA / "mocap/cmu" / f"{archive}.csv").read_text(encoding="utf-8")
        wanted = [
            row["clip"] for row in csv.DictReader(io.StringIO(table))
            if row["content"].startswith(content) and "stylized" not in row.get("description", "").lower()
        ]  # fmt: skip
        path = DATA / "mocap/cmu" / f"{archive}.zip"
        present = set(zipfile.ZipFile(path).namelist())
        for name in wanted:
            if name not in present:
                continue
            stretch = _steady(load_clip(f"{path}/{name}"), speeds, 0.9 if content.startswith("run") else 1.8)
            if stretch is not None:
                out.append(stretch)
    return out


def _steady(clip: Clip, speeds: tuple[float, float], least: float) -> Clip | None:
    """The longest stretch that goes straight at a speed within bounds, without the first frame."""
    clip = clip.slice(1, len(clip))
    if len(clip) < 12:
        return None
    frame = ground_frame(clip, position_sigma=0.3, heading_sigma=0.3)
    speed = np.linalg.norm(signal.derivative(frame.positions, clip.fps), axis=1)
    turn = np.abs(signal.derivative(np.unwrap(frame.headings), clip.fps))
    good = (speed > speeds[0]) & (speed < speeds[1]) & (turn < 0.5)
    edges = np.flatnonzero(np.diff(np.concatenate(([0], good.astype(int), [0]))))
    runs = sorted(zip(edges[::2], edges[1::2]), key=lambda run: run[1] - run[0])
    if not runs or (runs[-1][1] - runs[-1][0]) / clip.fps < least:
        return None
    return clip.slice(int(runs[-1][0]), int(runs[-1][1]))


KINDS = (
    Kind("walk", lambda: [*cmu_clips("walk", (0.8, 1.9)), *map(rounds, library_clips(WALKS))],
         ("walk_100", "walk_120", "walk_140", "walk_160"), _walking),
    Kind("run", lambda: [*cmu_clips("run", (2.2, 5.5)), *map(rounds, library_clips(RUNS))],
         ("run_240", "run_280", "run_320", "run_360", "run_420"), _walking),
    Kind("one-handed attack", lambda: library_clips(ONE_HANDED),
         tuple(n for n in names() if n.startswith("one_handed") and "combo" not in n), _striking),
    Kind("two-handed attack", lambda: library_clips(TWO_HANDED),
         tuple(n for n in names() if n.startswith("two_handed") and "combo" not in n), _striking),
)  # fmt: skip


def table(kind: Kind) -> tuple[list[str], int, int]:
    """Lines of a Markdown table, how many measures lie inside, how many there are."""
    real = [kind.measures(clip) for clip in kind.real()]
    made = {name: kind.measures(synthesize(name)) for name in kind.synthetic}
    lines = [
        f"\n## {kind.name}: {len(made)} synthetic beside {len(real)} real clips\n",
        "| measure | synthetic: median (least to most) | real p5 | real median | real p95 | clips inside |",
        "|---|---|---|---|---|---|",
    ]
    inside, total = 0, 0
    for measure in dict.fromkeys(key for values in real for key in values):
        values = np.array([v[measure] for v in real if measure in v and np.isfinite(v[measure])])
        mine = np.array([v[measure] for v in made.values() if measure in v])
        if not len(values) or not len(mine):
            continue
        low, middle, high = np.percentile(values, [5, 50, 95])
        within = (mine >= low) & (mine <= high)
        inside, total = inside + int(within.sum()), total + len(mine)
        digits = 2 if max(abs(low), abs(high)) < 10 else 1
        lines.append(
            f"| {measure} | {np.median(mine):.{digits}f} ({mine.min():.{digits}f} to {mine.max():.{digits}f}) "
            f"| {low:.{digits}f} | {middle:.{digits}f} | {high:.{digits}f} | {within.sum()} of {len(mine)} |"
        )
    return lines, inside, total


def hit_timing() -> str:
    """When the point of the weapon is fastest against the event `hit`, over all attacks."""
    off = []
    for name in names():
        if not (name.startswith(("one_handed", "two_handed")) and "combo" not in name):
            continue
        clip = synthesize(name, fps=120)
        socket = clip.skeleton.joint("rightProp")
        point = clip.world_positions[:, socket] + 0.7 * quaternion.rotate(
            clip.world_rotations[:, socket], np.broadcast_to([0.0, 0.0, 1.0], (len(clip), 3))
        )
        speed = _length(np.diff(point, axis=0))
        times = (np.arange(len(speed)) + 0.5) / clip.fps
        swing, hit = (next(e.time for e in clip.events if e.name == n) for n in ("swing", "hit"))
        window = (times > swing + 0.07) & (times < hit + 0.15)
        off.append(times[window][speed[window].argmax()] - hit)
    low, middle, high = np.percentile(off, [0, 50, 100])
    return (
        f"The point of the weapon is fastest {1000 * middle:+.0f} ms from the event `hit` "
        f"(median of {len(off)} attacks, {1000 * low:+.0f} to {1000 * high:+.0f} ms)."
    )


def main() -> None:
    """Measure, print, write the page."""
    lines: list[str] = []
    counts = []
    for kind in KINDS:
        rows, inside, total = table(kind)
        lines += rows
        counts.append(f"| {kind.name} | {inside} of {total} | {100 * inside / total:.0f} % |")
    head = [
        "# Synthetic clips beside real ones\n",
        "`python benchmarks/compare_synthetic.py` (data pack: CMU walks and runs, KayKit, mesh2motion, melee-library).",
        "Every clip is reduced to joint positions by role in its heading frame; lengths are over leg length, so that",
        "bodies of any size compare. A value is inside if it lies between the 5th and 95th percentile of the real clips.\n",
        "| kind | values inside | |", "|---|---|---|", *counts, "", hit_timing(),
    ]  # fmt: skip
    text = "\n".join((*head, *lines)) + "\n"
    print(text)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
