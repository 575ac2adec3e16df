"""Contact sheets of synthetic clips beside real ones, on the mannequin: side and front.

Run: python benchmarks/synthetic_sheets.py [MOVESET_DATA]   (writes docs/pictures/synthetic-*.png)
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
from PIL import Image

from moveset.motion import Clip
from moveset.render import contact_sheet, strip
from moveset.rigs.mannequin import mannequin
from moveset.synthetic import synthesize
from moveset.workflows.load import load, load_clip

DATA = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MOVESET_DATA", "../shared/data"))
PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
KNIGHT = "game/kaykit-adventurers/Knight.glb"
MELEE = "game/catprisbrey/melee-library.glb"
HUMAN = "game/mesh2motion/human-base-animations.glb"
CMU = "mocap/cmu/cmu-asfamc-30fps.zip"

SHEETS: dict[str, tuple[tuple[str, str, float, float], ...]] = {
    "walk": (("synthetic", "walk_120", 0.0, 1.15), (CMU, "07_01.bvh", 1.0, 2.15), (HUMAN, "Walk_Loop", 0.0, 9.0)),
    "run": (("synthetic", "run_320", 0.0, 0.75), (CMU, "02_03.bvh", 0.3, 1.05), (HUMAN, "Jog_Fwd_Loop", 0.0, 9.0)),
    "one-handed": (("synthetic", "one_handed_light_diagonal_down", 0.0, 9.0), (MELEE, "Slash1", 0.0, 9.0),
                   (HUMAN, "Sword_Attack", 0.0, 9.0)),
    "two-handed": (("synthetic", "two_handed_heavy_overhead", 0.0, 9.0), (MELEE, "Heavy1", 0.0, 9.0),
                   (KNIGHT, "2H_Melee_Attack_Chop", 0.0, 9.0)),
    "jump": (("synthetic", "jump_forward", 0.0, 9.0), (KNIGHT, "Jump_Full_Long", 0.0, 9.0)),
    "roll": (("synthetic", "roll_forward", 0.0, 9.0), (MELEE, "root-Roll", 0.0, 9.0), (HUMAN, "Roll", 0.0, 9.0)),
    "death": (("synthetic", "death_back", 0.0, 9.0), (KNIGHT, "Death_A", 0.0, 9.0), (HUMAN, "Death01", 0.0, 9.0)),
    "hit": (("synthetic", "hit_heavy_front", 0.0, 9.0), (KNIGHT, "Hit_B", 0.0, 9.0), (MELEE, "Hurt1", 0.0, 9.0)),
}  # fmt: skip


def find(source: str, name: str) -> Clip:
    """A clip of a source by name."""
    if source == "synthetic":
        return synthesize(name)
    if source.endswith(".zip"):
        return load_clip(str(DATA / source / name))
    return next(clip for clip in load(str(DATA / source)).clips if clip.name == name)


def main(wanted: set[str]) -> None:
    """Draw the sheets."""
    for title, rows in SHEETS.items():
        if wanted and title not in wanted:
            continue
        pictures, labels = [], []
        for source, name, start, end in rows:
            clip = find(source, name)
            clip = clip.slice(round(start * clip.fps), round(min(end, clip.seconds) * clip.fps) + 1)
            armed = "handed" in title and source in ("synthetic",)
            figure = mannequin(clip.skeleton, clip, weapon="sword" if armed else None)
            for camera in ("side", "front"):
                pictures.append(strip(clip, figure, count=10, camera=camera, height=220))
                labels.append(f"{Path(source).stem}: {name}, {camera}")
        width = max(p.shape[1] for p in pictures)
        pictures = [np.pad(p, ((0, 0), (0, width - p.shape[1]), (0, 0)), mode="edge") for p in pictures]
        page = Image.fromarray(contact_sheet(pictures, 1, labels, title=title)).convert("RGB")
        page.quantize(96).save(PICTURES / f"synthetic-{title}.png", optimize=True)


if __name__ == "__main__":
    main(set(sys.argv[2:]))
