"""Run by Blender's Python: import a BVH file, note where its bones are, export it again.

python bvh_blender.py IN.bvh OUT.bvh OUT.npz
"""

import sys

import bpy
import numpy as np

source, target, notes = sys.argv[1:4]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_anim.bvh(filepath=source, global_scale=0.01, update_scene_fps=True, update_scene_duration=True)
figure, scene = bpy.context.object, bpy.context.scene
scene.frame_end = min(scene.frame_end, 30)
heads = []
for frame in range(scene.frame_start, scene.frame_end + 1):
    scene.frame_set(frame)
    heads.append([list(figure.matrix_world @ bone.head) for bone in figure.pose.bones])
np.savez(notes, names=[bone.name for bone in figure.pose.bones], positions=heads)
bpy.ops.export_anim.bvh(
    filepath=target, global_scale=100, frame_start=scene.frame_start, frame_end=scene.frame_end
)
