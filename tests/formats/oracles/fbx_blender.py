"""Run by Blender's Python: import an FBX file, note where bones and skinned vertices are in frames of its actions.

python fbx_blender.py IN.fbx OUT.npz   (a line of JSON on standard input: {"clip name": [seconds of frames], ...})

Positions are in metres, Y up, facing +Z, whatever way Blender stood them.
"""

import json
import sys

import bpy
import numpy as np

source, target = sys.argv[1:3]
asked = json.loads(sys.stdin.readline())
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.fbx(filepath=source)
scene = bpy.context.scene
armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
meshes = [o for o in bpy.data.objects if o.type == "MESH"]
upright = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
rate = scene.render.fps  # the importer sets keys at whole frames of this rate, whatever fps_base says
out = {
    "armature": armature.name,
    "location": [tuple(row) for row in armature.matrix_world],
    "bones": [b.name for b in armature.pose.bones],
    "parents": [b.parent.name if b.parent else "" for b in armature.pose.bones],
    "actions": [a.name for a in bpy.data.actions],
    "meshes": [o.name for o in meshes],
    "fps": scene.render.fps / scene.render.fps_base,
}
for m, mesh in enumerate(meshes):
    corners = np.empty(len(mesh.data.loops), dtype=np.int32)
    mesh.data.loops.foreach_get("vertex_index", corners)
    out[f"corners{m}"] = corners
    out[f"materials{m}"] = [s.material.name for s in mesh.material_slots if s.material]
    groups = [g.name for g in mesh.vertex_groups]
    weights = np.zeros((len(mesh.data.vertices), len(groups)))
    for v in mesh.data.vertices:
        for g in v.groups:
            weights[v.index, g.group] = g.weight
    out[f"groups{m}"], out[f"weights{m}"] = groups, weights
for k, (clip, times) in enumerate(asked.items()):
    action = bpy.data.actions.get(f"{armature.name}|{clip}"[:63])
    if action is None:
        action = next(a for a in bpy.data.actions if clip in a.name)
    armature.animation_data.action = action
    armature.animation_data.action_slot = action.slots[0]
    heads, vertices = [], [[] for _ in meshes]
    for t in times:
        frame = 1 + t * rate
        scene.frame_set(int(frame), subframe=frame - int(frame))
        graph = bpy.context.evaluated_depsgraph_get()
        world = np.array(armature.matrix_world)
        bones = np.array([b.head for b in armature.pose.bones])
        heads.append((bones @ world[:3, :3].T + world[:3, 3]) @ upright.T)
        for m, mesh in enumerate(meshes):
            shown = mesh.evaluated_get(graph)
            data = shown.to_mesh()
            points = np.empty(3 * len(data.vertices), dtype=np.float32)
            data.vertices.foreach_get("co", points)
            place = np.array(shown.matrix_world)
            vertices[m].append((points.reshape(-1, 3) @ place[:3, :3].T + place[:3, 3]) @ upright.T)
            shown.to_mesh_clear()
    out[f"name{k}"] = clip
    out[f"heads{k}"] = np.array(heads)
    for m in range(len(meshes)):
        out[f"points{k}_{m}"] = np.array(vertices[m], dtype=np.float32)
np.savez(target, **{key: np.array(value) for key, value in out.items()})
