"""What is said beside files: tables, sidecars, license files, names."""

import json
import zipfile

import pytest
from strolls import stroll

from moveset.errors import MovesetError
from moveset.library.ingest.facts import Facts, find_facts, with_facts, words_of
from moveset.library.license import recognize_license, strictest


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("dataset-1_walk-left_active_001.bvh", ["walk", "left", "active"]),
        ("Rig_Medium|Melee_1H_Attack_Chop", ["melee", "1h", "attack", "chop"]),
        ("RunFast", ["run", "fast"]),
        ("HTTPServerWalk", ["http", "server", "walk"]),
        ("01_01", []),
        ("cmu-30fps/Run2Idle", ["cmu", "run2", "idle"]),
    ],
)
def test_words_of_names(name, words):
    assert words_of(name) == words


def test_a_table_beside_an_archive_speaks_of_its_members(tmp_path):
    with zipfile.ZipFile(tmp_path / "pack.zip", "w") as pack:
        pack.writestr("01_01.bvh", "x")
        pack.writestr("inner/02.bvh", "x")
    (tmp_path / "pack.csv").write_text(
        "clip,content,style,license,noncommercial,split\n"
        "01_01.bvh,jump,angry,CC-BY-NC-4.0,1,train\n"
        "inner/02.bvh,walk-turn-left,,own terms,1,test\n"
    )
    (tmp_path / "other.csv").write_text("clip,content\n01_01.bvh,swim\n")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as pack:
        pack.writestr("01_01.bvh", "x")
    for root in (tmp_path / "pack.zip", tmp_path):
        facts = find_facts(f"{tmp_path}/pack.zip/01_01.bvh", str(root))
        clip = with_facts(stroll(name="01_01"), facts.about("01_01"), "pack.zip/01_01.bvh", "")
        assert {"jump", "angry"} <= set(clip.tags.words)
        assert "swim" not in clip.tags.words
        assert clip.tags.license == "CC-BY-NC-4.0"
    said = find_facts(f"{tmp_path}/pack.zip/inner/02.bvh", str(tmp_path)).about("02")
    clip = with_facts(stroll(), said, "pack.zip/inner/02.bvh", "")
    assert {"walk-turn-left", "walk", "turn", "left"} <= set(clip.tags.words)
    assert clip.tags.license == "own terms (noncommercial)"
    assert said["split"] == "test"


def test_a_table_with_paths_speaks_of_single_clips(tmp_path):
    (tmp_path / "game").mkdir()
    (tmp_path / "game" / "knight.glb").write_text("x")
    (tmp_path / "clips.csv").write_text(
        "path,clip,category\ngame/knight.glb,Chop,combat\ngame/knight.glb,Walk,locomotion\ngame/fox.glb,Walk,animal\n"
    )
    facts = find_facts(f"{tmp_path}/game/knight.glb", str(tmp_path))
    assert facts.about("Chop")["category"] == "combat"
    assert facts.about("Walk")["category"] == "locomotion"
    assert facts.about("Run") == {}


def test_a_sidecar_speaks_of_a_file_and_of_its_clips(tmp_path):
    (tmp_path / "a.glb").write_text("x")
    sidecar = {
        "license": "MIT",
        "tags": ["Sword", "heavy"],
        "clips": {
            "Chop": {
                "sentence": "A heavy chop.",
                "loop": True,
                "events": [{"time": 0.4, "name": "hit", "role": "rightHand"}],
                "annotation": {"power": ["Heavy-Weighted"], "posture": "The arm falls."},
            },
            "Breathe": {"additive": True, "mirrorable": False},
        },
    }
    (tmp_path / "a.json").write_text(json.dumps(sidecar))
    facts = find_facts(f"{tmp_path}/a.glb", f"{tmp_path}/a.glb")
    chop = with_facts(stroll(name="Chop"), facts.about("Chop"), "a.glb", "")
    assert {"sword", "heavy"} <= set(chop.tags.words)
    assert chop.loop
    assert not chop.additive
    assert chop.tags.license == "MIT"
    assert chop.tags.sentence == "A heavy chop."
    assert [(e.time, e.name, e.role) for e in chop.events] == [(0.4, "hit", "rightHand")]
    assert chop.tags.annotation.power == ("Heavy-Weighted",)
    assert chop.tags.annotation.posture == "The arm falls."
    breathe = with_facts(stroll(name="Breathe"), facts.about("Breathe"), "a.glb", "")
    assert breathe.additive
    assert not breathe.tags.mirrorable


def test_a_broken_sidecar_is_named(tmp_path):
    (tmp_path / "a.glb").write_text("x")
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(MovesetError, match="not JSON"):
        find_facts(f"{tmp_path}/a.glb", str(tmp_path))


def test_the_nearest_license_file_counts_and_a_table_comes_first(tmp_path):
    inner = tmp_path / "packs" / "inner"
    inner.mkdir(parents=True)
    (inner / "a.bvh").write_text("x")
    (tmp_path / "packs" / "LICENSE").write_text("Apache License\nVersion 2.0, January 2004")
    assert find_facts(f"{inner}/a.bvh", str(tmp_path)).license == "Apache-2.0"
    (inner / "License.txt").write_text("Creative Commons Zero, CC0")
    facts = find_facts(f"{inner}/a.bvh", str(tmp_path))
    assert facts.license == "CC0-1.0"
    (inner / "license.txt").unlink(missing_ok=True)
    (inner / "License.txt").write_text("do what you like")
    assert find_facts(f"{inner}/a.bvh", str(tmp_path)).license == "see License.txt"
    (tmp_path / "packs.csv").write_text("x\n1\n")
    (inner / "table.csv").write_text("clip,license\na.bvh,MIT\n")
    facts = find_facts(f"{inner}/a.bvh", str(tmp_path))
    clip = with_facts(stroll(), facts.about("a"), "a.bvh", facts.license)
    assert clip.tags.license == "MIT"
    # what lies above the source says nothing
    assert find_facts(f"{inner}/a.bvh", f"{inner}/a.bvh").license == "see License.txt"


def test_facts_are_none_where_nothing_is_said(tmp_path):
    (tmp_path / "a.bvh").write_text("x")
    assert find_facts(f"{tmp_path}/a.bvh", str(tmp_path)) == Facts()


def test_the_strictest_license_binds():
    order = [
        "CC0-1.0",
        "MIT",
        "CC-BY-4.0",
        "CC-BY-SA-4.0",
        "CMU-mocap-free",
        "CC-BY-ND-4.0",
        "CC-BY-NC-4.0",
        "",
    ]
    for k, license in enumerate(order):
        assert strictest(order[: k + 1]) == license
    assert strictest(["MIT", "own terms (noncommercial)", "CMU-mocap-free"]) == "own terms (noncommercial)"
    assert strictest([]) == ""


def test_license_texts_are_recognized(pack):
    licenses = pack / "mocap" / "LICENSES"
    for file, spdx in (
        ("bandai-namco_CC-BY-NC-4.0.txt", "CC-BY-NC-4.0"),
        ("100style_CC-BY-4.0.txt", "CC-BY-4.0"),
        ("deepmimic_MIT.txt", "MIT"),
        ("cmu-actions8_MIT.txt", "MIT"),
    ):
        assert recognize_license((licenses / file).read_text(errors="replace")) == spdx, file
    game = pack / "game"
    assert (
        recognize_license((game / "kaykit-adventurers" / "LICENSE.txt").read_text(errors="replace"))
        == "CC0-1.0"
    )
