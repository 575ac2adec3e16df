"""FBX written and read again by ourselves: nothing that the format carries is lost or moved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from fbx_compare import skinned
from test_fbx_write import place, rigid_binds
from test_gltf_write import random_clip, some_mesh, some_skeleton

from moveset import formats
from moveset.formats.fbx import PRESETS
from moveset.motion import Asset, Character, Material
from moveset.render.skinning import joint_matrices


def figure() -> Asset:
    """A tree of joints, a mesh with blend shapes and a texture, clips that tumble and that open the coat."""
    skeleton = some_skeleton()
    coat = replace(some_mesh(skeleton, 3, morphs=True), inverse_binds=rigid_binds(skeleton, place(0.01)))
    pixels = np.random.default_rng(1).integers(0, 256, (4, 6, 4), dtype=np.uint8)
    pixels[..., 3] = 255
    materials = (Material("plain", (0.2, 0.4, 0.6, 1.0)), Material("cloth", texture=pixels))
    clips = [random_clip(skeleton, 30, 1, 24.0, "tumble"), random_clip(skeleton, 20, 2, 59.94, "open")]
    clips[1] = replace(
        clips[1], curves={"coat.open": np.linspace(0, 1, 20), "coat.wet": np.linspace(0.5, 0, 20)}
    )
    return Asset((Character(skeleton, (coat,), materials, name="figure"),), tuple(clips))


@pytest.mark.parametrize("preset", PRESETS)
def test_there_and_back(tmp_path, preset):
    ours = figure()
    theirs = formats.read(formats.write(ours, tmp_path / "figure.fbx", preset=preset))
    assert [c.name for c in theirs.clips] == ["tumble", "open"]
    (character,), (mesh,) = theirs.characters, theirs.characters[0].meshes
    assert character.skeleton.names == ours.characters[0].skeleton.names
    assert np.array_equal(character.skeleton.parents, ours.characters[0].skeleton.parents)
    for mine, back in zip(ours.clips, theirs.clips):
        assert (len(back), back.fps) == (len(mine), pytest.approx(mine.fps))
        assert np.abs(joint_matrices(back)[..., 3] - joint_matrices(mine)[..., 3]).max() < 2e-5
        corners = mesh.triangles.reshape(-1)
        source = ours.characters[0].meshes[0]
        expected = skinned(ours.characters[0], source, mine, 1)[:, np.asarray(source.triangles).reshape(-1)]
        found = skinned(character, mesh, back, 1)[:, corners]
        assert np.abs(found - expected).max() < 2e-5
    for name, curve in ours.clips[1].curves.items():
        assert np.allclose(theirs.clips[1].curves[name], curve, atol=1e-6)
    uvs = ours.characters[0].meshes[0].uvs[np.asarray(ours.characters[0].meshes[0].triangles).reshape(-1)]
    assert np.allclose(mesh.uvs[mesh.triangles.reshape(-1)], uvs, atol=1e-6)
    cloth = character.materials[mesh.material]
    assert cloth.name == "cloth" and np.array_equal(cloth.texture, ours.characters[0].materials[1].texture)
    assert mesh.morphs.shape[0] == 2
