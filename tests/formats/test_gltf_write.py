"""Writing glTF: patched into the file that was read, or built; what comes back is what went in."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gltf_compare import all_vertices
from gltf_maker import Maker, about, read_bytes
from gltf_reference import PlainGltf
from hypothesis import given, settings
from hypothesis import strategies as st
from test_gltf import SQUARE, png, skinned_arm, swing, textured

from moveset.errors import MovesetError
from moveset.formats.gltf import write
from moveset.formats.gltf.write import losses
from moveset.geometry import quaternion
from moveset.motion import Annotation, Asset, Character, Clip, Contacts, Event, Material, Mesh, Skeleton, Tags
from moveset.motion.canonical import canonical_skeleton

VALIDATOR = os.environ.get("MOVESET_GLTF_VALIDATOR")
"""A node_modules folder that holds the npm package gltf-validator."""


def validator_errors(files: list[Path]) -> dict[str, list[str]]:
    """What the Khronos validator calls errors, by file name; skips where it is not installed."""
    if not VALIDATOR:
        pytest.skip("Khronos validator not found (npm install gltf-validator, set MOVESET_GLTF_VALIDATOR)")
    script = Path(__file__).parent / "oracles" / "gltf_validate.js"
    command = ["node", str(script), *map(str, files)]
    run = subprocess.run(
        command, env=os.environ | {"NODE_PATH": VALIDATOR}, capture_output=True, text=True, check=True
    )
    reports = json.loads(run.stdout)
    assert len(reports) == len(files)
    return {
        Path(file).name: errors
        for file, report in reports.items()
        if (
            errors := [
                f"{m['code']} {m.get('pointer')}" for m in report["issues"]["messages"] if m["severity"] == 0
            ]
        )
    }


def random_clip(
    skeleton: Skeleton, frames: int, seed: int = 0, fps: float = 30.0, name: str = "move"
) -> Clip:
    rng = np.random.default_rng(seed)
    turns = rng.normal(size=(frames, len(skeleton), 3)).cumsum(axis=0) * 0.3
    rotations = quaternion.multiply(skeleton.rest_rotations, quaternion.from_rotation_vector(turns))
    translations = np.tile(skeleton.rest_translations, (frames, 1, 1))
    translations[:, 0] += rng.normal(size=(frames, 3)).cumsum(axis=0) * 0.05
    return Clip(skeleton, quaternion.unroll(rotations), translations, fps, name)


def some_skeleton(roots: int = 1) -> Skeleton:
    rng = np.random.default_rng(5)
    parents = np.array([-1, 0, 1, 1, 3] + [-1] * (roots - 1))
    joints = len(parents)
    rest = quaternion.normalize(rng.normal(size=(joints, 4)))
    names = tuple(f"bone {i}" for i in range(joints))
    tips = np.full((joints, 3), np.nan)
    tips[[2, 4]] = [[0, 0.1, 0], [0.2, 0, 0]]
    return Skeleton(names, parents, quaternion.positive(rest), rng.normal(size=(joints, 3)), tips=tips)


def some_mesh(skeleton: Skeleton, influences: int, morphs: bool = False) -> Mesh:
    rng = np.random.default_rng(influences)
    vertices, joints = 30, len(skeleton)
    weights = rng.random((vertices, influences))
    binds = np.tile(np.eye(4), (joints, 1, 1))
    binds[:, :3] += rng.normal(size=(joints, 3, 4)) * 0.1
    normals = rng.normal(size=(vertices, 3))
    return Mesh(
        rng.normal(size=(vertices, 3)),
        rng.integers(0, vertices, (20, 3)),
        np.arange(joints),
        binds,
        np.argsort(rng.random((vertices, joints)))[:, :influences],
        weights / weights.sum(axis=1, keepdims=True),
        normals=normals / np.linalg.norm(normals, axis=1, keepdims=True),
        uvs=rng.random((vertices, 2)),
        colors=rng.random((vertices, 4)),
        material=1,
        name="coat",
        morphs=rng.normal(size=(2, vertices, 3)) if morphs else None,
        morph_names=("coat.open", "coat.wet") if morphs else (),
    )


def assert_clips_equal(ours: Clip, theirs: Clip, tolerance: float = 1e-5) -> None:
    assert (ours.name, len(ours), ours.loop, ours.additive) == (
        theirs.name,
        len(theirs),
        theirs.loop,
        theirs.additive,
    )
    assert theirs.fps == pytest.approx(ours.fps)
    np.testing.assert_allclose(theirs.world_positions, ours.world_positions, atol=tolerance)
    assert quaternion.angle_between(ours.rotations, theirs.rotations).max() < 1e-3
    assert ours.curves.keys() == theirs.curves.keys()
    for name, curve in ours.curves.items():
        np.testing.assert_allclose(theirs.curves[name], curve, atol=1e-5)


@given(
    frames=st.sampled_from([1, 2, 30]),
    roots=st.integers(1, 3),
    fps=st.sampled_from([30.0, 24.0, 59.94, 7.5]),
    scaled=st.booleans(),
)
@settings(max_examples=25, deadline=None)
def test_built_files_come_back(frames, roots, fps, scaled):
    skeleton = some_skeleton(roots)
    clip = random_clip(skeleton, frames, fps=fps)
    if scaled:
        clip = replace(clip, scales=1 + 0.1 * np.random.default_rng(1).random(clip.translations.shape))
    character = Character(skeleton, name="hero")
    (character_back,), (back,) = (
        getattr(again(Asset((character,), (clip,))), part) for part in ("characters", "clips")
    )
    assert character_back.skeleton.signature == skeleton.signature
    np.testing.assert_allclose(character_back.skeleton.tips, skeleton.tips, atol=1e-9)
    assert character_back.name == "hero"
    assert_clips_equal(clip, back)
    assert (back.scales is None) == (not scaled)
    if scaled:
        np.testing.assert_allclose(back.scales, clip.scales, atol=1e-6)


def again(asset: Asset, path: str = "out.glb", **options: object) -> Asset:
    return read_bytes(write(asset, path=path, **options))


@pytest.mark.parametrize("influences", [1, 3, 5])
def test_built_characters_come_back(influences):
    skeleton = replace(some_skeleton(), roles=("hips", "spine", None, None, "head"))
    pixels = np.random.default_rng(0).integers(0, 255, (4, 8, 4), dtype=np.uint8)
    plain, painted = (
        Material("plain", (0.1, 0.2, 0.3, 0.5), alpha_mode="BLEND"),
        Material("painted", texture=pixels),
    )
    mesh = some_mesh(skeleton, influences, morphs=True)
    clip = replace(
        random_clip(skeleton, 5), curves={"coat.wet": np.linspace(0, 1, 5), "grip": np.linspace(1, 0, 5)}
    )
    asset = Asset((Character(skeleton, (mesh,), (plain, painted)),), (clip,))
    back = again(asset)
    character = back.characters[0]
    assert character.skeleton.roles == skeleton.roles
    first, second = character.materials
    assert (first.name, first.alpha_mode, first.base_color) == (
        "plain",
        "BLEND",
        pytest.approx((0.1, 0.2, 0.3, 0.5)),
    )
    np.testing.assert_array_equal(second.texture, pixels)
    returned = character.meshes[0]
    for field in ("normals", "uvs", "colors", "triangles", "morphs"):
        np.testing.assert_allclose(getattr(returned, field), getattr(mesh, field), atol=1e-6)
    assert (returned.morph_names, returned.material) == (mesh.morph_names, 1)
    np.testing.assert_allclose(back.clips[0].curves["grip"], clip.curves["grip"], atol=1e-6)
    for frame in range(5):
        ours, theirs = (
            all_vertices(asset.characters[0], clip, frame),
            all_vertices(character, back.clips[0], frame),
        )
        np.testing.assert_allclose(theirs[0], ours[0], atol=1e-4)


def test_a_motion_without_a_character_is_a_skeleton():
    clip = random_clip(canonical_skeleton(), 20)
    back = again(Asset(clips=(clip,)))
    assert back.characters[0].skeleton.names == clip.skeleton.names
    assert_clips_equal(clip, back.clips[0])


def test_what_is_known_about_a_clip_is_kept():
    skeleton = canonical_skeleton()
    flags = np.zeros((20, 2), dtype=bool)
    flags[3:8, 0] = flags[:2, 1] = flags[15:, 1] = True
    annotation = Annotation(motion_type=("attack",), weapon_type=("sword", "shield"), posture="bends low")
    clip = replace(
        random_clip(skeleton, 20),
        loop=True,
        additive=True,
        tags=Tags(("slash", "heavy"), annotation, "a slash", "CC0-1.0", "pack.zip#slash", mirrorable=False),
        events=(Event(0.2, "hit", "rightHand"), Event(0.5, "recover")),
        contacts=Contacts(("leftFoot", "rightFoot"), flags),
    )
    (back,) = again(Asset(clips=(clip,))).clips
    assert (back.loop, back.additive, back.tags, back.events) == (True, True, clip.tags, clip.events)
    assert back.contacts.roles == clip.contacts.roles
    np.testing.assert_array_equal(back.contacts.flags, flags)


def test_a_still_clip_keeps_its_length_in_two_keys():
    skeleton = canonical_skeleton()
    held = np.broadcast_to(skeleton.rest_rotations, (91, len(skeleton), 4))
    clip = Clip(
        skeleton, held, np.broadcast_to(skeleton.rest_translations, (91, len(skeleton), 3)), 30.0, "idle"
    )
    data = write(Asset(clips=(clip,)), path="out.glb")
    assert len(data) < 20_000
    (back,) = read_bytes(data).clips
    assert (len(back), back.rotations.strides[0]) == (91, 0)


def test_written_signs_are_continuous():
    clip = random_clip(canonical_skeleton(), 40)
    flipped = clip.rotations * np.where(np.arange(40) % 3 == 0, -1, 1)[:, None, None]
    plain = PlainGltf(write(Asset(clips=(replace(clip, rotations=flipped),)), path="out.glb"))
    for (_, path), sampler in plain.tracks(0).items():
        if path == "rotation":
            values = plain.array(sampler["output"])
            assert (np.einsum("fi,fi->f", values[1:], values[:-1]) > 0).all()


def armoured() -> Maker:
    """A skinned arm under an armature of scale 100, with everything around it that a patch must not touch."""
    maker = Maker(
        scenes=[{"nodes": [0], "extras": {"mine": 1}}], extras={"note": "keep"}, extensionsUsed=["KHR_x"]
    )
    maker.node("armature", children=[1, 3], rotation=about("x", -90), scale=[100, 100, 100])
    maker.node("hips", children=[2], translation=[0, 0, 0.01])
    maker.node("spine", translation=[0, 0.01, 0], extensions={"KHR_x": {"strength": 2}})
    skinned_arm(maker, [1, 2])
    maker.add("materials", {"extensions": {"KHR_x": {}}, "name": "steel"})
    maker.animation(swing(maker, 1), name="old")
    maker.animation(swing(maker, 2, 4), name="other")
    return maker


def test_a_patch_lands_on_the_same_character():
    maker = armoured()
    asset = maker.read()
    clip = random_clip(asset.characters[0].skeleton, 12, name="new")
    data = write(replace(asset, clips=(clip,)), path="out.glb")
    before, after = maker.document(), PlainGltf(data)
    for table in ("nodes", "materials", "scenes", "extras", "extensionsUsed"):
        assert after.json[table] == before[table], table
    assert [a["name"] for a in after.json["animations"]] == ["new"]
    assert len(after.json["accessors"]) < len(before["accessors"]) + 10
    back = read_bytes(data)
    assert_clips_equal(clip, back.clips[0], tolerance=1e-4)
    for frame in (0, 5, 11):
        truth = after.vertices(0, frame / 30)[0]
        np.testing.assert_allclose(all_vertices(asset.characters[0], clip, frame)[0], truth, atol=1e-4)
        np.testing.assert_allclose(
            all_vertices(back.characters[0], back.clips[0], frame)[0], truth, atol=1e-4
        )


def test_old_animations_go_with_their_numbers_or_stay():
    maker = armoured()
    asset = maker.read()
    clip = random_clip(asset.characters[0].skeleton, 30, name="other")
    replaced = PlainGltf(write(replace(asset, clips=(clip,)), path="out.glb"))
    kept = PlainGltf(write(replace(asset, clips=(clip,)), path="out.glb", keep_existing=True))
    assert [a["name"] for a in replaced.json["animations"]] == ["other"]
    assert [a["name"] for a in kept.json["animations"]] == ["old", "other"]
    assert len(replaced.json["accessors"]) == len(kept.json["accessors"]) - 2
    np.testing.assert_allclose(kept.world(0, 0.1), PlainGltf(maker.glb()).world(0, 0.1), atol=1e-9)
    none = PlainGltf(write(replace(asset, clips=()), path="out.glb"))
    assert "animations" not in none.json
    np.testing.assert_allclose(none.vertices(None, 0)[0], PlainGltf(maker.glb()).vertices(None, 0)[0])


def test_a_character_that_was_given_a_mesh_is_built_anew():
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.chain("a", "b")
    maker.skin([0, 1])
    maker.animation(swing(maker, 1))
    asset = maker.read()
    (character,) = asset.characters
    body = replace(some_mesh(character.skeleton, 2), material=-1)
    back = again(replace(asset, characters=(replace(character, meshes=(body,)),)))
    assert [mesh.name for mesh in back.characters[0].meshes] == ["coat"]
    assert_clips_equal(asset.clips[0], back.clips[0])


def test_clips_are_chosen_by_name():
    asset = armoured().read()
    assert [c.name for c in again(asset, clips=["other"]).clips] == ["other"]
    with pytest.raises(MovesetError, match="there is no clip 'walk'"):
        write(asset, path="out.glb", clips=["walk"])


def test_a_clip_of_another_skeleton_is_refused():
    asset = armoured().read()
    with pytest.raises(MovesetError, match=r"on another skeleton.*retarget"):
        write(replace(asset, clips=(random_clip(canonical_skeleton(), 3),)), path="out.glb")
    skeleton = asset.characters[0].skeleton
    longer = replace(skeleton, rest_translations=skeleton.rest_translations * 1.3)
    with pytest.raises(MovesetError, match="on another skeleton"):
        write(replace(asset, clips=(random_clip(longer, 3),)), path="out.glb")


def test_joints_that_the_character_lacks_are_told():
    asset = armoured().read()
    skeleton = asset.characters[0].skeleton
    more = Skeleton(
        (*skeleton.names, "tail"),
        [*skeleton.parents, 0],
        np.vstack((skeleton.rest_rotations, [0, 0, 0, 1])),
        np.vstack((skeleton.rest_translations, [0, 0, -1])),
    )
    clip = random_clip(more, 4)
    patched = replace(asset, clips=(clip,))
    assert [(f.check, f.count) for f in losses(patched)] == [("joints_left_out", 1)]
    np.testing.assert_allclose(
        again(patched).clips[0].world_positions, clip.world_positions[:, :2], atol=1e-4
    )


def test_nodes_with_matrices_are_spelt_out_when_animated():
    maker = Maker(scenes=[{"nodes": [0]}])
    turned = quaternion.to_matrix(np.array(about("y", 30)))
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = turned * 2, [1, 2, 3]
    maker.node("bone", matrix=matrix.T.ravel().tolist())
    maker.skin([0])
    asset = maker.read()
    clip = random_clip(asset.characters[0].skeleton, 5)
    data = write(replace(asset, clips=(clip,)), path="out.glb")
    node = PlainGltf(data).json["nodes"][0]
    assert node.keys() >= {"translation", "rotation", "scale"}
    assert "matrix" not in node
    assert_clips_equal(clip, read_bytes(data).clips[0])


def test_textures_beside_the_file_move_into_it():
    data = textured({"uri": "skin.png", "name": "s"}).glb()
    asset = read_bytes(data, {"skin.png": png((1, 2, 3, 255))})
    plain = PlainGltf(write(asset, path="elsewhere.glb"))
    assert plain.json["images"][0].keys() == {"name", "bufferView", "mimeType"}
    assert again(asset).characters[0].materials[0].texture[0, 0].tolist() == [1, 2, 3, 255]


def test_text_files_embed_their_buffer():
    asset = armoured().read()
    data = write(asset, path="out.gltf")
    assert json.loads(data)["buffers"][0]["uri"].startswith("data:")
    assert_clips_equal(asset.clips[0], read_bytes(data).clips[0], 1e-4)


def test_vrm_0_is_turned_back():
    maker = Maker(scenes=[{"nodes": [0]}], extensions={"VRM": {"humanoid": {"humanBones": []}}})
    maker.chain("hips", "spine")
    skinned_arm(maker, [0, 1])
    maker.json["scenes"][0]["nodes"].append(2)
    asset = maker.read()
    clip = random_clip(asset.characters[0].skeleton, 5)
    data = write(replace(asset, clips=(clip,)), path="out.vrm")
    assert_clips_equal(clip, read_bytes(data).clips[0])
    turned = PlainGltf(data).vertices(0, 2 / 30)[0] * [-1, 1, -1]
    np.testing.assert_allclose(all_vertices(asset.characters[0], clip, 2)[0], turned, atol=1e-5)


@pytest.mark.parametrize("field", ["rotations", "translations"])
def test_nan_is_not_written(field):
    clip = random_clip(canonical_skeleton(), 5)
    array = getattr(clip, field).copy()
    array[2, 3, 0] = np.nan
    with pytest.raises(MovesetError, match="holds NaN"):
        write(Asset(clips=(replace(clip, **{field: array}),)), path="out.glb")


def test_the_khronos_validator_finds_no_error(tmp_path):
    skeleton = some_skeleton(3)
    pixels = np.full((4, 4, 4), 200, dtype=np.uint8)
    character = Character(
        skeleton,
        (some_mesh(skeleton, 5, morphs=True), some_mesh(skeleton, 2)),
        (Material("a"), Material("b", texture=pixels, alpha_mode="MASK")),
    )
    clips = tuple(random_clip(skeleton, frames, name=f"clip {frames}") for frames in (1, 2, 50))
    clips += (replace(clips[2], name="shape", curves={"coat.open": np.linspace(0, 1, 50)}),)
    patched = armoured().read()
    assets = {
        "built.glb": Asset((character,), clips),
        "built.gltf": Asset((character,), clips),
        "motion.glb": Asset(clips=(random_clip(canonical_skeleton(), 10),)),
        "empty.glb": Asset(),
        "patched.glb": replace(patched, clips=(random_clip(patched.characters[0].skeleton, 9),)),
        "bare.glb": replace(patched, clips=()),
    }
    files = []
    for name, asset in assets.items():
        files.append(tmp_path / name)
        files[-1].write_bytes(write(asset, path=name))
    assert validator_errors(files) == {}


def test_meshes_of_rigid_figures_come_back():
    maker = Maker(scenes=[{"nodes": [0]}])
    maker.node("body", mesh=maker.mesh(SQUARE), children=[1])
    maker.node("arm", mesh=maker.mesh(SQUARE), translation=[1, 0, 0])
    maker.animation(swing(maker, 1))
    asset = maker.read()
    back = again(replace(asset, source=None))
    for frame in (0, 6):
        ours = all_vertices(asset.characters[0], asset.clips[0], frame)
        np.testing.assert_allclose(all_vertices(back.characters[0], back.clips[0], frame), ours, atol=1e-6)


def test_a_rate_out_of_this_world_is_not_believed():
    def keyed(fps: float) -> Asset:
        return Asset(clips=(random_clip(some_skeleton(), 8, fps=fps),))

    assert again(keyed(1e7)).clips[0].fps == 30
    with pytest.raises(MovesetError, match=r"hours at 30 fps -- key times are seconds"):
        again(keyed(1e-7))
