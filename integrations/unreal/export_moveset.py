"""Export animation sequences from Unreal Engine 5 to FBX, with what FBX cannot say of them in a file beside each.

NOT RUN BY ITS AUTHORS: there was no Unreal editor where it was written. It follows Epic's Python API reference of 5.1 to
5.7, and is tested against a stand-in for the `unreal` module. If something is called otherwise in your version, the
output log names it.

In the editor (plug-ins Python Editor Script Plugin and Editor Scripting Utilities on): select animation sequences in the
Content Browser, then Tools > Execute Python Script. Or in the Python console, or on the command line:

    import export_moveset; export_moveset.export_folder("/Game/Characters/Hero/Animations", "D:/clips")
    UnrealEditor-Cmd Project.uproject -run=pythonscript -script="export_moveset.py /Game/Hero/Anims D:/clips"

NAME.moveset.json beside NAME.fbx says: additive type and the pose that it is the difference to, loop, root motion,
notifies as events, and where the sequence lies in the project. Exported tracks are full poses also of additive
sequences, which is what the file says: the difference is taken when the sequence plays.
"""

import json
import os
import sys

import unreal

OUTPUT = os.path.join(unreal.Paths.project_saved_dir(), "Moveset")
"""Where selected sequences go."""

_SPACES = {
    unreal.AdditiveAnimationType.AAT_LOCAL_SPACE_BASE: "local",
    unreal.AdditiveAnimationType.AAT_ROTATION_OFFSET_MESH_SPACE: "mesh",
}


def export_selected(folder=OUTPUT, with_mesh=False):
    """Export the animation sequences that are selected in the Content Browser."""
    assets = unreal.EditorUtilityLibrary.get_selected_assets()
    return export([asset for asset in assets if isinstance(asset, unreal.AnimSequence)], folder, with_mesh)


def export_folder(path, folder=OUTPUT, with_mesh=False):
    """Export every animation sequence below `path`, e.g. /Game/Characters/Hero."""
    found = []
    for name in unreal.EditorAssetLibrary.list_assets(path, recursive=True):
        data = unreal.EditorAssetLibrary.find_asset_data(name)
        asset = data.get_asset() if data.is_valid() else None
        if isinstance(asset, unreal.AnimSequence):
            found.append(asset)
    return export(found, folder, with_mesh)


def export(sequences, folder, with_mesh=False):
    """Write NAME.fbx and NAME.moveset.json of each sequence; the paths of the .fbx files."""
    os.makedirs(folder, exist_ok=True)
    written, taken = [], set()
    with unreal.ScopedSlowTask(max(len(sequences), 1), "Exporting animation sequences") as progress:
        progress.make_dialog(True)
        for sequence in sequences:
            if progress.should_cancel():
                break
            progress.enter_progress_frame(1, sequence.get_name())
            stem = unused(sequence.get_name(), taken)
            file = os.path.join(folder, stem + ".fbx")
            if not write_fbx(sequence, file, with_mesh):
                unreal.log_error(f"Moveset: {sequence.get_path_name()} could not be exported")
                continue
            with open(os.path.join(folder, stem + ".moveset.json"), "w", encoding="utf-8") as beside:
                json.dump(facts_of(sequence), beside, indent=1, ensure_ascii=False)
            written.append(file)
    unreal.log(f"Moveset: {len(written)} of {len(sequences)} sequences written to {folder}")
    return written


def unused(name, taken):
    """`name`, with a number if another sequence of that name went to the same folder."""
    stem, number = name, 1
    while stem.lower() in taken:
        number += 1
        stem = f"{name}_{number}"
    taken.add(stem.lower())
    return stem


def write_fbx(sequence, file, with_mesh):
    """Unreal's own FBX export of one sequence, without a dialog."""
    options = unreal.FbxExportOption()
    options.set_editor_property("ascii", False)
    options.set_editor_property("export_preview_mesh", with_mesh)
    options.set_editor_property("export_local_time", True)
    task = unreal.AssetExportTask()
    task.set_editor_property("object", sequence)
    task.set_editor_property("filename", file)
    task.set_editor_property("exporter", unreal.AnimSequenceExporterFBX())
    task.set_editor_property("options", options)
    task.set_editor_property("automated", True)
    task.set_editor_property("prompt", False)
    task.set_editor_property("replace_identical", True)
    return unreal.Exporter.run_asset_export_task(task)


def facts_of(sequence):
    """What FBX does not say of a sequence. The file holds one take, so the fields stand at the top."""
    said = {
        "writer": f"Unreal {unreal.SystemLibrary.get_engine_version()}",
        "source": sequence.get_path_name(),
        "loop": bool(sequence.get_editor_property("loop")),
        "root_motion": bool(sequence.get_editor_property("enable_root_motion")),
        "additive": additive_of(sequence),
    }
    events = [event_of(notify) for notify in unreal.AnimationLibrary.get_animation_notify_events(sequence)]
    if events:
        said["events"] = sorted(events, key=lambda event: event["time"])
    return said


def additive_of(sequence):
    """False, or the space and the pose of the difference."""
    space = _SPACES.get(sequence.get_editor_property("additive_anim_type"))
    if space is None:
        return False
    base = sequence.get_editor_property("ref_pose_type")
    said = {"space": space, "stored": "poses"}
    frame = {"frame": int(sequence.get_editor_property("ref_frame_index"))}
    other = sequence.get_editor_property("ref_pose_seq")
    if base == unreal.AdditiveBasePoseType.ABPT_LOCAL_ANIM_FRAME:
        return {**said, "pose": "frame", **frame}
    if base == unreal.AdditiveBasePoseType.ABPT_ANIM_FRAME and other:
        return {**said, "pose": "clip", "clip": other.get_name(), **frame}
    if base == unreal.AdditiveBasePoseType.ABPT_ANIM_SCALED and other:
        return {**said, "pose": "clip", "clip": other.get_name()}  # frame by frame, stretched to its length
    return {**said, "pose": "reference"}


def event_of(notify):
    """A notify as an event; of a notify state its beginning."""
    return {
        "time": round(unreal.AnimationLibrary.get_anim_notify_event_trigger_time(notify), 6),
        "name": str(notify.get_editor_property("notify_name")),
    }


if __name__ == "__main__":
    if len(sys.argv) > 2:
        export_folder(*sys.argv[1:3])
    else:
        export_selected()
