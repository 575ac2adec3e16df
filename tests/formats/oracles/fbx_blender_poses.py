"""Run by Blender's Python: import FBX files, note where bones and objects are in each frame of each of their takes.

python fbx_blender_poses.py FOLDER_OUT < JSON   ({"FILE.fbx": {"take as the file spells it": [seconds], ...}, ...})

FOLDER_OUT gets N.npz for the N-th file: names, and positions in metres, Y up, facing +Z, whatever way Blender stood
them; or N.txt with why Blender does not import it.
"""

import json
import sys
from pathlib import Path

import bpy
import numpy as np

UPRIGHT = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])


def take(name):
    """Give every object (and the materials and shapes that hang on it) its action of a take."""
    for thing in bpy.data.objects:
        data = thing.animation_data
        if data is None:
            continue
        actions = [
            a for a in bpy.data.actions if f"|{name}|"[:62] in f"{a.name}|" and a.name.startswith(thing.name)
        ]
        if actions:
            data.action = actions[0]
            data.action_slot = actions[0].slots[0]


def places():
    """Name and position of every object and bone."""
    found = {}
    for thing in bpy.data.objects:
        world = np.array(thing.matrix_world)
        found[thing.name] = world[:3, 3]
        if thing.type == "ARMATURE":
            for bone in thing.pose.bones:
                found[bone.name] = world[:3, :3] @ np.array(bone.head) + world[:3, 3]
    return found


def look(file, takes):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.fbx(filepath=file)
    scene = bpy.context.scene
    out = {"fps": scene.render.fps / scene.render.fps_base}
    for k, (name, times) in enumerate(takes.items()):
        take(name)
        frames = []
        for t in times:
            frame = 1 + t * scene.render.fps
            scene.frame_set(int(frame), subframe=frame - int(frame))
            bpy.context.view_layer.update()
            frames.append(places())
        out[f"names{k}"] = np.array(list(frames[0]))
        out[f"positions{k}"] = np.array([list(frame.values()) for frame in frames]) @ UPRIGHT.T
    return out


for number, (file, takes) in enumerate(json.load(sys.stdin).items()):
    to = Path(sys.argv[1])
    try:
        np.savez(to / f"{number}.npz", **look(file, takes))
    except Exception as error:
        (to / f"{number}.txt").write_text(str(error)[-500:])
