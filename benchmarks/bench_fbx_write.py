"""FBX writing: time and file size beside Blender's exporter.

    MOVESET_BLENDER=PYTHON_WITH_BPY python benchmarks/bench_fbx_write.py [DATA_PACK]

Blender reads the same GLB and exports all of it (all actions, no simplification, textures embedded); only its export is
timed. Errors are what `pytest tests/formats/test_fbx_write.py -m slow` measures.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from moveset import formats
from moveset.formats.fbx import PRESETS, write
from moveset.rigs.mannequin import mannequin
from moveset.workflows.load import load

DATA = Path(os.environ.get("MOVESET_DATA", Path(__file__).parents[1].parent / "shared" / "data"))
BLENDER = os.environ.get("MOVESET_BLENDER")
FILES = (
    "game/kaykit-adventurers/Knight.glb",
    "game/mesh2motion/human-base-animations.glb",
    "game/quaternius/glb/KnightCharacter.glb",
    "mocap/cmu/cmu-daz-30fps.zip/01_08.bvh",
)
EXPORT = """
import sys, time, bpy
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=sys.argv[1])
start = time.process_time()
bpy.ops.export_scene.fbx(filepath=sys.argv[2], bake_anim_use_all_actions=True, bake_anim_use_nla_strips=False,
    bake_anim_simplify_factor=0.0, add_leaf_bones=False, path_mode="COPY", embed_textures=True)
print("seconds", time.process_time() - start)
"""


def main(pack: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            asset = load(str(pack / name))
            if not any(c.meshes for c in asset.characters):
                asset = replace(
                    asset, characters=(mannequin(asset.clips[0].skeleton, asset.clips[0]),), source=None
                )
            frames = sum(map(len, asset.clips))
            print(
                f"{name}: {len(asset.clips)} clips, {frames:,} frames, {len(asset.characters[0].skeleton)} joints"
            )
            for preset in PRESETS:
                seconds = []
                for _ in range(3):
                    start = time.process_time()
                    data = write(asset, path="x.fbx", preset=preset)
                    seconds.append(time.process_time() - start)
                rate = frames / min(seconds)
                print(f"  {preset:8} {min(seconds):6.2f} s  {rate:9,.0f} frames/s  {len(data) / 1e6:6.2f} MB")
            if BLENDER:
                glb = formats.write(asset, Path(folder) / "in.glb")
                run = [BLENDER, "-c", EXPORT, str(glb), f"{folder}/out.fbx"]
                told = subprocess.run(run, capture_output=True, text=True, check=True).stdout
                spent = float(told.rpartition("seconds ")[2].split()[0])
                size = (Path(folder) / "out.fbx").stat().st_size
                print(f"  Blender  {spent:6.2f} s  {frames / spent:9,.0f} frames/s  {size / 1e6:6.2f} MB")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)
