"""Run by Blender's Python: a figure of three bones with four actions, one of them not its own.

python blender_scene.py OUT.blend
"""

import sys
from math import radians

import bpy

bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = 24
scene["license"] = "CC0-1.0"

skeleton = bpy.data.armatures.new("Figure")
figure = bpy.data.objects.new("Figure", skeleton)
scene.collection.objects.link(figure)
bpy.context.view_layer.objects.active = figure
bpy.ops.object.mode_set(mode="EDIT")
parent = None
for k, name in enumerate(("hips", "spine", "head")):
    bone = skeleton.edit_bones.new(name)
    bone.head, bone.tail, bone.parent = (0, 0, k), (0, 0, k + 1), parent
    parent = bone
bpy.ops.object.mode_set(mode="OBJECT")

corners = [(x, y, z) for z in range(4) for x, y in ((-0.2, -0.2), (0.2, -0.2), (0.2, 0.2), (-0.2, 0.2))]
sides = [
    (4 * z + k, 4 * z + (k + 1) % 4, 4 * z + 4 + (k + 1) % 4, 4 * z + 4 + k)
    for z in range(3)
    for k in range(4)
]
mesh = bpy.data.meshes.new("Body")
mesh.from_pydata(corners, [], sides)
body = bpy.data.objects.new("Body", mesh)
scene.collection.objects.link(body)
body.parent = figure
body.modifiers.new("Armature", "ARMATURE").object = figure
for k, name in enumerate(("hips", "spine", "head")):
    body.vertex_groups.new(name=name).add(range(4 * k, 4 * k + (8 if k == 2 else 4)), 1.0, "REPLACE")


def act(thing, name, bone, last, angle):
    """An action that turns a bone, or the thing itself, from frame 1 to `last`."""
    thing.animation_data_create()
    action = bpy.data.actions.new(name)
    action.use_fake_user = True
    thing.animation_data.action = action
    turned = thing.pose.bones[bone] if bone else thing
    turned.rotation_mode = "XYZ"
    for frame, x in ((1, 0.0), (last, angle)):
        turned.rotation_euler = (radians(x), 0, 0)
        turned.keyframe_insert("rotation_euler", frame=frame)
    return action


walk = act(figure, "Walk", "spine", 13, 60)
walk.use_frame_range, walk.frame_start, walk.frame_end, walk.use_cyclic = True, 1, 13, True
walk.pose_markers.new("step").frame = 7
walk["tags"] = "walk, sad"
breathe = act(figure, "Breathe", "head", 25, 20)
breathe["additive"], breathe["license"] = True, "MIT"
lean = act(figure, "Lean", "spine", 5, 10)
strip = figure.animation_data.nla_tracks.new().strips.new("Lean", 1, lean)
strip.blend_type = "ADD"
strip.mute = True
nod = act(figure, "Nod", "head", 9, 30)
nod["additive"] = False
lamp = bpy.data.objects.new("Lamp", None)
scene.collection.objects.link(lamp)
act(lamp, "Swing", None, 9, 90)
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[1])
