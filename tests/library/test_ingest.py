"""Building: incremental, deterministic, never half there, never stopped by a bad file."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from strolls import TOOLS, stroll

from moveset.errors import MovesetError
from moveset.library.ingest import build as build_module
from moveset.library.ingest.build import build
from moveset.library.policy import Policy
from moveset.library.store import Library
from moveset.motion.mirror import mirror
from moveset.motion.resample import resample


@pytest.fixture
def clips(tmp_path, monkeypatch):
    """A folder with six files, an archive with two more; the stand-in reads .bvh files as texts."""
    folder = tmp_path / "clips"
    (folder / "runs").mkdir(parents=True)
    for k in range(4):
        (folder / f"walk_{k}.bvh").write_text(f"walk{k} {k}")
    for k in range(4, 6):
        (folder / "runs" / f"run_{k}.bvh").write_text(f"run{k} {k}")
    with zipfile.ZipFile(folder / "more.zip", "w") as pack:
        pack.writestr("dance_6.bvh", "dance6 6")
    monkeypatch.setattr(build_module, "formats", _Formats)
    return folder


class _Formats:
    """list_files of plain files alone, since the stand-in reads no archives."""

    @staticmethod
    def list_files(path):
        return sorted(str(p) for p in Path(path).rglob("*.bvh")) if Path(path).is_dir() else [str(path)]


def content(library: Path) -> dict[str, str]:
    files = sorted(p for p in library.rglob("*") if p.is_file())
    return {str(p.relative_to(library)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def test_the_same_inputs_give_the_same_bytes(clips, tmp_path):
    build(tmp_path / "a.library", [clips], tools=TOOLS)
    first = content(tmp_path / "a.library")
    build(tmp_path / "a.library", [clips], tools=TOOLS, fresh=True)
    assert content(tmp_path / "a.library") == first
    report = build(tmp_path / "a.library", [clips], tools=TOOLS)
    assert report.reused == report.files == 6
    assert content(tmp_path / "a.library") == first


def test_worker_processes_give_the_same_bytes(clips, tmp_path):
    build(tmp_path / "a.library", [clips], tools=TOOLS)
    one = content(tmp_path / "a.library")
    build(tmp_path / "a.library", [clips], tools=TOOLS, workers=2, fresh=True)
    assert content(tmp_path / "a.library") == one


def test_only_changed_files_are_read_again(clips, tmp_path):
    out = tmp_path / "a.library"
    build(out, [clips], tools=TOOLS)
    (clips / "walk_1.bvh").write_text("walk1 7")
    (clips / "walk_2.bvh").unlink()
    (clips / "walk_9.bvh").write_text("walk9 9")
    os.utime(clips / "walk_3.bvh", (1, 1))  # touched, not changed
    report = build(out, [clips], tools=TOOLS)
    assert (report.files, report.reused) == (6, 4)
    rebuilt = content(out)
    build(out, [clips], tools=TOOLS, fresh=True)
    assert content(out) == rebuilt
    assert sorted(row.name for row in Library.open(out).clips()) == [
        "run4",
        "run5",
        "walk0",
        "walk1",
        "walk3",
        "walk9",
    ]


def test_what_is_said_beside_a_file_is_read_again_when_it_changes(clips, tmp_path):
    out = tmp_path / "a.library"
    build(out, [clips], tools=TOOLS)
    (clips / "walk_1.json").write_text('{"tags": ["sad"], "license": "CC-BY-4.0"}')
    report = build(out, [clips], tools=TOOLS)
    assert report.reused == 5
    row = Library.open(out).clips("name = 'walk1'")[0]
    assert "sad" in row.tags
    assert row.license == "CC-BY-4.0"
    assert report.license == "CC-BY-4.0"
    (clips / "walk_3.moveset.json").write_text('{"additive": true}')
    assert build(out, [clips], tools=TOOLS).reused == 5


def test_another_policy_reads_everything_again(clips, tmp_path):
    out = tmp_path / "a.library"
    build(out, [clips], tools=TOOLS)
    report = build(out, [clips], tools=TOOLS, policy=Policy(fps=60))
    assert report.reused == 0
    assert {row.fps for row in report.clips} == {60}
    assert build(out, tools=TOOLS).reused == 6  # the policy is that of library.toml now


def test_bad_files_are_named_and_stop_nothing(clips, tmp_path):
    (clips / "walk_0.bvh").write_text("bad 0")
    (clips / "walk_1.bvh").write_text("bug 0")
    (clips / "walk_2.bvh").write_text("crash 0")
    report = build(tmp_path / "a.library", [clips], tools=TOOLS, workers=2)
    assert sorted(row.name for row in report.clips) == ["run4", "run5", "walk3"]
    told = {f.file: f.message for f in report.findings if f.finding == "unreadable"}
    assert set(told) == {f"clips/walk_{k}.bvh" for k in range(3)}
    assert told["clips/walk_0.bvh"] == "cannot be read"
    assert "ValueError: a bug" in told["clips/walk_1.bvh"]
    assert "process that read it died" in told["clips/walk_2.bvh"]
    assert Library.open(tmp_path / "a.library").findings("finding = 'unreadable'")[0].action == "drop"


def test_the_same_data_twice_is_kept_once(clips, tmp_path):
    (clips / "again.bvh").write_text("again 3")
    report = build(tmp_path / "a.library", [clips], tools=TOOLS)
    copies = [f for f in report.findings if f.finding == "duplicates" and f.action == "drop"]
    assert len(report.clips) == 6
    assert [(f.file, f.message) for f in copies] == [
        ("clips/walk_3.bvh", "is the same data as 'again' of clips/again.bvh")
    ]
    # the first copy goes: its twin comes back
    (clips / "again.bvh").unlink()
    assert "walk3" in {row.name for row in build(tmp_path / "a.library", [clips], tools=TOOLS).clips}


def test_clips_are_dropped_and_repaired_by_policy_and_the_reason_is_kept(tmp_path):
    spoiled = stroll(seed=1, name="spoiled")
    spoiled.rotations[10, 3] = np.nan
    flipped = stroll(seed=2, name="flipped")
    flipped.rotations[20:, 4] *= -1
    long = stroll(seed=3, name="long")
    long.rotations[5, 2] *= 1.5
    report = build(tmp_path / "a.library", tools=TOOLS, clips=[spoiled, flipped, long, stroll(1, name="one")])
    verdicts = {row.name: row.verdict for row in report.clips}
    assert verdicts == {"flipped": "repaired", "long": "repaired"}
    actions = {(f.name, f.finding): f.action for f in report.findings}
    assert actions["spoiled", "not_finite"] == "drop"
    assert actions["one", "too_short"] == "drop"
    assert actions["flipped", "sign_flips"] == "repair"
    assert actions["long", "not_unit"] == "repair"
    library = Library.open(tmp_path / "a.library")
    clip = library.load_clip(library.clips("name = 'flipped'")[0].id)
    assert np.all(np.sum(clip.rotations[1:] * clip.rotations[:-1], axis=-1) > 0)
    kept = build(
        tmp_path / "b.library", tools=TOOLS, clips=[flipped], policy=Policy(actions={"sign_flips": "keep"})
    )
    clip = Library.open(kept.path).load_clip(kept.clips[0].id)
    assert np.any(np.sum(clip.rotations[1:] * clip.rotations[:-1], axis=-1) < 0)


def test_copies_of_a_motion_stay_on_one_side(tmp_path):
    clips = []
    for seed in range(12):
        clip = stroll(seed=seed, name=f"clip{seed}")
        clips += [
            clip,
            replace(mirror(clip), name=f"mirrored{seed}"),
            replace(resample(clip, 24.0), fps=30.0, name=f"slow{seed}"),
        ]
    report = build(tmp_path / "a.library", tools=TOOLS, clips=clips, policy=Policy(held_out=0.4))
    kin: dict[str, set[str]] = {}
    for row in report.clips:
        kin.setdefault(row.kin, set()).add(row.name)
    assert sorted(map(sorted, kin.values())) == sorted(
        sorted((f"clip{s}", f"mirrored{s}", f"slow{s}")) for s in range(12)
    )
    sides = {row.kin: row.split for row in report.clips}
    assert all(row.split == sides[row.kin] for row in report.clips)
    assert set(sides.values()) == {"train", "held-out"}


def test_a_new_clip_leaves_the_split_of_the_others(tmp_path):
    clips = [stroll(seed=s, name=str(s)) for s in range(10)]
    before = build(tmp_path / "a.library", tools=TOOLS, clips=clips, policy=Policy(held_out=0.5))
    after = build(tmp_path / "a.library", tools=TOOLS, clips=[*clips, stroll(seed=77, name="new")])
    sides = {row.id: row.split for row in after.clips}
    assert all(sides[row.id] == row.split for row in before.clips)


def test_overrides_and_comments_of_library_toml_hold(clips, tmp_path):
    out = tmp_path / "a.library"
    build(out, [clips], tools=TOOLS)
    toml = out / "library.toml"
    added = (
        "# mine\n[[overrides]]\nfile = '*/walk_1.bvh'\nlicense = 'MIT'\nsplit = 'held-out'\n"
        "[[overrides]]\nfile = 'clips/runs/*'\ndrop = true\n"
    )
    toml.write_text(toml.read_text().replace('split = "hash"', 'split = "sidecar"') + added)
    report = build(out, tools=TOOLS)
    assert report.reused == 3
    row = next(row for row in report.clips if row.name == "walk1")
    assert (row.license, row.split) == ("MIT", "held-out")
    assert {f.name for f in report.findings if f.finding == "override"} == {"run4", "run5"}
    build(out, [clips], tools=TOOLS, policy=Policy(fps=24))
    text = toml.read_text()
    assert "# mine" in text
    assert "fps = 24" in text
    assert text.count("[[overrides]]\nfile") == 2


def test_a_folder_that_is_no_library_is_left_alone(clips, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years")
    with pytest.raises(MovesetError, match="not a library"):
        build(tmp_path / "mine", [clips], tools=TOOLS)
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["clips", "mine"]


def test_nothing_to_build_is_an_error(tmp_path):
    with pytest.raises(MovesetError, match="nothing to build from"):
        build(tmp_path / "a.library", tools=TOOLS)
    assert list(tmp_path.iterdir()) == []


_BUILD = """
import sys
from strolls import TOOLS, stroll
from moveset.library.ingest.build import build
def told(parts, total, what):
    for done, part in enumerate(parts, 1):
        yield part
        print(done, flush=True)
