"""Run in a process of its own: what ufbx takes an FBX file for.

python fbx_ufbx.py IN.fbx OUT.npz   (a line of JSON on standard input: {"clip name": [seconds of each frame], ...})

ufbx's Python module hands out elements without counting references: each is counted here, and nothing is cleaned up.
"""

import ctypes
import gc
import json
import os
import sys

import numpy as np
import ufbx

AXES = {0: (1, 0, 0), 1: (-1, 0, 0), 2: (0, 1, 0), 3: (0, -1, 0), 4: (0, 0, 1), 5: (0, 0, -1)}


def keep(thing):
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
    return thing


def matrix(m):
    out = np.eye(4)
    out[:3] = np.array(m).T
    return out


def trs(t):
    x, y, z, w = t.rotation
    r = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = r * np.array(t.scale), t.translation
    return out


def main(source, target):
    gc.disable()
    asked = json.loads(sys.stdin.readline())
    scene = keep(ufbx.load_file(source))
    settings = keep(scene.settings)
    axes = settings.axes
    # to right (which is the left of one who faces us), up, front, in metres
    turn = np.array([AXES[int(axes.right)], AXES[int(axes.up)], AXES[int(axes.front)]], dtype=float)
    world = np.eye(4)
    world[:3, :3] = turn * settings.unit_meters
    nodes = [keep(node) for node in scene.nodes]
    number = {node.typed_id: i for i, node in enumerate(nodes)}
    parents = [number[keep(node.parent).typed_id] if node.parent is not None else -1 for node in nodes]
    out = {
        "fps": settings.frames_per_second,
        "nodes": [node.name for node in nodes],
        "bones": [node.bone is not None for node in nodes],
        "parents": parents,
        "stacks": [],
    }
    for k, stack in enumerate(scene.anim_stacks):
        keep(stack)
        anim = keep(stack.anim)
        out["stacks"].append(stack.name)
        out[f"span{k}"] = [stack.time_begin, stack.time_end]
        props = {keep(p).name: p.value_str for p in keep(stack.props).props}
        out[f"note{k}"] = props.get("moveset", "")
        times = asked.get(stack.name, [])
        poses = np.empty((len(times), len(nodes), 4, 4))
        for f, t in enumerate(times):
            for i, node in enumerate(nodes):
                local = trs(ufbx.evaluate_transform(anim, node, t))
                poses[f, i] = local if parents[i] < 0 else poses[f, parents[i]] @ local
        out[f"world{k}"] = world @ poses
    meshes = [node for node in nodes if node.mesh is not None]
    out["meshes"] = [node.name for node in meshes]
    for m, node in enumerate(meshes):
        mesh = keep(node.mesh)
        corners = np.array(list(mesh.vertex_indices))
        points = np.array([tuple(v) for v in mesh.vertices])
        out[f"corners{m}"] = corners
        for label, layer in (("normals", keep(mesh.vertex_normal)), ("uvs", keep(mesh.vertex_uv))):
            if layer.exists:
                values = np.array([tuple(v) for v in layer.values])
                out[f"{label}{m}"] = values[list(layer.indices)]
        clusters = [keep(c) for c in keep(next(iter(mesh.skin_deformers))).clusters]
        weights = np.zeros((len(points), len(clusters)))
        for c, cluster in enumerate(clusters):
            if cluster.num_weights:
                weights[list(cluster.vertices), c] = list(cluster.weights)
        out[f"points{m}"] = points
        out[f"weights{m}"] = weights
        out[f"joints{m}"] = [number[keep(c.bone_node).typed_id] for c in clusters]
        out[f"binds{m}"] = np.array([matrix(c.geometry_to_bone) for c in clusters]).reshape(-1, 4, 4)
        surfaces = [keep(s) for s in mesh.materials]
        if surfaces:
            out[f"color{m}"] = [*surfaces[0].fbx.diffuse_color.value_vec4]
            texture = surfaces[0].fbx.diffuse_color.texture
            out[f"png{m}"] = np.frombuffer(keep(texture).content, np.uint8) if texture is not None else []
    np.savez(target, **{key: np.array(value) for key, value in out.items()})


try:
    main(*sys.argv[1:3])
    sys.stdout.flush()
finally:
    kind = sys.exc_info()[1]
    if kind is not None:
        import traceback

        traceback.print_exc()
    sys.stderr.flush()
    os._exit(1 if kind is not None else 0)
