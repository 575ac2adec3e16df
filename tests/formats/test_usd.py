"""UsdSkel both ways, against OpenUSD's own skinning; skips without the extra `usd`."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from moveset import formats
from moveset.errors import MovesetError
from moveset.formats import usd
from moveset.geometry import quaternion
from moveset.motion import Asset, Character
from moveset.rigs.mannequin import mannequin
from moveset.synthetic import synthesize

needs_usd = pytest.mark.skipif(find_spec("pxr") is None, reason="needs the extra `usd` (OpenUSD)")


def walk() -> Asset:
    clip = synthesize("walk_turn_left_090").slice(0, 12)
    other = replace(synthesize("jump", fps=15.0).slice(0, 6), name="a jump")
    return Asset((replace(mannequin(clip.skeleton, clip), name="man 1"),), (clip, other))


def skinned(character: Character, clip) -> np.ndarray:
    """(F, V, 3) vertices of all meshes by the definition of linear blend skinning."""
    frames = []
    for rotations, positions in zip(clip.world_rotations, clip.world_positions):
        world = np.tile(np.eye(4), (len(rotations), 1, 1))
        world[:, :3, :3], world[:, :3, 3] = quaternion.to_matrix(rotations), positions
        vertices = []
        for mesh in character.meshes:
            moves = (world[mesh.skin_joints] @ mesh.inverse_binds)[mesh.joint_indices]
            points = np.concatenate((mesh.positions, np.ones((len(mesh.positions), 1))), axis=1)
            vertices.append(np.einsum("vk,vkij,vj->vi", mesh.weights, moves, points)[:, :3])
        frames.append(np.concatenate(vertices))
    return np.array(frames)


@needs_usd
@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usdz", ".usd"])
@pytest.mark.parametrize(("up", "unit"), [("Y", "m"), ("Z", "cm")])
def test_round_trip(tmp_path, suffix, up, unit):
    asset = walk()
    again = formats.read(formats.write(asset, tmp_path / f"a{suffix}", up=up, unit=unit))
    assert not again.findings
    assert [c.name for c in again.clips] == ["walk_turn_left_090", "a_jump"]
    character, clip = asset.characters[0], asset.clips[0]
    assert again.characters[0].skeleton.names == character.skeleton.names
    np.testing.assert_allclose(
        again.characters[0].skeleton.rest_world[1], character.skeleton.rest_world[1], atol=1e-6
    )
    for ours, theirs in zip(asset.clips, again.clips, strict=True):
        assert (theirs.fps, len(theirs)) == (ours.fps, len(ours))
        np.testing.assert_allclose(theirs.world_positions, ours.world_positions, atol=2e-6)
        assert quaternion.angle_between(theirs.world_rotations, ours.world_rotations).max() < 2e-6
    truth = skinned(character, clip)
    np.testing.assert_allclose(
        _sorted(skinned(again.characters[0], again.clips[0])), _sorted(truth), atol=1e-5
    )
    assert again.characters[0].materials[0].base_color[:3] == pytest.approx(
        character.materials[0].base_color[:3], abs=1e-3
    )


def _sorted(points: np.ndarray) -> np.ndarray:
    """Vertices in an order that splitting and joining them does not change: unique ones of the first frame."""
    _, keep = np.unique(np.round(points[0], 4), axis=0, return_index=True)
    return np.sort(points[:, keep].mean(axis=1), axis=0)


@needs_usd
@pytest.mark.parametrize("up", ["Y", "Z"])
def test_openusd_skins_it_to_the_same_place(tmp_path, up):
    from pxr import Usd, UsdGeom, UsdSkel

    asset = walk()
    file = formats.write(asset, tmp_path / "a.usdc", up=up, unit="cm")
    stage = Usd.Stage.Open(str(file))
    assert UsdGeom.GetStageUpAxis(stage) == up and UsdGeom.GetStageMetersPerUnit(stage) == 0.01
    character, clip = asset.characters[0], asset.clips[0]
    truth = skinned(character, clip)
    root = UsdSkel.Root(stage.GetDefaultPrim())
    assert UsdSkel.BakeSkinning(root)
    start = 0
    for prim in stage.Traverse():
        if not prim.IsA(UsdGeom.Mesh):
            continue
        mesh = UsdGeom.Mesh(prim)
        for frame in (0, 5, 11):
            points = np.array(mesh.GetPointsAttr().Get(frame), dtype=float)
            world = np.array(UsdGeom.XformCache(frame).GetLocalToWorldTransform(prim))
            placed = np.column_stack((points, np.ones(len(points)))) @ world
            x, y, z = placed[:, :3].T * 0.01
            ours = np.stack((x, z, -y) if up == "Z" else (x, y, z), axis=-1)
            np.testing.assert_allclose(ours, truth[frame, start : start + len(points)], atol=1e-5)
        start += len(points)
    assert start == truth.shape[1]


@needs_usd
def test_what_others_write(tmp_path):
    """Centimetres, Z up, a moving root above the skeleton, a subset of joints, samples every other time code."""
    text = """#usda 1.0
