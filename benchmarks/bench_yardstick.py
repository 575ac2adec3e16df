"""What recorded motion would get in the trials of controllers: held-out clips, bent onto their circles.

    python benchmarks/bench_yardstick.py

Run it with OMP_NUM_THREADS=1. Clips come from the data pack (MOVESET_DATA, default ../shared/data). Nobody was recorded
on a circle of 2 m; a controller that runs round one is judged beside clips that go straight.
"""

from __future__ import annotations

import numpy as np
from bench_matching import bandai

from moveset.cleanup.feet import plant_feet
from moveset.edit.bend import bend
from moveset.motion import Clip, measure
from moveset.motion.ground import ground_frame
from moveset.motion.measure import ground_poses
from moveset.motion.mirror import find_symmetry, mirror
from moveset.runtime.evaluation.reference import GAITS, moves_at, references

RADII = (np.inf, 6.0, 4.0, 2.0)


def speed(clip: Clip) -> float:
    """Mean, on the floor [m/s]."""
    return measure.path_length(ground_frame(clip).positions) / clip.seconds


def round_circle(clip: Clip, radius: float) -> Clip:
    """The clip round a circle [m], its feet planted."""
    return plant_feet(bend(clip, speed(clip) / radius)) if np.isfinite(radius) else clip


def main() -> None:
    """Print a table of speeds and one of measures."""
    clips, held_out = bandai()
    symmetry = find_symmetry(clips[0].skeleton, clips[:40])
    real = references([*clips, *(mirror(clip, symmetry) for clip in clips)], held_out)
    print(
        "| gait | asked | mean speed of held-out clips: quartiles [m/s] | jerk at less, at more than the median |"
    )
    print("|---|---|---|---|")
    for gait, (asked, speeds) in GAITS.items():
        own = sorted((clip for clip in held_out if moves_at(clip, speeds)), key=speed)
        halves = own[: len(own) // 2], own[len(own) // 2 :]
        jerk = [np.mean([measure.jerk(clip) for clip in half]) / real.of(gait).jerk for half in halves]
        quartiles = np.quantile([speed(clip) for clip in own], (0.25, 0.5, 0.75))
        print(
            f"| {gait} | {asked} | {', '.join(f'{q:.2f}' for q in quartiles)} | {jerk[0]:.2f}, {jerk[1]:.2f} |"
        )
    print("\n| gait | circle [m] | foot skate | jerk | pose distance |\n|---|---|---|---|---|")
    for gait, (_, speeds) in GAITS.items():
        beside = real.of(gait)
        for radius in RADII:
            bent = [round_circle(clip, radius) for clip in held_out if moves_at(clip, speeds)]
            skate = np.mean([measure.foot_skate(clip, beside.standing) for clip in bent]) / beside.foot_skate
            jerk = np.mean([measure.jerk(clip) for clip in bent]) / beside.jerk
            pose = np.median(np.concatenate([beside.poses.distances(*ground_poses(clip)) for clip in bent]))
            name = f"{radius:g}" if np.isfinite(radius) else "straight, as recorded"
            print(f"| {gait} | {name} | {skate:.2f} | {jerk:.2f} | {pose / beside.pose_distance:.2f} |")


if __name__ == "__main__":
    main()
