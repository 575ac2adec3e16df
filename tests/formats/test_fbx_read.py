"""Reading FBX: files written by hand, in which every number is known."""

from __future__ import annotations

import numpy as np
import pytest
from fbx_text import CONSTANT, FPS_30, LINEAR, FbxText

from moveset import formats
from moveset.errors import MovesetError
from moveset.formats.fbx.meshes import triangulate
from moveset.geometry import quaternion
from moveset.motion import Asset
from moveset.render.skinning import joint_matrices

CM = 0.01


def read(file: FbxText | bytes) -> Asset:
    def nothing(name: str) -> bytes:
        raise MovesetError("is not there")

    data = file if isinstance(file, bytes) else file.data()
    return formats.format_of("x.fbx").read(data, path="x.fbx", sibling=nothing)


def checks(asset: Asset) -> set[str]:
    return {finding.check for finding in asset.findings}


def arm(**settings: float) -> tuple[FbxText, int, int]:
    """Two bones: a root at (0, 100, 0) and a hand at (10, 0, 0) below it."""
    file = FbxText()
    file.settings |= settings
    root = file.node("Root", Lcl_Translation=(0, 100, 0))
    hand = file.node("Hand", root, Lcl_Translation=(10, 0, 0))
    return file, root, hand


def test_a_take_is_cut_out_of_its_curves():
    """Keys from 0 to 2 s, a take from 0.5 to 1 s."""
    file, root, _ = arm()
    (layer,) = file.stack("Walk", 0.5, 1.0)
    file.curve(layer, root, "Lcl Translation", (0, 2), X=(0, 200))
    clip = read(file).clips[0]
    assert (clip.name, len(clip), clip.fps) == ("Walk", 13, 24)
    assert np.allclose(clip.world_positions[:, 0, 0], np.linspace(50, 100, 13) * CM)
    assert np.allclose(clip.world_positions[:, 0, 1], 0)  # the curve node says 0 for Y, whatever the node has


def test_pre_rotation_comes_before_the_curves():
    file = FbxText()
    root = file.node("Root")
    hand = file.node("Hand", root, PreRotation=(0, 90, 0), RotationActive=1, Lcl_Translation=(10, 0, 0))
    file.node("Finger", hand, Lcl_Translation=(0, 0, 5))
    (layer,) = file.stack("Walk", 0, 1)
    file.curve(layer, hand, "Lcl Rotation", (0, 1), X=(0, 90))
    clip = read(file).clips[0]
    # at the end +Z of the hand goes to -Y by its own turn about X, which the quarter turn about Y leaves there
    assert np.allclose(clip.world_positions[0, 2], np.array((15, 0, 0)) * CM)
    assert np.allclose(clip.world_positions[-1, 2], np.array((10, -5, 0)) * CM)


def test_axes_and_units_are_turned_to_metres_and_y_up():
    z_up = {"UpAxis": 2, "FrontAxis": 1, "FrontAxisSign": -1, "UnitScaleFactor": 100.0}
    file, _, _ = arm(**z_up)
    asset = read(file)
    assert np.allclose(asset.characters[0].skeleton.rest_world[1], [(0, 0, -100), (10, 0, -100)])
    assert "axes_turned" in checks(asset)
    assert not checks(read(arm()[0]))


def test_what_a_file_does_not_say_is_a_finding():
    file, _, _ = arm()
    file.settings.clear()
    assert {"axes_assumed", "unit_assumed"} <= checks(read(file))


def test_an_armature_of_another_size_is_baked():
    """Blender's: a node turned by -90 degrees and scaled by 100 above bones in metres."""
    file = FbxText()
    armature = file.node("Armature", 0, "Null", Lcl_Rotation=(-90, 0, 0), Lcl_Scaling=(100, 100, 100))
    hips = file.node("Hips", armature, Lcl_Translation=(0, 0, 1))
    file.node("Head", hips, Lcl_Translation=(0, 0, 0.5))
    (layer,) = file.stack("Armature|Nod", 0, 1)
    file.curve(layer, hips, "Lcl Rotation", (0, 1), X=(0, 90))
    asset = read(file)
    (character,), (clip,) = asset.characters, asset.clips
    assert character.name == "Armature" and character.skeleton.names == ("Hips", "Head")
    assert np.allclose(character.skeleton.rest_world[1], [(0, 1, 0), (0, 1.5, 0)], atol=1e-6)
    assert clip.name == "Nod" and clip.scales is None
    assert np.allclose(clip.world_positions[-1], [(0, 1, 0), (0, 1, 0.5)], atol=1e-6)


