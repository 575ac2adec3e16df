"""Controllers side by side, as a GIF and a still: real clips, motion matching, and levels of bundles.

    python benchmarks/controller_sheet.py SET walk.controller:0=regression walk.controller:2=LOD2 -o sheet
    python benchmarks/controller_sheet.py SET combat.controller:0=flow --asked nothing -o sheet

Figures walk an eight of 2 m at 1.2 m/s, or do what they like. `SET` is a training set; its recorded clips are what is
real, and what motion matching plays. Run it with OMP_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse

from moveset.bundle import open_bundle
from moveset.motion import Clip
from moveset.render import contact_sheet, save_png
from moveset.runtime.control import uncontrolled
from moveset.runtime.controller import Controller
from moveset.runtime.course import drive, follow
from moveset.runtime.crowd import Crowd
from moveset.runtime.learned import LearnedController
from moveset.runtime.matching import MotionMatching
from moveset.runtime.path import eight
from moveset.workflows.evaluation.controller_picture import film, save_sheet
from moveset.workflows.evaluation.real_clips import real_clips

SPEED, SECONDS = 1.2, 12.0
SHOWN = (4.0, 8.0)
"""The seconds that are drawn."""
MOMENTS = 8
"""Of the still."""


def run(controller: Controller, asked: str) -> Clip:
    """What one character does."""
    if asked == "nothing":
        crowd = Crowd(controller, 1, seed=1)
        clip = drive(crowd, lambda _: crowd.control(uncontrolled()), SECONDS).clips[0]
    else:
        clip = follow(controller, eight(2), SPEED, SECONDS)[0].clips[0]
    return clip.slice(*(round(second * clip.fps) for second in SHOWN))


def main() -> None:
    """Run, draw, write OUT.gif and OUT.png."""
    parser = argparse.ArgumentParser()
    parser.add_argument("set")
    parser.add_argument("bundles", nargs="+", help="BUNDLE:LEVEL=NAME")
    parser.add_argument("--asked", choices=("walk", "nothing"), default="walk")
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    real = real_clips([options.set])
    example = next(iter(real.examples().values()))
    row = [("real clip", example.slice(0, round((SHOWN[1] - SHOWN[0]) * example.fps)))]
    row.append(("motion matching", run(MotionMatching.from_clips(real.playable), options.asked)))
    for bundle in options.bundles:
        path, _, rest = bundle.rpartition(":")
        level, _, name = rest.partition("=")
        row.append((name, run(LearnedController(open_bundle(path), int(level)), options.asked)))
        print(name, flush=True)
    save_sheet({options.asked: row}, f"{options.output}.gif")
    films = [film(clip) for _, clip in row]
    stills = [shown[k * len(shown) // MOMENTS] for shown in films for k in range(MOMENTS)]
    save_png(
        contact_sheet(stills, MOMENTS, [n for n, _ in row for _ in range(MOMENTS)]), f"{options.output}.png"
    )


if __name__ == "__main__":
    main()
