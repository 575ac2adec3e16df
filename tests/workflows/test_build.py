"""The journey over real files: GLB and BVH in folders and archives to a library, and questions to it."""

import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from moveset import formats
from moveset.cli import app
from moveset.library.store import Library
from moveset.motion import Asset, Clip, Tags
from moveset.synthetic import names, synthesize
from moveset.workflows.build import build_library

NAMES = ("idle", "run", "walk")


def figure(name: str) -> Clip:
    """The first synthetic clip of a kind, under a short name."""
    return replace(synthesize(next(n for n in names() if n.startswith(f"{name}_"))), name=name)


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    """A folder with a GLB of three clips, a BVH, a sidecar, a license, and an archive with a file that is broken."""
    folder = tmp_path_factory.mktemp("clips")
    made = [figure(name) for name in NAMES]
    formats.write(Asset(clips=tuple(replace(c, tags=Tags()) for c in made)), folder / "figure.glb")
    formats.write(Asset(clips=(made[2].slice(10, 40),)), folder / "walk_short.bvh")
    (folder / "walk_short.json").write_text(json.dumps({"tags": ["short"], "license": "CC-BY-4.0"}))
    (folder / "LICENSE").write_text("Creative Commons Zero, CC0")
    with zipfile.ZipFile(folder / "more.zip", "w") as pack:
        pack.write(folder / "walk_short.bvh", "inner/again.bvh")
        pack.writestr("broken.bvh", "HIERARCHY\nnonsense\n")
    return folder


@pytest.fixture(scope="module")
def built(clips, tmp_path_factory):
    return build_library(tmp_path_factory.mktemp("out") / "my.library", [clips], workers=1)


def test_clips_of_all_kinds_of_files_are_in_it(built):
    found = {(row.file.split("/", 1)[1], row.name) for row in built.clips}
    # the BVH and its copy in the archive are the same data: the first is kept
    assert found == {*(("figure.glb", name) for name in NAMES), ("more.zip/inner/again.bvh", "again")}
    told = {(f.file.split("/", 1)[1], f.finding) for f in built.findings if f.action == "drop"}
    assert ("more.zip/broken.bvh", "unreadable") in told
    assert any(finding == "duplicates" for _, finding in told)


def test_roles_licenses_and_pictures_came_along(built):
    library = Library.open(built.path)
    for row in built.clips:
        clip = library.load_clip(row.id)
        assert clip.skeleton.joint("leftUpperLeg") >= 0
        assert (library.path / "thumbnails" / f"{row.id}.png").stat().st_size > 500
    licenses = {row.name: row.license for row in built.clips}
    assert licenses["walk"] == "CC0-1.0"


def test_the_motion_is_that_of_the_file(built):
    library = Library.open(built.path)
    row = library.clips("name = 'walk' AND file LIKE '%.glb'")[0]
    made = figure("walk")
    stored = library.load_clip(row.id)
    roles = ("hips", "head", "leftHand", "rightFoot")
    for role in roles:
        expected = made.world_positions[:, made.skeleton.joint(role)]
        assert np.abs(stored.world_positions[:, stored.skeleton.joint(role)] - expected).max() < 1e-4
    assert row.speed == pytest.approx(
        np.hypot(*np.diff(made.world_positions[[0, -1], 0][:, (0, 2)], axis=0)[0]) / made.seconds, rel=0.1
    )
    assert (
        library.query("SELECT count(phase) FROM frames JOIN clips ON id = clip WHERE name = 'walk'").rows[0][
            0
        ]
        > 30
    )


def test_the_commands(clips, tmp_path, capsys):
    out = tmp_path / "cli.library"
    arguments = [
        str(clips / "figure.glb"),
        "-o",
        str(out),
        "--workers",
        "1",
        "--no-thumbnails",
        "--fps",
        "24",
    ]
    assert app(["build", *arguments], result_action="return_value") == 0
    said = capsys.readouterr().out
    assert "3 clips" in said
    assert "license CC0-1.0" in said
    assert app(["build", "-o", str(out), "--json", "--no-thumbnails"], result_action="return_value") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["reused"] == report["files"] == 1
    assert app(["query", str(out), "'walk' in tags", "--json"], result_action="return_value") == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["name"] for row in rows] == ["walk"]
    assert (
        app(
            ["query", str(out), "SELECT name, fps FROM clips ORDER BY name", "--csv"],
            result_action="return_value",
        )
        == 0
    )
    assert capsys.readouterr().out.splitlines() == ["name,fps", "idle,24.0", "run,24.0", "walk,24.0"]
    assert app(["query", str(out), "speed >= 0", "--limit", "2"], result_action="return_value") == 0
    assert "3 rows, the first 2 shown" in capsys.readouterr().out


@pytest.mark.slow
def test_the_known_broken_clips_of_the_pack_are_flagged(pack, tmp_path):
    report = build_library(
        tmp_path / "daz.library",
        [pack / "mocap" / "cmu" / "cmu-daz-30fps.zip"],
        workers=1,
        thumbnails=False,
        view=False,
    )
    flagged = {
        row.name for row in report.clips if row.checks and set(row.checks) & {"pops", "flips", "body_jolt"}
    }
    assert {"09_10", "05_16", "03_02", "01_14", "07_12"} <= flagged
    repaired = {f.name for f in report.findings if f.finding == "first_frame_t_pose" and f.action == "repair"}
    assert len(repaired) == 142
    assert report.license == "CMU-mocap-free"
    assert all(row.frames > 1 for row in report.clips)


def test_a_single_clip_of_a_file_and_a_gltf_whose_buffer_changes(clips, tmp_path):
    out = tmp_path / "one.library"
    report = build_library(out, [f"{clips / 'figure.glb'}#run"], thumbnails=False)
    assert [row.name for row in report.clips] == ["run"]
    assert report.license == "CC0-1.0"
    assert build_library(out, thumbnails=False).reused == 1

    (tmp_path / "figure.gltf").write_text("{}")
    (tmp_path / "figure.bin").write_bytes(b"one")
    from moveset.library.ingest.build import _stamp
    from moveset.library.ingest.facts import Facts
    from moveset.library.ingest.prepare import Job
    from moveset.library.policy import Policy

    job = Job("figure.gltf", str(tmp_path / "figure.gltf"), Facts(), Policy())
    before = _stamp(job, None)
    (tmp_path / "figure.bin").write_bytes(b"two")
    assert _stamp(job, before)["digest"] != before["digest"]
