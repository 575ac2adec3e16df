"""One captured walk on six rigs that share nothing but roles.

The rigs differ in rest pose, bone axes, units, proportions and joint count: Knight (game character, 41 joints, a
third of them IK helpers), human-base (Blender deform bones), melee-library (Godot humanoid frames, no mesh),
MakeHuman (173 joints, decimetres, Z up), Quaternius (feet that are roots of their own,
100 x armature), Bandai-Namco (rest pose folded onto one axis). Needs the data pack.

    python examples/04_one_walk_six_rigs.py [DATA] [OUT]
"""

from __future__ import annotations

import sys
from pathlib import Path

from moveset.motion import Clip
from moveset.motion.measure import foot_skate
from moveset.render import contact_sheet, render_clip, save_png
from moveset.rigs.mannequin import mannequin
from moveset.workflows.load import load
from moveset.workflows.retarget import retarget_clip

WALK = "mocap/cmu/cmu-asfamc-30fps.zip/02_01.bvh"
RIGS = {
    "Knight": "game/kaykit-adventurers/Knight.glb",
    "human-base": "game/mesh2motion/human-base-animations.glb",
    "melee-library": "game/catprisbrey/melee-library.glb",
    "MakeHuman": "game/makehuman/tpose.bvh",
    "Quaternius": "game/quaternius/glb/KnightCharacter.glb",
    "Bandai-Namco": "mocap/bandai-namco/bandai-namco-2-subset.zip/dataset-2_walk_normal_001.bvh",
}
FRAMES = (0, 9, 18, 27, 36, 45)


def main(data: Path, out: Path) -> None:
    walk = load(str(data / WALK)).clips[0]
    rows: dict[str, tuple[Clip, object]] = {"as captured": (walk, mannequin(walk.skeleton))}
    for name, path in RIGS.items():
        asset = load(str(data / path))
        character = asset.characters[0] if asset.characters else None
        reference = asset.clips[0]
        clip = retarget_clip(walk, reference.skeleton, reference)
        rows[name] = (
            clip,
            character if character and character.meshes else mannequin(reference.skeleton, reference),
        )
    pictures, labels = [], []
    for name, (clip, character) in rows.items():
        pictures += list(render_clip(clip, character, size=(180, 220), frames=FRAMES))
        labels += [f"{name}, {clip.times[frame]:.1f} s" for frame in FRAMES]
        print(f"{name:14} {len(clip.skeleton):4d} joints   foot skate {foot_skate(clip):.3f} m/s")
    out.mkdir(parents=True, exist_ok=True)
    save_png(contact_sheet(pictures, columns=len(FRAMES), labels=labels), out / "six-rigs.png")
    print(out / "six-rigs.png")


if __name__ == "__main__":
    arguments = [Path(a) for a in sys.argv[1:]]
    main(
        arguments[0] if arguments else Path("../shared/data"),
        arguments[1] if len(arguments) > 1 else Path("out"),
    )