@pytest.mark.parametrize(
    ("keyed", "stated", "found"), [(60, 11, 60), (30, 11, 30), (24, 11, 24), (12, 11, 24), (30, 12, 30)]
)
def test_the_rate_of_the_keys_is_the_rate(keyed, stated, found):
    """Files that say 24 (11) or 1000 (12) frames a second, with keys at other rates."""
    file, root, _ = arm(TimeMode=stated)
    times = np.arange(2 * keyed + 1) / keyed
    (layer,) = file.stack("Walk", 0, 2)
    file.curve(layer, root, "Lcl Translation", times, X=np.arange(len(times)))
    asset = read(file)
    assert asset.clips[0].fps == found and len(asset.clips[0]) == 2 * found + 1
    says_otherwise = {11: 24, 12: 1000}[stated] != found
    assert ("rate_from_keys" in checks(asset)) == says_otherwise


def test_keys_beside_the_frames_are_a_finding():
    file, root, _ = arm(TimeMode=FPS_30)
    (layer,) = file.stack("Walk", 0, 1)
    file.curve(layer, root, "Lcl Translation", (0, 0.137, 0.521, 1), X=(0, 1, 2, 3))
    assert read(file).clips[0].fps == 30
    assert "uneven_keys" in checks(read(file))


def test_a_step_is_on_its_frame():
    file, root, _ = arm()
    times = np.arange(25) / 24
    (layer,) = file.stack("Walk", 0, 1)
    file.curve(layer, root, "Lcl Translation", times, CONSTANT, X=np.arange(25))
    assert np.allclose(read(file).clips[0].world_positions[:, 0, 0], np.arange(25) * CM)


def test_a_take_without_a_range_has_that_of_its_keys():
    file, root, _ = arm()
    (layer,) = file.stack("Walk")
    file.curve(layer, root, "Lcl Translation", (1, 2), X=(0, 100))
    asset = read(file)
    assert len(asset.clips[0]) == 25 and "range_assumed" in checks(asset)


def test_takes_that_move_nothing_are_no_clips():
    file, _, _ = arm()
    camera = file.node("Target", 0, "Null")
    file.stack("Take 001", 0, 5)
    (layer,) = file.stack("Camera", 0, 1)
    file.curve(layer, camera, "Lcl Translation", (0, 1), X=(0, 1))
    asset = read(file)
    assert not asset.clips and asset.characters[0].skeleton.names == ("Root", "Hand")


def test_names_keep_what_tells_them_apart():
    file, root, _ = arm()
    for name in ("Root|Walk|BaseLayer", "Hand|Walk", "Root|Run"):
        (layer,) = file.stack(name, 0, 1)
        file.curve(layer, root, "Lcl Translation", (0, 1), X=(0, 1))
    assert [clip.name for clip in read(file).clips] == ["Root|Walk|BaseLayer", "Hand|Walk", "Root|Run"]


def scaled_arm(mode: int, scale: tuple[float, float, float]) -> FbxText:
    """A hand that turns by 90 degrees about Z below a scaled root; its finger is 5 along its X."""
    file = FbxText()
    root = file.node("Root", InheritType=1)
    hand = file.node("Hand", root, Lcl_Translation=(10, 0, 0), InheritType=mode)
    file.mesh(hand, [(0, 0, 0), (5, 0, 0), (0, 2, 0)], [(0, 1, 2)])
    file.node("Finger", hand, Lcl_Translation=(5, 0, 0), InheritType=mode)
    (layer,) = file.stack("Walk", 0, 1)
    file.curve(layer, root, "Lcl Scaling", (0, 1), X=(1, scale[0]), Y=(1, scale[1]), Z=(1, scale[2]))
    file.curve(layer, hand, "Lcl Rotation", (0, 1), Z=(0, 90))
    return file


@pytest.mark.parametrize("scale", [(2, 2, 2), (2, 1, 3)])
@pytest.mark.parametrize(("mode", "along"), [(0, "own"), (1, "parent's"), (2, "none")])
def test_scale_is_inherited_in_three_ways(mode, along, scale):
    """R r S s along its own axes, R S r s along the parent's, R r s not at all (InheritType 0, 1, 2). The hand is at (10, 0, 0) times the scale in each."""
    asset = read(scaled_arm(mode, scale))
    (clip,), (character,) = asset.clips, asset.characters
    # the arm's X points along Y: its length takes the scale of its own X, of the root's Y, or none
    stretch = {"own": scale[0], "parent's": scale[1], "none": 1}[along]
    matrices = joint_matrices(clip)[-1]
    where = [matrices[clip.skeleton.index[name], :, 3] for name in ("Hand", "Finger")]
    assert np.allclose(
        where, np.array([(10 * scale[0], 0, 0), (10 * scale[0], 5 * stretch, 0)]) * CM, atol=1e-6
    )
    mesh = character.meshes[0]
    matrix = matrices[mesh.skin_joints[0]] @ mesh.inverse_binds[0]
    tip = mesh.positions[np.argmax(mesh.positions[:, 0])]
    assert np.allclose(matrix[:, :3] @ tip + matrix[:, 3], where[1], atol=1e-6)
    assert ("split_joints" in checks(asset)) == (mode != 1 and scale == (2, 1, 3))


