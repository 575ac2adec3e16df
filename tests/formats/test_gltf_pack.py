"""Every glTF of the data pack: read right, written back right, refused in a sentence where it is broken."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gltf_compare import all_vertices, character_of, joint_matrices, rest_matrices, rest_vertices
from gltf_reference import PlainGltf
from test_gltf_write import validator_errors

from moveset import formats
from moveset.conventions import POSITION_TOLERANCE
from moveset.errors import MovesetError
from moveset.motion import Asset, Clip

SUFFIXES = (".glb", ".gltf", ".vrm", ".vrma")
KNIGHT = "kaykit-adventurers/Knight.glb"
FEW = (
    KNIGHT,
    "khronos-samples/CesiumMan/glTF-Binary/CesiumMan.glb",
    "khronos-samples/InterpolationTest/glTF-Binary/InterpolationTest.glb",
    "khronos-samples/NegativeScaleTest/glTF-Binary/NegativeScaleTest.glb",
    "khronos-samples/AnimatedMorphCube/glTF-Quantized/AnimatedMorphCube.gltf",
    "kenney/platformer-kit/character.glb",
    "quaternius/glb/KnightCharacter.glb",
    "quaternius/glb/Bee.glb",
    "vrm/cryptovoxels.vrm",
)
"""Files that between them hold most peculiarities; the fast tests look at these."""

SHEARED = "catprisbrey/melee-library.glb"
"""Stretched limbs turn under their scale: glTF shears what a rigid joint cannot, by up to 3.5 cm at the fingers."""
NOISY_SCALE = "mesh2motion/dragon-animations.glb"
"""Scales beside 1 by 4e-5 along a chain, dropped as noise: 0.15 mm on a 7.4 m dragon."""


def game_files(pack: Path) -> list[Path]:
    return [path for path in sorted((pack / "game").rglob("*")) if path.suffix in SUFFIXES]


def sampled_frames(clip: Clip, every: bool) -> list[int]:
    return list(range(len(clip))) if every else sorted({0, len(clip) // 3, len(clip) // 2, len(clip) - 1})


def some_clips(asset: Asset, every: bool) -> list[Clip]:
    return list(asset.clips if every else asset.clips[:: max(len(asset.clips) // 3, 1)])


def assert_reads_as_specified(path: Path, every_clip: bool) -> None:
    """Joints and every 29th vertex lie where the plain reader of the specification puts them."""
    asset, plain = formats.read(path), PlainGltf(path.read_bytes(), path.parent)
    source = asset.source.document
    turn = np.diag([-1.0, 1, -1, 1]) if "VRM" in plain.json.get("extensions", {}) else np.eye(4)
    whole = len(asset.characters) == 1 and not {f.check for f in asset.findings} & {
        "loose_meshes",
        "compressed_mesh",
    }
    number = {source.document.name("animations", i): i for i in range(source.document.size("animations"))}
    for part, character in zip(source.parts, asset.characters):
        truth = turn @ plain.world(None, 0)[part.rig.nodes]
        np.testing.assert_allclose(
            rest_matrices(character)[:, :3, 3], truth[:, :3, 3], atol=POSITION_TOLERANCE
        )
        if whole:
            for a, b in zip(rest_vertices(asset, character, 29), plain.vertices(None, 0, 29), strict=True):
                np.testing.assert_allclose(a, b @ turn[:3, :3], atol=POSITION_TOLERANCE)
    for clip in some_clips(asset, every_clip):
        character = character_of(asset, clip)
        nodes = source.parts[asset.characters.index(character)].rig.nodes
        for frame in sampled_frames(clip, False):
            time = source.starts[clip.name] + frame / clip.fps
            truth = plain.world(number[clip.name], time)[nodes]
            np.testing.assert_allclose(
                joint_matrices(clip, frame)[:, :3, 3],
                truth[:, :3, 3],
                atol=POSITION_TOLERANCE,
                err_msg=clip.name,
            )
            if whole:
                theirs = plain.vertices(number[clip.name], time, 29)
                for a, b in zip(all_vertices(character, clip, frame, 29), theirs, strict=True):
                    np.testing.assert_allclose(a, b, atol=POSITION_TOLERANCE, err_msg=clip.name)


def assert_comes_back(asset: Asset, back: Asset, every: bool) -> None:
    """Joints, vertices and curves are where they were, at all frames or some."""
    assert [c.name for c in back.clips] == [c.name for c in asset.clips]
    assert [len(c.meshes) for c in back.characters] == [len(c.meshes) for c in asset.characters]
    for ours, theirs in zip(some_clips(asset, every), some_clips(back, every)):
        assert (len(theirs), theirs.scales is None) == (len(ours), ours.scales is None), ours.name
        np.testing.assert_allclose(theirs.world_positions, ours.world_positions, atol=POSITION_TOLERANCE)
        assert theirs.curves.keys() == ours.curves.keys()
        step = 1 if every else 11
        for frame in sampled_frames(ours, every):
            pair = [(character_of(a, c), c) for a, c in ((asset, ours), (back, theirs))]
            before, after = (all_vertices(character, clip, frame, step) for character, clip in pair)
            for a, b in zip(before, after):
                np.testing.assert_allclose(b, a, atol=POSITION_TOLERANCE)


@pytest.mark.parametrize("name", FEW)
def test_reads_as_specified(pack, name):
    assert_reads_as_specified(pack / "game" / name, every_clip=False)


@pytest.mark.slow
def test_all_read_as_specified(pack):
    for path in game_files(pack):
        if "draco" not in path.name and not str(path).endswith((SHEARED, NOISY_SCALE)):
            assert_reads_as_specified(path, every_clip=False)


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("built", [False, True], ids=["patched", "built"])
def test_comes_back(pack, name, built, tmp_path):
    asset = formats.read(pack / "game" / name)
    out = formats.write(replace(asset, source=None) if built else asset, tmp_path / "out.glb")
    assert_comes_back(asset, formats.read(out), every=False)


@pytest.mark.slow
@pytest.mark.parametrize("built", [False, True], ids=["patched", "built"])
def test_all_come_back_valid(pack, built, tmp_path):
    written = []
    for number, path in enumerate(game_files(pack)):
        asset = formats.read(path)
        target = tmp_path / f"{number}_{path.stem}.glb"
        formats.write(replace(asset, source=None) if built else asset, target)
        assert_comes_back(asset, formats.read(target), every=True)
        written.append(target)
    errors = validator_errors(written)
    errors = {
        name: of for name, of in errors.items() if "AnimatedCube" not in name
    }  # names a texture the pack left out
    assert errors == {}


def test_few_written_files_are_valid(pack, tmp_path):
    written = []
    for number, name in enumerate(FEW):
        asset = formats.read(pack / "game" / name)
        for kind, given in (("patched", asset), ("built", replace(asset, source=None))):
            written.append(formats.write(given, tmp_path / f"{number}_{kind}.glb"))
    assert validator_errors(written) == {}


def test_the_knight(pack):
    asset = formats.read(pack / "game" / KNIGHT)
    (knight,) = asset.characters
    assert (len(asset.clips), len(knight.skeleton), len(knight.meshes)) == (76, 41, 15)
    assert {clip.fps for clip in asset.clips} == {30.0}
    assert sum(len(clip) == 1 for clip in asset.clips) == 7
    assert all(clip.scales is None for clip in asset.clips)
    assert knight.skeleton.names[knight.sockets["leftProp"]] == "handslot.l"
    assert knight.materials[0].texture.shape == (1024, 1024, 4)
    assert [f.count for f in asset.findings if f.check == "sign_flips"] == [370]


def test_clip_rates_and_lengths_agree_with_the_index(pack):
    rows = [line.split(",") for line in (pack / "clips.csv").read_text().splitlines()]
    head = rows[0]
    column = {name: head.index(name) for name in ("path", "clip", "seconds", "joints")}
    seconds = {
        (row[column["path"]], row[column["clip"]]): row[column["seconds"]]
        for row in rows[1:]
        if len(row) == len(head)
    }
    compared = 0
    for name in (*FEW, "mesh2motion/fox-animations.glb", "kaykit-animations/Med_General.glb"):
        for clip in formats.read(pack / "game" / name).clips:
            stated = seconds.get((f"game/{name}", clip.name))
            if stated is not None:
                assert clip.seconds == pytest.approx(float(stated), abs=0.5 / clip.fps), clip.name
                compared += 1
    assert compared > 100


def test_real_scale_is_kept_and_the_rest_dropped(pack):
    for name, scaled in {"Med_General": 2, "Med_Special": 1, "Med_CombatMelee": 0}.items():
        clips = formats.read(pack / "game" / "kaykit-animations" / f"{name}.glb").clips
        assert sum(clip.scales is not None for clip in clips) == scaled, name


def test_a_clip_goes_onto_the_mannequin_of_its_own_rig(pack, tmp_path):
    folder = pack / "game" / "kaykit-animations"
    mannequin = formats.read(folder / "mannequin" / "manny_med_mod.gltf")
    clip = formats.read(f"{folder / 'Med_MovementBasic.glb'}#Rig_Medium|Walking_A").clips[0]
    back = formats.read(formats.write(replace(mannequin, clips=(clip,)), tmp_path / "walk.glb"))
    joints = [clip.skeleton.index[name] for name in back.clips[0].skeleton.names]
    np.testing.assert_allclose(
        back.clips[0].world_positions, clip.world_positions[:, joints], atol=POSITION_TOLERANCE
    )
    assert len(back.characters[0].meshes) == len(mannequin.characters[0].meshes)


def test_draco_is_told_and_its_clips_read(pack):
    asset = formats.read(pack / "game" / "quaternius" / "glb" / "Mech_FinnTheFrog-draco.glb")
    assert (len(asset.clips), len(asset.characters[0].meshes)) == (17, 0)
    assert "compressed_mesh" in {f.check for f in asset.findings}


def test_the_dog_and_its_template_are_two_characters(pack):
    asset = formats.read(pack / "game" / "catprisbrey" / "OpenDog.glb")
    assert [(c.name, len(c.skeleton), len(c.meshes)) for c in asset.characters] == [
        ("rig", 242, 2),
        ("metarig", 62, 0),
    ]


def odd_files(pack: Path) -> list[Path]:
    return [
        p
        for folder in sorted((pack / "odd").glob("gltf-*"))
        for p in sorted(folder.rglob("*"))
        if p.suffix in SUFFIXES
    ]


def test_odd_files_are_read_or_refused_in_a_sentence(pack):
    verdicts = Counter()
    for path in [*odd_files(pack), *sorted((pack / "odd" / "vrm-saturday06").glob("*.vrm"))]:
        try:
            formats.read(path)
            verdicts["read"] += 1
        except MovesetError as error:
            assert error.file and error.message, path
            verdicts["refused"] += 1
    assert verdicts == {"read": 168, "refused": 65}


def test_what_the_validator_calls_valid_is_read(pack):
    """Of its own test files; those with errors are read too where nothing depends on what is wrong."""
    verdicts = Counter()
    for path in sorted((pack / "odd" / "gltf-validator").rglob("*.gl*")):
        report = path.with_name(path.name + ".report.json")
        if path.suffix not in SUFFIXES or not report.exists():
            continue
        errors = [m for m in json.loads(report.read_text())["issues"]["messages"] if m["severity"] == 0]
        try:
            formats.read(path)
            verdict = "read"
        except MovesetError:
            verdict = "refused"
        verdicts["errors" if errors else "valid", verdict] += 1
        assert errors or verdict == "read", path
    assert verdicts == {("valid", "read"): 32, ("errors", "read"): 64, ("errors", "refused"): 38}


def test_versions_before_2_are_refused_by_name(pack):
    for path in sorted((pack / "odd" / "gltf-legacy").glob("*.gltf")):
        with pytest.raises(MovesetError, match=r"glTF (0\.8|1\.0); glTF 2\.0 is read"):
            formats.read(path)


@pytest.mark.parametrize("name", [*FEW[:7], "mesh2motion/human-base-animations.glb"])
def test_three_js_sees_the_same_vertices(pack, name):
    modules = os.environ.get("MOVESET_THREE")
    if not modules:
        pytest.skip("three.js not found (npm install three, set MOVESET_THREE to node_modules)")
    path = pack / "game" / name
    asset = formats.read(path)
    source, (character,) = asset.source.document, asset.characters
    clips = some_clips(asset, every=False)
    numbers = [[c.name for c in asset.clips].index(clip.name) for clip in clips]
    requests = [
        {
            "file": str(path),
            "clip": number,
            # a microsecond late: a frame's float64 time may lie just before its float32 key, which STEP must have passed
            "times": [source.starts[clip.name] + f / clip.fps + 1e-6 for f in sampled_frames(clip, False)],
            "every": 7,
        }
        for number, clip in zip(numbers, clips)
    ]
    script = Path(__file__).parent / "oracles" / "gltf_three.mjs"
    run = subprocess.run(
        ["node", str(script)], input=json.dumps(requests), env=os.environ | {"NODE_MODULES": modules},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    order = {node: place for place, node in enumerate(source.nodes.order)}
    for clip, answer in zip(clips, json.loads(run.stdout), strict=True):
        for frame, meshes in zip(sampled_frames(clip, False), answer, strict=True):
            meshes.sort(key=lambda mesh: order[mesh["node"]])
            for ours, theirs in zip(all_vertices(character, clip, frame, 7), meshes, strict=True):
                truth = np.array(theirs["xyz"], dtype=float).reshape(-1, 3)
                seen = np.isfinite(truth).all(axis=1)  # three.js shows nothing where a file's weights are NaN
                np.testing.assert_allclose(ours[seen], truth[seen], atol=POSITION_TOLERANCE)
