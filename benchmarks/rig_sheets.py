"""Contact sheets of reference poses with the roles drawn on them, to be checked by eye.

Run: python benchmarks/rig_sheets.py [MOVESET_DATA] [FOLDER]   (writes docs/pictures/rigs-*.png; with a folder also
the rigs whose pictures may not be shown)

Each rig twice: its mesh (or the mannequin) and its joints seen from the front, joints and short names of roles. Left
limbs are blue, right ones orange, the trunk green, auxiliary joints grey.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from moveset.errors import MovesetError
from moveset.geometry.quaternion import Array
from moveset.motion import Asset, Skeleton
from moveset.motion.roles import FINGERS, is_auxiliary
from moveset.render import contact_sheet
from moveset.render.clips import render_clip
from moveset.rigs.mannequin import mannequin
from moveset.rigs.reference import Reference, reference_pose
from moveset.workflows.load import load

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "rigs"))
from truth import Rig, rigs

DATA = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MOVESET_DATA", "../shared/data"))
PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
SIZE = 250
LEFT, RIGHT, MIDDLE, GREY = (47, 111, 208), (226, 120, 30), (40, 150, 80), (176, 180, 186)
SHORT = {"Shoulder": "sh", "UpperArm": "ua", "LowerArm": "la", "Hand": "ha", "UpperLeg": "ul", "LowerLeg": "ll",
         "Foot": "ft", "Toes": "to", "FrontShoulder": "fs", "FrontUpperLeg": "fu", "FrontLowerLeg": "fl",
         "FrontFoot": "ff", "FrontToes": "fo", "hips": "hips", "spine": "sp", "chest": "ch", "upperChest": "uc",
         "neck": "ne", "head": "head", "Prop": "prop"}  # fmt: skip


def sticks(skeleton: Skeleton, positions: Array, side: bool) -> np.ndarray:
    """(H, W, 4) the joints of a pose, from the front or from the left, with the roles of trunk and limbs."""
    across, up = (positions[:, 2], positions[:, 1]) if side else (positions[:, 0], positions[:, 1])
    shown = [j for role, j in skeleton.by_role.items() if not is_auxiliary(role)] or list(
        range(len(skeleton))
    )
    low = np.array((across[shown].min(), up[shown].min()))
    span = max(float(np.ptp(across[shown])), float(np.ptp(up[shown])), 1e-6)
    scale = (SIZE - 40) / span
    offset = np.array((SIZE - scale * np.ptp(across[shown]), SIZE - scale * np.ptp(up[shown]))) / 2
    points = (np.stack((across, up), axis=1) - low) * scale + offset
    points[:, 1] = SIZE - points[:, 1]
    page = Image.new("RGBA", (SIZE, SIZE), (255, 255, 255, 255))
    pen, font = ImageDraw.Draw(page), ImageFont.load_default(10)
    for j, parent in enumerate(skeleton.parents):
        if parent >= 0:
            pen.line([*points[parent], *points[j]], fill=color_of(skeleton.roles[j]), width=2)
    for role, j in skeleton.by_role.items():
        x, y = points[j]
        pen.ellipse([x - 2, y - 2, x + 2, y + 2], fill=color_of(role))
        word = SHORT.get(role.removeprefix("left").removeprefix("right"))
        if word and role not in FINGERS and not (side and role.startswith("right")):
            pen.text((x + 3, y - 11), word, fill=color_of(role), font=font)
    return np.asarray(page)


def color_of(role: str | None) -> tuple[int, int, int]:
    """Color of a side."""
    if role is None or is_auxiliary(role):
        return GREY
    return LEFT if role.startswith("left") else RIGHT if role.startswith("right") else MIDDLE


def reference_of(asset: Asset) -> tuple[Skeleton, Reference | None]:
    """The rig of a file and its reference pose, if there is one."""
    skeleton = (*asset.characters, *asset.clips)[0].skeleton
    clip = next((c for c in asset.clips if c.skeleton.names == skeleton.names), None)
    try:
        return skeleton, reference_pose(skeleton, clip)
    except MovesetError:
        return skeleton, None


def body_picture(asset: Asset, skeleton: Skeleton, reference: Reference | None, view: str) -> np.ndarray:
    """(H, W, 4) the mesh of a rig, or the mannequin, in the reference pose."""
    if reference is None:
        return np.full((SIZE, SIZE, 4), 255, np.uint8)
    characters = [c for c in asset.characters if c.meshes and c.skeleton.names == skeleton.names]
    clip = next((c for c in asset.clips if c.skeleton.names == skeleton.names), None)
    character = characters[0] if characters else mannequin(skeleton, clip)
    pose = replace(reference.pose, skeleton=character.skeleton)
    return render_clip(pose, character, size=(SIZE, SIZE), camera=view)[0]


def pictures_of(rig: Rig) -> tuple[np.ndarray, str]:
    """Two pictures side by side, and a label."""
    asset = load(str(DATA / rig.file))
    skeleton, reference = reference_of(asset)
    beast = reference is not None and reference.kind == "quadruped"
    positions = reference.pose.world_positions[0] if reference else skeleton.rest_world[1]
    body = body_picture(asset, skeleton, reference, "side" if beast else "front")
    both = np.concatenate((body, sticks(skeleton, positions, beast)), axis=1)
    height = f", {reference.height:.2f} m" if reference else ""
    return both, f"{rig.name}{height}"


def main() -> None:
    """Write a sheet a kind of body."""
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    for name, kinds in (("people", ("humanoid",)), ("animals", ("quadruped", "other"))):
        chosen = [rig for rig in rigs() if rig.kind in kinds and (rig.free or folder)]
        told = [pictures_of(rig) for rig in chosen]
        for page, start in enumerate(range(0, len(told), 20)):
            part = told[start : start + 20]
            sheet = contact_sheet([p for p, _ in part], 4, [label for _, label in part])
            place = (folder or PICTURES) / f"rigs-{name}-{page + 1}.png"
            Image.fromarray(sheet).convert("RGB").quantize(128).save(place, optimize=True)
            print(f"{place}: {place.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
