"""Reading glTF: one peculiarity a test, on files made for it, held against the plain reference reader."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Sequence

import numpy as np
import pytest
from gltf_compare import all_vertices, joint_matrices, rest_matrices, rest_vertices
from gltf_maker import Maker, about, read_bytes
from gltf_reference import PlainGltf
from hypothesis import given, settings
from hypothesis import strategies as st

from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.motion import Asset

SQUARE = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


def assert_like_reference(maker: Maker, asset: Asset, tolerance: float = 1e-5) -> None:
    """Joints and vertices of every clip and of the rest pose, at every frame, are where glTF puts them."""
    plain, source = PlainGltf(maker.glb()), asset.source.document
    (character,), (part,) = asset.characters, source.parts
    assert_same(rest_matrices(character)[:, :3, 3], plain.world(None, 0)[part.rig.nodes, :3, 3], tolerance)
    assert_same(rest_vertices(asset, character), plain.vertices(None, 0), tolerance)
    for number, clip in enumerate(asset.clips):
        for frame in range(len(clip)):
            time = source.starts[clip.name] + frame / clip.fps
            truth = plain.world(number, time)[part.rig.nodes]
            assert_same(joint_matrices(clip, frame)[:, :3, 3], truth[:, :3, 3], tolerance)
            assert_same(all_vertices(character, clip, frame), plain.vertices(number, time), tolerance)


def assert_same(ours: Sequence[np.ndarray], theirs: Sequence[np.ndarray], tolerance: float) -> None:
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, atol=tolerance)


def skinned_arm(maker: Maker, joints: list[int], **node: object) -> None:
    """A triangle bound to `joints` by binds that disagree with the rest of the nodes."""
    binds = np.tile(np.eye(4), (len(joints), 1, 1))
    binds[:, :3, 3] = np.arange(3 * len(joints)).reshape(-1, 3) * 0.1
    used = [[0, len(joints) - 1, 0, 0]] * 3
    mesh = maker.mesh(SQUARE, used, [[1, 0, 0, 0], [0.25, 0.75, 0, 0], [0, 1, 0, 0]])
    maker.node("skinned", mesh=mesh, skin=maker.skin(joints, binds), **node)


def swing(maker: Maker, node: int, frames: int = 7, fps: float = 30.0, start: float = 0.0) -> dict:
    """A turn about Z that grows."""
    times = start + np.arange(frames) / fps
    return maker.track(node, "rotation", times, [about("z", 10.0 * i) for i in range(frames)])


def test_a_character_reads_as_specified():
    maker = Maker(scenes=[{"nodes": [0, 2]}])
    hips, spine = maker.chain("hips", "spine")
    skinned_arm(maker, [hips, spine])
    maker.animation(
        swing(maker, spine),
        maker.track(hips, "translation", np.arange(7) / 30, [[0, 0, 0.1 * i] for i in range(7)]),
    )
    asset = maker.read()
    (clip,) = asset.clips
    assert clip.skeleton.names == ("hips", "spine")
    assert (len(clip), clip.fps, clip.name, clip.scales) == (7, 30.0, "move", None)
    assert_like_reference(maker, asset)


@given(
    scale=st.sampled_from([1.0, 0.01, 100.0, -2.0]),
    mirror=st.sampled_from([(1, 1, 1), (-1, 1, 1), (1, -1, 1), (-1, -1, 1)]),
    turn=st.sampled_from([about("x", 90), about("y", -35), about("z", 180), about("x", 0)]),
    joint_scale=st.sampled_from([1.0, 3.0, -1.0]),
    as_matrix=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_what_stands_above_the_joints_is_baked(scale, mirror, turn, joint_scale, as_matrix):
    maker = Maker(scenes=[{"nodes": [0]}])
    place = {"translation": [1, 2, 3], "rotation": turn, "scale": (scale * np.array(mirror)).tolist()}
    if as_matrix:
        plain = Maker()
        plain.node(**place)
        place = {"matrix": PlainGltf(plain.glb()).local(0, {}, 0).T.ravel().tolist()}
    maker.node("armature", children=[1, 4], **place)
    maker.node("hips", children=[2], rotation=about("y", 20), scale=[joint_scale] * 3)
    maker.node("spine", children=[3], translation=[0, 1, 0], rotation=about("x", 30))
    maker.node("head", translation=[0, 0.5, 0])
    skinned_arm(maker, [1, 2, 3])
    maker.animation(
        swing(maker, 1),
        swing(maker, 2),
        maker.track(1, "translation", np.arange(7) / 30, np.eye(3)[[0, 1, 2, 0, 1, 2, 0]]),
    )
    asset = maker.read()
    assert asset.clips[0].skeleton.names == ("hips", "spine", "head")
    assert asset.clips[0].scales is None
    assert_like_reference(maker, asset, tolerance=2e-5 * max(abs(scale), 1))


@pytest.mark.parametrize("interpolation", ["STEP", "LINEAR", "CUBICSPLINE"])
@pytest.mark.parametrize("path", ["rotation", "translation", "scale"])
def test_every_interpolation_of_every_path(interpolation, path):
    rng = np.random.default_rng(3)
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.chain("a", "b")
    times = np.array([0, 3, 4, 10, 15]) / 30
    values = rng.normal(size=(5, 3 if interpolation == "CUBICSPLINE" else 1, 4 if path == "rotation" else 3))
    if path == "rotation":
        values /= np.linalg.norm(values, axis=-1, keepdims=True)
    if path == "scale":  # uniform: what a rigid joint can hold exactly
        values = 1 + 0.2 * np.repeat(values[..., :1], 3, axis=-1)
    maker.animation(
        maker.track(0, path, times, values.reshape(-1, values.shape[-1]), interpolation), swing(maker, 1, 16)
    )
    asset = maker.read()
    (clip,) = asset.clips
    assert (len(clip), clip.fps) == (16, 30.0)
    assert_like_reference(maker, asset)
    neighbours = np.einsum("fji,fji->fj", clip.rotations[1:], clip.rotations[:-1])
    if interpolation != "STEP":
        assert neighbours.min() >= 0


def test_sparse_strided_and_normalized_accessors():
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.chain("a", "b")
    turns = np.array([about("z", 20.0 * i) for i in range(4)])
    times = maker.accessor(np.arange(4) / 30)
    small = maker.accessor(np.rint(turns * 32767), "i2", normalized=True)
    rows = np.hstack((np.arange(12).reshape(4, 3), np.full((4, 1), np.nan))).astype("f4")
    strided = maker.add(
        "accessors",
        {
            "bufferView": maker.view(rows.tobytes(), byteStride=16),
            "componentType": 5126,
            "count": 4,
            "type": "VEC3",
        },
    )
    changed = {
        "count": 2,
        "indices": {"bufferView": maker.view(np.array([1, 3], "u1").tobytes()), "componentType": 5121},
        "values": {"bufferView": maker.view(np.array([[1, 1, 1], [3, 3, 3]], "f4").tobytes())},
    }
    sparse = maker.add("accessors", {"componentType": 5126, "count": 4, "type": "VEC3", "sparse": changed})
    maker.animation(
        maker.track(0, "rotation", times, small),
        maker.track(0, "translation", times, strided),
        maker.track(1, "translation", times, sparse),
    )
    asset = maker.read()
    np.testing.assert_allclose(
        asset.clips[0].translations[:, 1], [[0, 0, 0], [1, 1, 1], [0, 0, 0], [3, 3, 3]]
    )
    assert_like_reference(maker, asset, tolerance=1e-4)


@pytest.mark.parametrize(
    ("times", "fps", "frames"),
    [
        (np.arange(20) / 24, 24.0, 20),
        (np.arange(20) / 60, 60.0, 20),
        (np.arange(20) / 29.97, 29.97, 20),
        (np.arange(20) * 0.016667, 60.0, 20),
        (np.arange(5) / 2, 30.0, 61),  # two keys a second are poses, not frames
        (np.array([0, 1, 2, 5, 9, 10, 20]) / 30, 30.0, 21),
        (np.append(np.arange(10) / 30, 0.316), 30.0, 11),  # cut between two frames: the last pose is kept
    ],
)
def test_a_clip_has_the_rate_it_was_keyed_at(times, fps, frames):
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.chain("a")
    maker.animation(maker.track(0, "rotation", times, [about("z", i) for i in range(len(times))]))
    asset = maker.read()
    (clip,) = asset.clips
    assert (clip.fps, len(clip)) == (pytest.approx(fps, rel=1e-6), frames)
    assert not any(f.check == "uneven_keys" for f in asset.findings)
    last = quaternion.angle(clip.rotations[-1, 0])
    assert np.degrees(last) == pytest.approx(len(times) - 1, abs=1e-3)


def test_uneven_keys_are_a_finding():
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.chain("a")
    times = np.cumsum(0.03 + 0.01 * np.random.default_rng(0).random(20))
    maker.animation(maker.track(0, "rotation", times, [about("z", i) for i in range(20)]))
    (finding,) = [f for f in maker.read().findings if f.check == "uneven_keys"]
    assert finding.clip == "move"
    assert 0 < finding.value < 1 / 30


def test_starts_are_shifted_and_recorded():
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.chain("a")
    maker.animation(swing(maker, 0, start=1 / 24, fps=24), name="late")
    asset = maker.read()
    assert asset.source.document.starts == {"late": pytest.approx(1 / 24)}
    assert len(asset.clips[0]) == 7
    assert [f.count for f in asset.findings if f.check == "late_start"] == [1]
    assert_like_reference(maker, asset)


def test_missing_channels_rest_and_still_tracks_cost_nothing():
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.chain("a", "b", "c")
    maker.skin([0, 1, 2])
    held = maker.track(1, "rotation", [0, 1], [about("x", 40)] * 2, "STEP")
    maker.animation(held, name="pose")
    maker.animation(swing(maker, 0, 25, 24), name="turn")
    pose, turn = maker.read().clips
    assert pose.rotations.strides[0] == pose.translations.strides[0] == 0
    assert turn.translations.strides[0] == 0
    assert pose.fps == turn.fps == 24  # a clip that holds still takes the rate of the others
    assert len(pose) == 25
    np.testing.assert_allclose(quaternion.angle(pose.rotations[7]), [0, np.radians(40), 0], atol=1e-6)
    np.testing.assert_allclose(turn.rotations[5, 2], [0, 0, 0, 1])


def test_one_key_is_one_frame():
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.chain("a")
    maker.animation(maker.track(0, "translation", [0.5], [[1, 2, 3]]))
    (clip,) = maker.read().clips
    np.testing.assert_allclose(clip.translations, [[[1, 2, 3]]])
    assert clip.seconds == 0


def test_signs_are_continuous_and_counted():
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.chain("a")
    keys = np.array([about("z", 10.0 * i) for i in range(6)]) * [[-1], [1], [-1], [-1], [1], [1]]
    maker.animation(maker.track(0, "rotation", np.arange(6) / 30, keys))
    asset = maker.read()
    rotations = asset.clips[0].rotations[:, 0]
    assert (np.einsum("fi,fi->f", rotations[1:], rotations[:-1]) > 0).all()
    assert rotations[0, 3] > 0
    assert [f.count for f in asset.findings if f.check == "sign_flips"] == [3]


def test_animated_scale_is_kept_only_where_it_is_real():
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.chain("a", "b")
    ones = maker.track(0, "scale", np.arange(3) / 30, np.full((3, 3), 1.00001))
    maker.animation(ones, swing(maker, 1, 3), name="noise")
    maker.animation(
        maker.track(0, "scale", np.arange(3) / 30, [[1, 1, 1], [2, 2, 2], [3, 3, 3]]), name="grow"
    )
    maker.animation(
        maker.track(0, "scale", [0, 1], [[1, 1, 1], [2, 2, 2]], "STEP"), swing(maker, 1, 31), name="pop"
    )
    noise, grow, pop = maker.read().clips
    assert noise.scales is None
    np.testing.assert_allclose(grow.scales[:, 0, 1], [1, 2, 3])
    np.testing.assert_allclose(pop.scales[-1, 0], 2)
    np.testing.assert_allclose(grow.world_positions[:, 1, 1], [1, 2, 3])


def test_rigid_parts_hang_on_the_nearest_joint():
    maker = Maker(scenes=[{"nodes": [0]}])
    hand = maker.chain("arm", "hand")[1]
    maker.json["nodes"][hand]["children"] = [2]
    grip = maker.node("grip", translation=[0, 0.2, 0], rotation=about("x", 90), scale=[2, 2, 2], children=[3])
    maker.node("sword", mesh=maker.mesh(SQUARE), translation=[0, 0, 0.5])
    skinned_arm(maker, [0, 1])
    maker.animation(swing(maker, 0), swing(maker, hand))
    asset = maker.read()
    assert asset.characters[0].skeleton.names == ("arm", "hand")
    assert [list(m.skin_joints) for m in asset.characters[0].meshes] == [[1]]
    assert grip == 2
    assert_like_reference(maker, asset)


def test_without_skins_nodes_with_meshes_are_joints():
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.node("root", children=[1, 2], translation=[0, 1, 0])
    maker.node("body", mesh=maker.mesh(SQUARE))
    maker.node("arm", mesh=maker.mesh(SQUARE), translation=[1, 0, 0])
    maker.animation(swing(maker, 2))
    asset = maker.read()
    assert asset.characters[0].skeleton.names == ("body", "arm")
    assert_like_reference(maker, asset)


def test_nodes_between_joints_are_joints_and_sockets_too():
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.chain("hips", "between", "hand", "handslot.r")
    maker.skin([0, 2])
    (character,) = maker.read().characters
    assert character.skeleton.names == ("hips", "between", "hand", "handslot.r")
    assert character.sockets == {"rightProp": 3}


def test_an_armature_keyed_at_rest_is_no_joint():
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.node("rig", children=[1], rotation=about("x", 90))
    maker.node("hips")
    maker.skin([1])
    maker.animation(maker.track(0, "rotation", [0, 1], [about("x", 90)] * 2), swing(maker, 1, 31))
    maker.animation(maker.track(0, "rotation", [0, 1], [about("x", 90)] * 2), name="still")
    assert maker.read().characters[0].skeleton.names == ("hips",)
    maker.animation(swing(maker, 0), name="tumble")
    assert maker.read().characters[0].skeleton.names == ("rig", "hips")


def test_trees_that_nothing_relates_are_characters_of_their_own():
    maker = Maker(scenes=[{"nodes": [0, 2]}])
    maker.chain("hips", "spine")
    maker.chain("hips", "tail")
    skins = maker.skin([0, 1]), maker.skin([2, 3])
    for skin in skins:
        mesh = maker.mesh(SQUARE, [[0, 1, 0, 0]] * 3, [[0.5, 0.5, 0, 0]] * 3)
        maker.json["scenes"][0]["nodes"].append(maker.node(mesh=mesh, skin=skin))
    maker.animation(swing(maker, 1), name="bow")
    maker.animation(swing(maker, 3), name="wag")
    asset = maker.read()
    assert [c.skeleton.names for c in asset.characters] == [("hips", "spine"), ("hips", "tail")]
    assert [clip.skeleton.names[1] for clip in asset.clips] == ["spine", "tail"]
    assert [len(c.meshes) for c in asset.characters] == [1, 1]
    maker.animation(swing(maker, 1), swing(maker, 3), name="together")
    assert [c.skeleton.names for c in maker.read().characters] == [("hips", "spine", "hips_2", "tail")]


def test_names_are_made_unique_and_unnamed_clips_named():
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.chain("bone", "bone", "")
    maker.skin([0, 1, 2])
    for name in ("walk", "walk", None):
        maker.animation(swing(maker, 0), name=name)
    asset = maker.read()
    assert asset.characters[0].skeleton.names == ("bone", "bone_2", "node_2")
    assert [c.name for c in asset.clips] == ["walk", "walk_2", "animation_2"]


def test_blend_shapes_and_their_weights():
    maker = Maker(scenes=[{"nodes": [0]}])
    targets = [{"POSITION": maker.accessor(np.full((3, 3), 0.5))}, {"POSITION": maker.accessor(np.eye(3))}]
    primitive = {"attributes": {"POSITION": maker.accessor(SQUARE)}, "targets": targets}
    named = {"extras": {"targetNames": ["smile", "blink"]}, "weights": [0.0, 0.25]}
    maker.node("face", mesh=maker.add("meshes", {"primitives": [primitive], **named}))
    maker.animation(
        maker.track(0, "weights", [0, 1 / 30, 2 / 30], np.array([0, 0.1, 1, 0.2, 0, 0.3])[:, None]),
        name="talk",
    )
    maker.animation(swing(maker, 0), name="nod")
    asset = maker.read()
    assert asset.characters[0].meshes[0].morph_names == ("face.smile", "face.blink")
    np.testing.assert_allclose(asset.clips[0].curves["face.smile"], [0, 1, 0])
    np.testing.assert_allclose(asset.clips[1].curves["face.blink"], 0.25)
    assert_like_reference(maker, asset)


def test_eight_influences_and_weights_that_do_not_sum_to_one():
    maker = Maker(scenes=[{"nodes": [0]}])
    bones = maker.chain(*"abcdef")
    sets = {
        "JOINTS_1": maker.accessor([[4, 5, 0, 0]] * 3, "u2"),
        "WEIGHTS_1": maker.accessor([[51, 51, 0, 0]] * 3, "u1", normalized=True),
    }
    mesh = maker.mesh(
        SQUARE, [[0, 1, 2, 3]] * 3, [[0.2, 0.2, 0.2, 0.4], [0, 0, 0, 0], [0.1, 0.1, 0.1, 0.1]], **sets
    )
    maker.node(mesh=mesh, skin=maker.skin(bones))
    maker.json["scenes"][0]["nodes"].append(6)
    maker.animation(*(swing(maker, bone) for bone in bones))
    asset = maker.read()
    assert asset.characters[0].meshes[0].weights.shape == (3, 8)
    assert_like_reference(maker, asset)


def test_a_vertex_without_weights_follows_the_first_joint_and_is_counted():
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.node(
        mesh=maker.mesh(SQUARE, [[1, 9, 0, 0]] * 3, [[1, 0, 0, 0], [0, 0, 0, 0], [np.nan, np.nan, 0, 0]]),
        skin=0,
    )
    maker.chain("a", "b")
    maker.skin([1, 2])
    asset = maker.read()
    np.testing.assert_allclose(asset.characters[0].meshes[0].weights[:, 0], 1)
    assert {f.check: f.count for f in asset.findings} == {"unbound_vertices": 2, "nan_in_mesh": 1}


def png(color: tuple[int, ...]) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGBA", (4, 2), color).save(out, "PNG")
    return out.getvalue()


def textured(image: dict, **extension: object) -> Maker:
    maker = Maker(scenes=[{"nodes": [0]}], images=[image], textures=[{"source": 0}])
    info = {"index": 0} | ({"extensions": {"KHR_texture_transform": extension}} if extension else {})
    surface = {"baseColorTexture": info, "baseColorFactor": [1, 0.5, 0.25, 1]}
    maker.add(
        "materials",
        {"pbrMetallicRoughness": surface, "doubleSided": True, "alphaMode": "MASK", "name": "skin"},
    )
    maker.node(mesh=maker.mesh(SQUARE, TEXCOORD_0=maker.accessor([[0, 0], [1, 0], [0, 1]])))
    maker.json["meshes"][0]["primitives"][0]["material"] = 0
    return maker


def test_materials_and_textures_from_files():
    asset = read_bytes(textured({"uri": "my%20skin.png"}).glb(), {"my skin.png": png((9, 8, 7, 6))})
    (material,) = asset.characters[0].materials
    assert material.texture.shape == (2, 4, 4)
    assert material.texture[0, 0].tolist() == [9, 8, 7, 6]
    assert (material.base_color, material.double_sided, material.alpha_mode) == (
        (1, 0.5, 0.25, 1),
        True,
        "MASK",
    )


def test_a_missing_texture_is_a_finding_and_a_broken_one_an_error_when_looked_at():
    asset = textured({"uri": "gone.png"}).read()
    assert asset.characters[0].materials[0].texture is None
    assert [f.check for f in asset.findings] == ["missing_texture"]
    broken = (
        read_bytes(textured({"uri": "bad.png"}).glb(), {"bad.png": b"not an image"})
        .characters[0]
        .materials[0]
    )
    with pytest.raises(MovesetError, match="cannot be decoded"):
        _ = broken.texture


def test_texture_transform_moves_the_coordinates():
    asset = read_bytes(
        textured({"uri": "a.png"}, offset=[0.5, 0], scale=[2, 3], rotation=np.pi / 2).glb(),
        {"a.png": png((0,) * 4)},
    )
    np.testing.assert_allclose(asset.characters[0].meshes[0].uvs, [[0.5, 0], [0.5, -2], [3.5, 0]], atol=1e-6)


def test_strips_and_fans_become_triangles_and_lines_are_left_out():
    maker = Maker(scenes=[{"nodes": [0]}])
    points = maker.accessor([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 2, 0]])
    primitives = [{"attributes": {"POSITION": points}, "mode": mode} for mode in (5, 6, 1)]
    maker.node(mesh=maker.add("meshes", {"primitives": primitives}))
    asset = maker.read()
    strip, fan = (mesh.triangles.tolist() for mesh in asset.characters[0].meshes)
    assert strip == [[0, 1, 2], [2, 1, 3], [2, 3, 4]]
    assert fan == [[0, 1, 2], [0, 2, 3], [0, 3, 4]]
    assert [f.check for f in asset.findings] == ["mesh_left_out"]


def test_vrm_0_is_turned_to_face_forward_and_states_its_roles():
    bones = [{"bone": "hips", "node": 1}, {"bone": "leftThumbProximal", "node": 2}]
    maker = Maker(scenes=[{"nodes": [0]}], extensions={"VRM": {"humanoid": {"humanBones": bones}}})
    maker.node("root", children=[1])
    maker.node("pelvis", children=[2], translation=[0, 1, 0.25])
    maker.node("thumb", translation=[0.5, 0, 0])
    maker.skin([1, 2])
    skeleton = maker.read().characters[0].skeleton
    assert skeleton.roles == ("hips", "leftThumbMetacarpal")
    np.testing.assert_allclose(skeleton.rest_world[1], [[0, 1, -0.25], [-0.5, 1, -0.25]], atol=1e-12)


def test_vrm_1_states_its_roles_and_is_not_turned():
    bones = {"hips": {"node": 0}, "leftThumbProximal": {"node": 1}}
    maker = Maker(extensions={"VRMC_vrm": {"humanoid": {"humanBones": bones}}})
    maker.chain("pelvis", "thumb")
    skeleton = maker.read().characters[0].skeleton
    assert skeleton.roles == ("hips", "leftThumbProximal")


def test_draco_meshes_are_left_out_and_clips_read():
    maker = Maker(scenes=[{"nodes": [0]}], extensionsRequired=["KHR_draco_mesh_compression"])
    maker.chain("a")
    maker.skin([0])
    maker.node(mesh=maker.mesh(SQUARE, [[0] * 4] * 3, [[1, 0, 0, 0]] * 3), skin=0)
    maker.json["scenes"][0]["nodes"].append(1)
    maker.json["meshes"][0]["primitives"][0]["extensions"] = {"KHR_draco_mesh_compression": {"bufferView": 0}}
    maker.animation(swing(maker, 0))
    asset = maker.read()
    assert len(asset.clips) == 1
    (finding,) = asset.findings
    assert finding.check == "compressed_mesh"
    assert "KHR_draco_mesh_compression" in finding.message


def test_compressed_animation_is_refused_in_a_sentence():
    maker = Maker(scenes=[{"nodes": [0]}], extensionsUsed=["EXT_meshopt_compression"])
    maker.chain("a")
    maker.animation(swing(maker, 0))
    for view in maker.json["bufferViews"]:
        view["extensions"] = {"EXT_meshopt_compression": {}}
    with pytest.raises(MovesetError, match=r"compressed with EXT_meshopt_compression.*gltfpack"):
        maker.read()


def test_embedded_text_reads_like_binary():
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.chain("a", "b")
    maker.animation(swing(maker, 1))
    glb, text = (read_bytes(data).clips[0] for data in (maker.glb(), b"\xef\xbb\xbf" + maker.gltf()))
    np.testing.assert_array_equal(glb.rotations, text.rotations)


def broken(change) -> bytes:
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.chain("a", "b")
    maker.animation(swing(maker, 1))
    change(maker.json)
    return maker.glb()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda j: j["asset"].update(version="1.0"), "glTF 1.0; glTF 2.0 is read"),
        (lambda j: j["asset"].clear(), "no asset.version"),
        (lambda j: j["nodes"][1].update(children=[0]), "its own ancestor"),
        (lambda j: j["nodes"][0].update(children=[9]), r"nodes\[0\]: children\[0\] is 9; there are 2 nodes"),
        (lambda j: j["nodes"][0].update(rotation=[0, 0, 1]), "not 4 finite numbers"),
        (lambda j: [a.update(count=10**9) for a in j["accessors"]], "reach beyond the end"),
        (lambda j: j["accessors"][1].update(count=3), "3 values for 7 key times"),
        (lambda j: j["accessors"][1].update(type="VEC2"), "its values have 2 components"),
        (lambda j: j["accessors"].append({"componentType": 5126, "count": 10**10, "type": "SCALAR"}) or
         j["animations"][0]["samplers"][0].update(input=2), "values for"),
        (lambda j: j["animations"][0]["samplers"][0].update(interpolation="QUADRATIC"), "QUADRATIC"),
        (lambda j: j["animations"][0]["channels"][0].update(sampler=4), "sampler is 4; there are 1 samplers"),
        (lambda j: j["animations"][0]["channels"][0]["target"].update(node="hips"), "not an index"),
        (lambda j: j["bufferViews"][0].update(buffer=3), "there are 1 buffers"),
        (lambda j: j.update(nodes={"a": 1}), "glTF 2.0 is read|not an array"),
        (lambda j: j.update(skins=[{"joints": [7]}]), "there are 2 nodes"),
    ],
)  # fmt: skip
def test_broken_files_are_refused_in_a_sentence(change, says):
    with pytest.raises(MovesetError, match=says) as caught:
        read_bytes(broken(change))
    assert caught.value.file == "made.glb"


@pytest.mark.parametrize("cut", [0, 3, 11, 19, 40, 200, -1])
def test_cut_files_are_refused(cut):
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.chain("a")
    maker.animation(swing(maker, 0))
    with pytest.raises(MovesetError):
        read_bytes(maker.glb()[:cut])


@pytest.mark.parametrize("step", [0, 1], ids=["still", "moving"])
def test_key_times_that_are_no_seconds_are_refused_before_memory_is_taken(step):
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.chain(*(f"bone{i}" for i in range(50)))
    maker.animation(maker.track(0, "rotation", [0, 1, 7e6], [about("z", i * step) for i in range(3)]))
    with pytest.raises(MovesetError, match="hours"):
        maker.read()


def test_times_that_run_backwards_are_refused():
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.chain("a")
    maker.animation(maker.track(0, "rotation", [0, 1, 0.5], [about("z", i) for i in range(3)]))
    with pytest.raises(MovesetError, match=r"run backwards: 1 s, then 0\.5 s"):
        maker.read()


def test_a_clip_with_nan_is_left_out_and_named():
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.chain("a")
    maker.animation(maker.track(0, "translation", [0, 0.1], [[0, 0, 0], [0, np.nan, 0]]), name="bad")
    maker.animation(swing(maker, 0), name="good")
    asset = maker.read()
    assert [c.name for c in asset.clips] == ["good"]
    assert [(f.check, f.severity, f.clip) for f in asset.findings] == [("nan", "error", "bad")]


def test_long_chains_and_many_equal_names_take_no_time():
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.chain(*(["bone"] * 8_000))
    maker.animation(swing(maker, 0), swing(maker, 7_999))
    data = maker.glb()
    assert len(read_bytes(data).characters[0].skeleton) == 8_000


def test_deep_json_is_refused():
    text = b'{"asset":{"version":"2.0"},"extras":' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    with pytest.raises(MovesetError, match="nested too deeply"):
        read_bytes(text)


def test_glb_version_1_is_refused_by_name():
    with pytest.raises(MovesetError, match="GLB container version 1"):
        read_bytes(b"glTF" + struct.pack("<IIII", 1, 20, 0, 0))


def test_json_that_is_no_gltf():
    with pytest.raises(MovesetError, match=r"no asset\.version"):
        read_bytes(json.dumps({"hello": 1}).encode())