if __name__ == "__main__":
    clips = [stroll(seed=s, name=str(s)) for s in range(int(sys.argv[2]), 30)]
    print("go", flush=True)
    build(sys.argv[1], tools=TOOLS, clips=clips, track=told)
    print("done", flush=True)
"""


def _start(out: Path, first: int) -> subprocess.Popen:
    path = os.pathsep.join((str(Path(__file__).parent), *sys.path))
    return subprocess.Popen(
        [sys.executable, "-c", _BUILD, str(out), str(first)],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_killed_build_leaves_the_library_as_it_was(tmp_path):
    out = tmp_path / "a.library"
    build(out, tools=TOOLS, clips=[stroll(seed=s, name=str(s)) for s in range(3)])
    before = content(out)
    process = _start(out, first=1)
    assert process.stdout
    while process.stdout.readline().strip() != "5":
        pass
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert [p.name for p in tmp_path.iterdir() if ".partial-" in p.name]  # it was at it
    assert content(out) == before
    assert len(Library.open(out).clips()) == 3
    build(out, tools=TOOLS, clips=[stroll(seed=5, name="5")])
    assert [p.name for p in tmp_path.iterdir()] == ["a.library"]


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.slow
def test_a_build_killed_at_any_moment_leaves_a_whole_library(tmp_path):
    out, rng = tmp_path / "a.library", np.random.default_rng(0)
    build(out, tools=TOOLS, clips=[stroll(seed=s, name=str(s)) for s in range(3)])
    for first in range(1, 13):
        process = _start(out, first)
        assert process.stdout
        while process.stdout.readline().strip() not in ("go", ""):
            pass
        time.sleep(rng.uniform(0, 1.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        library = Library.open(out)
        for row in library.clips():
            assert len(library.load_clip(row.id)) == row.frames


def test_a_death_between_the_renames_is_mended_on_opening(tmp_path):
    out = tmp_path / "a.library"
    build(out, tools=TOOLS, clips=[stroll(seed=1, name="1")])
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    out.rename(tmp_path / f"a.library.old-{gone.pid}")
    shutil.copytree(tmp_path / f"a.library.old-{gone.pid}", tmp_path / f"a.library.partial-{gone.pid}")
    assert [row.name for row in Library.open(out).clips()] == ["1"]
    assert [p.name for p in tmp_path.iterdir()] == ["a.library"]


def test_a_build_without_clips_writes_nothing(tmp_path):
    (tmp_path / "bad.bvh").write_text("")
    with pytest.raises(MovesetError, match=r"\(unreadable 1\); nothing was written -- bad.bvh: "):
        build(tmp_path / "a.library", [tmp_path / "bad.bvh"], tools=TOOLS)
    assert [p.name for p in tmp_path.iterdir()] == ["bad.bvh"]


def test_a_build_without_clips_replaces_nothing(clips, tmp_path):
    out = tmp_path / "a.library"
    build(out, [clips / "walk_1.bvh"], tools=TOOLS)
    (clips / "walk_1.bvh").write_text("bad 1")
    with pytest.raises(MovesetError, match=r"no clip was fit for it \(unreadable 1\); it stays as it was"):
        build(out, tools=TOOLS)
    assert len(Library.open(out).clips()) == 1
