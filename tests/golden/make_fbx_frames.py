"""Make fbx_frames.npz: what Maya, Max, Blender and MotionBuilder themselves see in frames of FBX files.

python make_fbx_frames.py UFBX_DATA   (the folder `data` of https://github.com/ufbx/ufbx, MIT or public domain)

The repository of ufbx keeps, beside its FBX files, what the program that wrote each exports as OBJ in some frames:
`maya_pivot_offset_12.obj` is frame 12 of `maya_pivot_offset`. Here are their vertices, in the file's own units, for
files of the data pack. Left out is what is not comparable: dual quaternions, geometry caches, OBJ of a skin that
its own mesh node moves once more (marked `transform_skin`), other units than the file's.
"""

import re
import sys
from pathlib import Path

import numpy as np

FILES = (
    "blender440_shape_weight_anim_7400_binary", "blender_279_sausage_7400_binary", "blender_293_half_skinned_7400_binary",
    "max2009_cube_anim_6100_binary", "max6_teapot_3000_binary", "max7_blend_cube_5000_binary", "max7_skin_5000_binary",
    "max_geometry_transform_7700_binary", "max_geometry_transform_types_7700_binary", "casegen_rotation_space_7500_ascii",
    "maya_anim_layers_over_acc_orders_7500_binary", "maya_child_pivots_7700_ascii", "maya_cube_7500_binary",
    "maya_cube_big_endian_6100_binary", "maya_cube_big_endian_7100_binary", "maya_extrapolate_cube_7700_binary",
    "maya_game_sausage_7500_ascii_wiggle", "maya_game_sausage_7500_binary_deform", "maya_mixed_inherit_mode_7700_ascii",
    "maya_null_pivots_7700_binary", "maya_pivot_offset_7700_binary", "maya_pivots_7500_binary", "maya_poses_7700_ascii",
    "maya_post_rotate_order_7500_binary", "maya_rotation_order_7500_binary", "maya_skinned_pivot_7700_ascii",
    "maya_split_pivot_7700_binary", "motionbuilder_pivot_7700_ascii", "motionbuilder_sausage_rrss_7700_binary",
    "synthetic_comment_cube_7500_ascii", "synthetic_geometric_squish_7500_ascii",
    "synthetic_pre_post_rotate_7500_ascii",
)  # fmt: skip
FIRST = {"maya_game_sausage_deform": 40, "blender_279_sausage_wiggle": -1}
"""Frame of the file at which the frames of these OBJ count from 0."""
TAKES = {"blender_279_sausage": ("_spin", "_wiggle")}
"""Takes of files that hold several."""


def vertices(path):
    """(V, 3) those that a face uses; all where there are no faces."""
    listed, used = [], set()
    for line in path.read_text(errors="replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            listed.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            used |= {int(word.split("/")[0]) - 1 for word in words[1:]}
    return np.array(listed, dtype=np.float32)[sorted(used) or slice(None)]


def frames_of(file, folder):
    """(OBJ, frame) of a file; -1 where the OBJ shows it at rest."""
    stem, take = re.fullmatch(r"(.*?)_\d{4}_(?:ascii|binary)(_.*)?", file).groups()
    for path in sorted(folder.glob(f"{stem}*.obj")):
        match = re.fullmatch(rf"{stem}(_[a-z]+)?(?:_(\d+))?", path.stem)
        if match and match[1] in (None, take, *TAKES.get(stem, ())):
            first = FIRST.get(f"{stem}{match[1] or ''}", 0)
            yield path, -1 if match[2] is None else int(match[2]) + first


if __name__ == "__main__":
    folder, out = Path(sys.argv[1]), {}
    for file in FILES:
        for path, frame in frames_of(file, folder):
            out[f"{file}/{path.stem}/{frame}"] = vertices(path)
    np.savez_compressed(Path(__file__).with_name("fbx_frames.npz"), **out)
    print(len(out), "frames of", len({key.split("/")[0] for key in out}), "files")
