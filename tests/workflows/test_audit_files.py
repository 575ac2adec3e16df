"""Audits of files: nothing stops the batch, and the page needs nothing but itself."""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from moveset import formats
from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.motion import Asset, Clip
from moveset.synthetic.corpus import synthesize
from moveset.workflows.audit import audit_files
from moveset.workflows.audit_report import write_html


def write_bvh(clip: Clip, path) -> None:
    formats.write(Asset(clips=(clip,)), path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A good clip, a torn one, one that a sidecar calls additive, a zip, and a file that is none."""
    root = tmp_path_factory.mktemp("clips")
    walk = synthesize("walk_100")
    write_bvh(replace(walk, name="walk"), root / "walk.bvh")
    rotations = walk.rotations.copy()
    arm = walk.skeleton.index["leftUpperArm"]
    rotations[50, arm] = quaternion.multiply(
        quaternion.from_axis_angle(np.array((1.0, 0, 0)), 2.5), rotations[50, arm]
    )
    write_bvh(replace(walk, rotations=rotations, name="torn"), root / "torn.bvh")
    write_bvh(replace(synthesize("idle_tired"), name="breath"), root / "breath.bvh")
    (root / "breath.json").write_text(json.dumps({"additive": True}))
    (root / "broken.bvh").write_text("HIERARCHY\nROOT hips\n{\n  OFFSET 0 0\n")
    with zipfile.ZipFile(root / "pack.zip", "w") as pack:
        pack.write(root / "walk.bvh", "inner/copy.bvh")
    return root


@pytest.fixture(scope="module")
def report(folder):
    return audit_files([str(folder)], pictures=True)


def of(report, name: str):
    return next(clip for clip in report.clips if clip.file.endswith(name))


def test_a_bad_file_is_a_finding(report):
    broken = of(report, "broken.bvh")
    assert (broken.verdict, broken.findings[0].check) == ("error", "unreadable")
    assert broken.findings[0].message.startswith("line ")
    assert report.files == 5
    assert len(report.clips) == 5


def test_numbers_that_a_reader_refuses_are_audited(folder, tmp_path):
    lines = (folder / "walk.bvh").read_text().splitlines()
    lines[-3] = "nan " + lines[-3].split(" ", 1)[1]
    (tmp_path / "nan.bvh").write_text("\n".join(lines))
    (clip,) = audit_files([str(tmp_path)], workers=1).clips
    assert clip.verdict == "error" and clip.findings[0].check == "not_finite" and clip.frames == 151


def test_verdicts_and_counts(report):
    assert [of(report, name).verdict for name in ("inner/copy.bvh", "torn.bvh", "breath.bvh")] == [
        "ok",
        "error",
        "error",
    ]
    assert report.counts["pops"] == {"error": 1}
    assert report.counts["unreadable"] == {"error": 1}
    assert sum(report.verdicts.values()) == 5


def test_a_sidecar_says_additive(report):
    assert "file marks the clip as additive" in of(report, "breath.bvh").findings[0].message


def test_findings_of_the_reader_are_passed_on(report):
    assert "unit_guess" in {f.check for f in of(report, "walk.bvh").findings}


def test_duplicates_across_files(report):
    pair = [of(report, name) for name in ("inner/copy.bvh", "walk.bvh")]
    assert sum(f.check == "duplicates" for clip in pair for f in clip.findings) == 1


def test_pictures_show_the_worst_frame_between_its_neighbours(report):
    torn = of(report, "torn.bvh")
    assert torn.shown == (49, 50, 51)
    assert torn.picture[:4] == b"RIFF"
    assert of(report, "broken.bvh").picture == b""


def test_a_glb_says_additive(tmp_path):
    clip = replace(synthesize("idle_tired"), additive=True)
    formats.write(Asset(clips=(clip,)), tmp_path / "breath.glb")
    (found,) = audit_files([str(tmp_path)], only=["additive"]).clips
    assert [(f.severity, f.message) for f in found.findings] == [
        ("error", "the file marks the clip as additive")
    ]


def test_header_that_disagrees_is_passed_on(folder, tmp_path):
    text = (folder / "walk.bvh").read_text()
    frames = int(re.findall(r"Frames:\s*(\d+)", text)[0])
    (tmp_path / "walk.bvh").write_text(re.sub(r"Frames:\s*\d+", f"Frames: {frames + 7}", text))
    (found,) = audit_files([str(tmp_path)]).clips
    header = next(f for f in found.findings if f.check == "header_mismatch")
    assert f"the file holds {frames}" in header.message
    assert found.verdict == "warning"


def test_unknown_check_is_refused_by_name(folder):
    with pytest.raises(MovesetError, match="no check is called 'pop'"):
        audit_files([str(folder)], only=["pop"])


def test_workers_find_the_same(folder, report):
    again = audit_files([str(folder)], workers=2)
    assert [clip.findings for clip in again.clips] == [clip.findings for clip in report.clips]


def test_a_bug_in_a_reader_costs_one_file(folder, report, monkeypatch):
    import moveset.workflows.audit as module

    whole = module.load

    def load(path, **options):
        if path.endswith("torn.bvh"):
            raise ZeroDivisionError("by a bug")
        return whole(path, **options)

    monkeypatch.setattr(module, "load", load)
    again = audit_files([str(folder)], workers=1)
    assert of(again, "torn.bvh").findings[0].message == "ZeroDivisionError: by a bug"
    assert of(again, "inner/copy.bvh").verdict == "ok"


class Links(HTMLParser):
    """Everything a page would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.found += [value for name, value in attrs if name in ("src", "href") and value]


def test_the_page_fetches_nothing(report, tmp_path):
    write_html(report, str(tmp_path / "audit.html"))
    page = (tmp_path / "audit.html").read_text(encoding="utf-8")
    links = Links()
    links.feed(page)
    assert links.found == []
    assert not re.search(r"https?://|url\(|@import", page)


def test_the_page_holds_all_findings(report, tmp_path):
    hostile = replace(report.clips[0], name="</script><b>x")
    write_html(replace(report, clips=(hostile, *report.clips[1:])), str(tmp_path / "audit.html"))
    page = (tmp_path / "audit.html").read_text(encoding="utf-8")
    block = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert block is not None
    data = json.loads(block.group(1))
    assert [c["clip"] for c in data["clips"]] == [hostile.name, *(c.name for c in report.clips[1:])]
    assert sum(len(c["findings"]) for c in data["clips"]) == sum(len(c.findings) for c in report.clips)


def test_a_page_that_cannot_be_written(report, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(MovesetError, match="cannot be written"):
        write_html(report, str(tmp_path / "file" / "audit.html"))