def test_numbers_that_are_none_cost_their_clip_only():
    file, root, _ = arm()
    for name, values in (("Good", (0, 1)), ("Bad", (0, "nan"))):
        (layer,) = file.stack(name, 0, 1)
        file.curve(layer, root, "Lcl Translation", (0, 1), X=values)
    asset = read(file)
    assert [clip.name for clip in asset.clips] == ["Good"]
    assert [f.clip for f in asset.findings if f.check == "nan"] == ["Bad"]


def test_a_node_at_infinity_is_refused():
    file = FbxText()
    file.node("Root", Lcl_Translation=("1e300", 0, 0))
    with pytest.raises(MovesetError, match="absurdly large") as caught:
        read(file)
    assert "Root" in str(caught.value)


def test_a_take_of_days_is_refused():
    file, root, _ = arm()
    (layer,) = file.stack("Walk", 0, 1e6)
    file.curve(layer, root, "Lcl Translation", (0, 1), X=(0, 1))
    with pytest.raises(MovesetError, match="24,000,001 frames") as caught:
        read(file)
    assert "Walk" in str(caught.value)


def test_figures_without_bones_move_by_their_meshes():
    file = FbxText()
    body = file.node("Body", 0, "Mesh", Lcl_Translation=(0, 10, 0))
    file.mesh(body, [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2, 3)])
    lid = file.node("Lid", body, "Mesh", Lcl_Translation=(0, 1, 0))
    file.mesh(lid, [(0, 0, 0), (1, 0, 0), (1, 1, 0)], [(0, 1, 2)])
    (character,) = read(file).characters
    assert character.skeleton.names == ("Body", "Lid")
    assert [(mesh.name, len(mesh.triangles), mesh.skin_joints.tolist()) for mesh in character.meshes] == [
        ("Body", 2, [0]),
        ("Lid", 1, [1]),
    ]
    # vertices stand in the world, in metres
    assert np.allclose(character.meshes[1].positions.min(axis=0), np.array((0, 11, 0)) * CM)


def test_a_mesh_that_no_bone_moves_is_said():
    file, _, _ = arm()
    floor = file.node("Floor", 0, "Mesh")
    file.mesh(floor, [(0, 0, 0), (1, 0, 0), (1, 1, 0)], [(0, 1, 2)])
    asset = read(file)
    assert not asset.characters[0].meshes and "loose_meshes" in checks(asset)


def test_mirrored_axes_keep_right_and_left():
    """A left-handed file: what stands on +X there is on +X here, and faces still look outwards."""
    file = FbxText()
    file.settings["FrontAxisSign"] = -1
    body = file.node("Body", 0, "Mesh")
    file.mesh(body, [(0, 0, 0), (100, 0, 0), (0, 0, 50)], [(0, 1, 2)])
    (mesh,) = read(file).characters[0].meshes
    corners = mesh.positions[mesh.triangles[0]]
    assert np.allclose(mesh.positions.max(axis=0), (1, 0, 0)) and np.allclose(
        mesh.positions.min(axis=0), (0, 0, -0.5)
    )
    outwards = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    assert outwards[1] < 0  # as in the file, where the winding shows the face from below


def test_concave_quads_are_cut_inside():
    """A dart: only one of its two diagonals runs inside."""
    points = np.array([(0, 0, 0), (2, 2, 0), (0, 1, 0), (-2, 2, 0)], dtype=float)
    for turn in range(4):
        corners = np.roll(np.arange(4), turn)
        _, triangles = triangulate(np.array([[0, 4]]), points, corners)
        a, b, c = np.moveaxis(points[corners[triangles]], 1, 0)
        assert np.all(np.cross(b - a, c - a)[:, 2] > 0)


def test_rotations_are_unit_and_do_not_flip():
    file, root, _ = arm()
    (layer,) = file.stack("Spin", 0, 2)
    file.curve(layer, root, "Lcl Rotation", (0, 2), LINEAR, Y=(0, 1440))
    rotations = read(file).clips[0].rotations[:, 0]
    assert np.allclose(np.linalg.norm(rotations, axis=1), 1)
    assert np.all(np.sum(rotations[1:] * rotations[:-1], axis=1) > 0)
    assert np.allclose(np.rad2deg(quaternion.angle_between(rotations[1:], rotations[:-1])), 30)
