"""Export every action of an armature from Blender, with what glTF and FBX cannot say of them in a file beside.

As an add-on (Preferences > Add-ons > Install from Disk): select the armature, then File > Export > Clips for Moveset.

As a command:  blender scene.blend --background --python export_moveset.py -- out/knight.glb [Armature]
or, with Blender as a Python module:  python export_moveset.py scene.blend out/knight.glb [Armature]

out/knight.moveset.json says of each action: whether it loops (Cyclic Animation), whether it is additive (a custom
property `additive`, else an NLA strip that blends it by Add or Combine), its pose markers as events, and the custom
properties `tags` ("walk, sad") and `license`, which may also stand on the scene for all of them.

Blender 4.2 or newer.
"""

import json
import sys
from contextlib import contextmanager
from pathlib import Path

import bpy
from bpy.props import StringProperty
from bpy_extras.io_utils import ExportHelper

bl_info = {
    "name": "Clips for Moveset",
    "author": "The Moveset authors",
    "version": (1, 0, 0),
    "blender": (4, 2, 0),
    "location": "File > Export",
    "description": "All actions of an armature as GLB or FBX, with loops, additive flags and markers beside",
    "category": "Import-Export",
}


def export(armature, path):
    """Write the armature, its meshes and all actions that move it to `path`, .glb or .fbx, and the sidecar."""
    path = Path(path)
    if path.suffix.lower() not in (".glb", ".fbx"):
        raise ValueError(f"{path.name}: give a name that ends in .glb or .fbx")
    actions = actions_of(armature)
    if not actions:
        raise ValueError(f"no action moves {armature.name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    chosen, active = list(bpy.context.selected_objects), bpy.context.view_layer.objects.active
    try:
        select([armature, *(o for o in bpy.context.scene.objects if is_skinned(o, armature))])
        if path.suffix.lower() == ".glb":
            bpy.ops.export_scene.gltf(
                filepath=str(path), export_format="GLB", use_selection=True, export_animations=True,
                export_animation_mode="ACTIONS", export_anim_slide_to_zero=True, export_force_sampling=True,
            )  # fmt: skip
        else:
            with disabled(action for action in bpy.data.actions if action not in actions):
                bpy.ops.export_scene.fbx(
                    filepath=str(path), use_selection=True, object_types={"ARMATURE", "MESH"}, add_leaf_bones=False,
                    bake_anim=True, bake_anim_use_all_actions=True, bake_anim_use_nla_strips=False,
                    bake_anim_simplify_factor=0.0, path_mode="COPY", embed_textures=True,
                )  # fmt: skip
    finally:
        select(chosen)
        bpy.context.view_layer.objects.active = active
    said = {"writer": f"Blender {bpy.app.version_string}", **words_of(bpy.context.scene)}
    said["clips"] = {action.name: facts_of(action) for action in actions}
    beside = path.with_suffix(".moveset.json")
    beside.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path, beside


def actions_of(armature):
    """The actions whose curves move bones that the armature has."""
    return [action for action in bpy.data.actions if bones_in(action) & set(armature.pose.bones.keys())]


def bones_in(action):
    """Names of the bones that an action has curves for."""
    names = set()
    for curve in curves_of(action):
        if curve.data_path.startswith('pose.bones["'):
            names.add(curve.data_path.split('"')[1])
    return names


def curves_of(action):
    """F-curves, of whichever layer and slot."""
    if not hasattr(action, "layers"):  # before Blender 4.4
        yield from action.fcurves
        return
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                yield from bag.fcurves


@contextmanager
def disabled(actions):
    """While it lasts the curves of these actions lead nowhere: Blender's FBX exporter takes every action that could
    move an object, those of lamps and cameras for an armature too."""
    curves = [curve for action in actions if action.is_editable for curve in curves_of(action)]
    paths = [curve.data_path for curve in curves]
    try:
        for curve, path in zip(curves, paths):
            curve.data_path = f"nowhere.{path}"
        yield
    finally:
        for curve, path in zip(curves, paths):
            curve.data_path = path


def facts_of(action):
    """What there is to say of an action."""
    scene = bpy.context.scene
    rate, start = scene.render.fps / scene.render.fps_base, action.frame_range[0]
    said = {"loop": bool(action.use_cyclic), **words_of(action)}
    additive = action["additive"] if "additive" in action.keys() else is_layered(action)
    if additive:
        # poses are exported as they are: what is added is their difference from the rest pose
        said["additive"] = {"pose": "reference", "space": "local", "stored": "poses"}
    elif "additive" in action.keys():
        said["additive"] = False
    markers = sorted(action.pose_markers, key=lambda marker: marker.frame)
    if markers:
        said["events"] = [
            {"time": round((marker.frame - start) / rate, 6), "name": marker.name} for marker in markers
        ]
    return said


def words_of(block):
    """Tags and license of an action or a scene."""
    said = {}
    if block.get("tags"):
        said["tags"] = [
            word.strip() for word in str(block["tags"]).replace(";", ",").split(",") if word.strip()
        ]
    if block.get("license"):
        said["license"] = str(block["license"])
    return said


def is_layered(action):
    """Whether the NLA adds this action to what lies below."""
    data = (thing.animation_data for thing in bpy.data.objects if thing.animation_data)
    strips = [strip for each in data for track in each.nla_tracks for strip in track.strips]
    return any(strip.action == action and strip.blend_type in ("ADD", "COMBINE") for strip in strips)


def is_skinned(thing, armature):
    """Whether a mesh is moved by the armature."""
    return thing.type == "MESH" and (
        thing.find_armature() == armature or (thing.parent == armature and thing.parent_bone != "")
    )


def select(things):
    """Make `things` the selection, the first of them active."""
    for thing in bpy.context.view_layer.objects:
        thing.select_set(thing in things)
    if things:
        bpy.context.view_layer.objects.active = things[0]


class EXPORT_SCENE_OT_moveset(bpy.types.Operator, ExportHelper):
    """All actions of the selected armature as GLB or FBX, with a .moveset.json beside"""

    bl_idname = "export_scene.moveset"
    bl_label = "Export clips for Moveset"
    filename_ext = ".glb"
    filter_glob: StringProperty(default="*.glb;*.fbx", options={"HIDDEN"})

    def check(self, context):
        """Any of the two suffixes will do."""
        return False

    @classmethod
    def poll(cls, context):
        """Whether an armature is active."""
        return context.object is not None and context.object.type == "ARMATURE"

    def execute(self, context):
        """Export, and say what was written."""
        try:
            path, beside = export(context.object, self.filepath)
        except ValueError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"wrote {path.name} and {beside.name}")
        return {"FINISHED"}


