"""Pictures of motion: a strip of poses, several characters and their paths in one place, a sheet, a GIF.

python examples/06_pictures.py [OUT]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from moveset.render import (
    Actor,
    Look,
    Trail,
    contact_sheet,
    frame_points,
    render_actors,
    render_clip,
    save_gif,
    save_png,
    strip,
)
from moveset.rigs.mannequin import mannequin
from moveset.synthetic import synthesize

FINE = Look(samples=4)
ATTACKS = ("one_handed_heavy_overhead", "two_handed_light_right_to_left", "roll_forward", "dodge_left")


def main(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    run, attack = synthesize("run_360"), synthesize("two_handed_heavy_overhead")
    body, armed = mannequin(run.skeleton), mannequin(attack.skeleton, weapon="greatsword")
    save_png(strip(run, body, count=9, height=280, look=FINE), out / "run.png")
    save_png(strip(attack, armed, count=8, height=300, look=FINE, camera=(-60, 8)), out / "attack.png")

    walks = [synthesize(name) for name in ("walk_curve_left_15", "walk_curve_right_15", "run_curve_left_40")]
    places, moments = [(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (-4.0, 0.0, -2.5)], (0.25, 0.9, 0.4)
    actors = [
        Actor(w, mannequin(w.skeleton), offset=p, frame=int(m * len(w)))
        for w, p, m in zip(walks, places, moments)
    ]
    colors = [(222, 92, 60), (44, 122, 190), (70, 150, 80)]
    trails = [Trail(w.world_positions[:, 0] + p, c) for w, p, c in zip(walks, places, colors)]
    everything = np.concatenate([w.world_positions.reshape(-1, 3) + p for w, p in zip(walks, places)])
    camera = frame_points(everything, (-30, 24), size=(720, 360), margin=0.05)
    together = render_actors(actors, size=(720, 360), camera=camera, frames=[0], trails=trails, look=FINE)
    save_png(next(together), out / "paths.png")

    clips = [synthesize(name) for name in ATTACKS]
    tall = [
        render_clip(c, mannequin(c.skeleton, weapon="sword"), size=(200, 200), frames=[len(c) // 2])[0]
        for c in clips
    ]
    save_png(
        contact_sheet(tall, columns=4, labels=[c.name for c in clips], title="Attacks"), out / "sheet.png"
    )

    frames = range(0, len(attack), 2)
    save_gif(
        render_actors([Actor(attack, armed)], size=(240, 240), frames=frames),
        out / "attack.gif",
        attack.fps / 2,
    )
    print("wrote", ", ".join(sorted(path.name for path in out.iterdir())))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out/06"))
