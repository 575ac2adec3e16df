"""Read a file, ask what its joints are, look at the motion, write it in another format.

    python examples/01_read_look_write.py [FILE] [OUT]

Without FILE a synthetic walk is written as BVH first.
"""

from __future__ import annotations

import sys
from pathlib import Path

import moveset
from moveset.motion.measure import foot_skate
from moveset.render import contact_sheet, render_clip, save_png
from moveset.rigs.mannequin import mannequin
from moveset.synthetic import synthesize


def main(file: str | None, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    if file is None:
        file = str(out / "walk.bvh")
        moveset.write(moveset.Asset(clips=(synthesize("walk_120"),)), file)

    asset = moveset.load(file)
    for finding in asset.findings:
        print(f"assumed: {finding.message}")
    clip = asset.clips[0]
    skeleton = clip.skeleton
    print(f"{clip.name}: {len(clip)} frames, {clip.seconds:.2f} s, {len(skeleton)} joints")
    print(
        "joints by role:", {role: skeleton.names[joint] for role, joint in list(skeleton.by_role.items())[:4]}
    )
    print(f"foot skate: {foot_skate(clip):.3f} m/s")

    character = (
        asset.characters[0] if asset.characters and asset.characters[0].meshes else mannequin(skeleton)
    )
    frames = range(0, len(clip), max(1, len(clip) // 8))
    pictures = list(render_clip(clip, character, frames=frames, camera="side"))
    save_png(contact_sheet(pictures, labels=[f"{clip.times[f]:.2f} s" for f in frames]), out / "sheet.png")

    moveset.write(moveset.Asset((character,), (clip,), source=asset.source), out / "again.glb")
    print(f"wrote {out / 'sheet.png'} and {out / 'again.glb'}")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    main(arguments[0] if arguments else None, Path(arguments[1] if len(arguments) > 1 else "out/01"))