def in_menu(menu, context):
    """The line in File > Export."""
    menu.layout.operator(EXPORT_SCENE_OT_moveset.bl_idname, text="Clips for Moveset (.glb, .fbx)")


def register():
    """Add-on switched on."""
    bpy.utils.register_class(EXPORT_SCENE_OT_moveset)
    bpy.types.TOPBAR_MT_file_export.append(in_menu)


def unregister():
    """Add-on switched off."""
    bpy.types.TOPBAR_MT_file_export.remove(in_menu)
    bpy.utils.unregister_class(EXPORT_SCENE_OT_moveset)


def main(arguments):
    """As a command: [SCENE.blend] OUT.glb [ARMATURE]."""
    if arguments and arguments[0].endswith(".blend"):
        bpy.ops.wm.open_mainfile(filepath=arguments.pop(0))
    if not arguments:
        sys.exit(__doc__)
    path, *named = arguments
    armatures = [
        o for o in bpy.context.scene.objects if o.type == "ARMATURE" and o.name in (named or [o.name])
    ]
    if len(armatures) != 1:
        names = ", ".join(o.name for o in bpy.data.objects if o.type == "ARMATURE") or "none"
        sys.exit(f"name one armature after the output; the scene has {names}")
    try:
        for written in export(armatures[0], path):
            print(f"wrote {written}")
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:])