( metersPerUnit = 0.01
  upAxis = "Z"
  timeCodesPerSecond = 24 )
def Xform "World" {
  double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 4: (0, -100, 0) }
  uniform token[] xformOpOrder = ["xformOp:translate"]
  def SkelRoot "Man" {
    def Skeleton "Skel" ( prepend apiSchemas = ["SkelBindingAPI"] ) {
      uniform token[] joints = ["Hips", "Hips/Spine", "Hips/Spine/Head"]
      uniform matrix4d[] bindTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,90,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,120,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,160,1))]
      uniform matrix4d[] restTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,90,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,30,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,40,1))]
      rel skel:animationSource = </World/Man/Nod>
    }
    def SkelAnimation "Nod" {
      uniform token[] joints = ["Hips/Spine"]
      quatf[] rotations.timeSamples = { 0: [(1,0,0,0)], 2: [(0.7071068,0.7071068,0,0)], 4: [(1,0,0,0)] }
      float3[] translations = [(0, 0, 30)]
      half3[] scales = [(1, 1, 1)]
    }
  }
}
"""
    file = tmp_path / "a.usda"
    file.write_text(text)
    asset = formats.read(file)
    clip = asset.clips[0]
    assert (clip.name, len(clip), clip.fps) == ("Nod", 3, 12)
    hips = clip.world_positions[:, 0]
    np.testing.assert_allclose(hips, [[0, 0.9, 0], [0, 0.9, 0.5], [0, 0.9, 1.0]], atol=1e-6)
    np.testing.assert_allclose(clip.world_positions[0, 2], [0, 1.6, 0], atol=1e-6)
    # a quarter turn about X takes the head, which is up, to -Y of the file, which is +Z here
    np.testing.assert_allclose(clip.world_positions[1, 2], [0, 1.2, 0.5 + 0.4], atol=1e-5)


@needs_usd
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"#usda 1.0\n( subLayers = [@/etc/passwd.usda@] )\n", "refers to 1 other files"),
        (b'#usda 1.0\ndef "A" ( references = @../b.usda@</B> ) {}\n', "refers to 1 other files"),
        (
            b'#usda 1.0\ndef "A" ( clips = { dictionary d = { asset[] assetPaths = [@x.usd@] } } ) {}\n',
            "value clips",
        ),
        (b"#usda 1.0\nnonsense", "line 2: is damaged, or no USD"),
        (b"PXR-USDC" + bytes(100), "is damaged, or no USD"),
        (b"PK\x03\x04" + bytes(100), "damaged .usdz"),
        (b"GIF89a", "is no USD file"),
    ],
)
def test_what_is_refused(text, message):
    with pytest.raises(MovesetError, match=message):
        usd.FORMAT.read(text, path="a.usd")


@pytest.mark.skipif(find_spec("pxr") is not None, reason="OpenUSD is installed")
def test_without_openusd_it_is_named(tmp_path):
    (tmp_path / "a.usda").write_text("#usda 1.0\n")
    with pytest.raises(
        MovesetError, match=r"needs pxr, which is not installed -- pip install 'moveset\[usd\]'"
    ):
        formats.read(tmp_path / "a.usda")
    with pytest.raises(MovesetError, match="writing USD files needs OpenUSD"):
        formats.write(walk(), tmp_path / "b.usda")
