"""Every dialect reads right, or is refused with its line: BVH is a family of them."""

from __future__ import annotations

import numpy as np
import pytest
from bvh_text import FIGURE, POSITIONS, ZXY, Bone, random_values, slow_positions, text_of, with_channels

from moveset.errors import MovesetError
from moveset.formats import bvh

VALUES = random_values(FIGURE)
PLAIN = text_of(FIGURE, VALUES)
TRUTH = slow_positions(FIGURE, VALUES) / 100
FIRST_ROW = PLAIN[: PLAIN.index("Frame Time")].count("\n") + 2
"""Line number of the first frame."""


def read(text: str | bytes, **options):
    data = text.encode() if isinstance(text, str) else text
    return bvh.read(data, path="walk.bvh", **{"unit": "cm", "up": "Y", **options})


def assert_reads(text: str | bytes, truth: np.ndarray = TRUTH):
    asset = read(text)
    assert asset.clips[0].world_positions.shape == truth.shape
    np.testing.assert_allclose(asset.clips[0].world_positions, truth, atol=1e-9)
    return asset


def checks(asset) -> set[str]:
    return {finding.check for finding in asset.findings}


def refusal(text: str | bytes) -> MovesetError:
    with pytest.raises(MovesetError) as caught:
        read(text)
    return caught.value


def rows(text: str, change) -> str:
    """The file with its list of frame rows changed."""
    lines = text.splitlines()
    return "\n".join(lines[: FIRST_ROW - 1] + change(lines[FIRST_ROW - 1 :])) + "\n"


def test_plain():
    asset = assert_reads(PLAIN)
    assert asset.findings == ()
    assert asset.clips[0].fps == 30 and asset.clips[0].name == "walk"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(PLAIN.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(PLAIN.replace("\n", "\r"), id="CR"),
        pytest.param(PLAIN.replace("  ", "\t").replace(" ", "\t"), id="tabs"),
        pytest.param(PLAIN.rstrip("\n"), id="no final newline"),
        pytest.param(PLAIN.replace("Hips", "my hips").replace("LeftFoot", "rig:Left Foot"), id="names with spaces"),
        pytest.param(PLAIN + "\n\n  \n", id="blank lines at the end"),
        pytest.param(rows(PLAIN, lambda r: [line for row in r for line in (row, "")]), id="blank lines between"),
        pytest.param(PLAIN.lower().replace("hips", "Hips"), id="lower-case keywords"),
        pytest.param(PLAIN.upper(), id="upper-case keywords"),
        pytest.param(b"\xef\xbb\xbf" + PLAIN.encode(), id="byte-order mark"),
        pytest.param(PLAIN.encode("utf-16"), id="UTF-16"),
        pytest.param(text_of(FIGURE, VALUES, brace=" {{\n"), id="brace on the JOINT line"),
        pytest.param(text_of(FIGURE, VALUES, brace="{{"), id="all on one line"),
        pytest.param(PLAIN.replace("Frames: ", "Frames:\t"), id="tab after Frames:"),
        pytest.param(PLAIN.replace("Frames: ", "Frames "), id="no colon"),
        pytest.param(PLAIN.replace("\nFrame Time", " Frame Time"), id="header on one line"),
        pytest.param(rows(PLAIN, lambda r: [w for row in r for w in (row[:60].rsplit(" ", 1)[0], row[len(row[:60].rsplit(" ", 1)[0]) :])]), id="wrapped rows"),
        pytest.param(rows(PLAIN, lambda r: [" ".join(r)]), id="all frames on one line"),
        pytest.param(PLAIN.replace("End Site", "End LeftToeTip"), id="named end sites"),
        pytest.param(PLAIN.replace("JOINT Spine", "JOINT Sp\u00efne"), id="UTF-8 name"),
        pytest.param(PLAIN.replace("JOINT Spine", "JOINT Sp\u00efne").encode("latin-1"), id="Latin-1 name"),
    ],
)  # fmt: skip
def test_reads_the_same(text):
    assert_reads(text)


def test_exponents():
    tiny = VALUES.copy()
    tiny[0, 3], tiny[1, 4], tiny[2, 0] = 1.5e-05, -2e-7, 1.25e2
    text = text_of(FIGURE, tiny)
    assert "1.5e-05" in text
    assert_reads(text, slow_positions(FIGURE, tiny) / 100)


def test_mixed_orders():
    orders = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "XYX")
    bones = with_channels(
        FIGURE,
        {
            bone.name: (POSITIONS if bone.parent < 0 else ()) + tuple(f"{a}rotation" for a in order)
            for bone, order in zip(FIGURE, orders, strict=True)
            if order != "XYX"
        },
    )
    values = random_values(bones)
    assert_reads(text_of(bones, values), slow_positions(bones, values) / 100)


def test_channel_sets():
    bones = with_channels(
        FIGURE,
        {
            "Hips": ("Yrotation", "Zposition", "Xrotation", "Xposition", "Yposition", "Zrotation"),
            "Spine": ("Yrotation",),
            "Head": ("Xrotation", "Zrotation"),
            "LeftLeg": POSITIONS + ZXY,
            "LeftFoot": (),
            "RightLeg": (*POSITIONS, *ZXY, "Xscale", "Yscale", "Zscale"),
            "RightFoot": ("Yposition", "Xrotation"),
        },
    )
    values = random_values(bones)
    asset = assert_reads(text_of(bones, values), slow_positions(bones, values) / 100)
    assert asset.clips[0].scales is not None


def test_positions_replace_the_offset():
    """Bandai Namco's hips: an OFFSET of metres that has nothing to do with the frames."""
    bones = (Bone("joint_Root", -1, (0, 0, 0), POSITIONS + ZXY), Bone("Hips", 0, (0.8, 94, -452), POSITIONS + ZXY), *(
        Bone(b.name, b.parent + 1, b.offset, b.channels, b.tip) for b in FIGURE[1:]
    ))  # fmt: skip
    values = random_values(bones)
    values[:, :6] = 0
    values[:, 6:9] = (0, 93, 5)
    asset = read(text_of(bones, values))
    np.testing.assert_allclose(asset.clips[0].world_positions[:, 1], [[0, 0.93, 0.05]] * 10)
    added = read(text_of(bones, values), positions="add")
    np.testing.assert_allclose(added.clips[0].world_positions[:, 1], [[0.008, 1.87, -4.47]] * 10)


def test_silent_positions_keep_the_offset():
    """Position channels that are 0 throughout beside a real OFFSET would fold the bone if they replaced it."""
    bones = with_channels(FIGURE, {"LeftFoot": POSITIONS + ZXY})
    values = random_values(bones)
    start = sum(len(b.channels) for b in bones[:4])
    values[:, start : start + 3] = 0
    without = slow_positions(FIGURE, np.delete(values, range(start, start + 3), axis=1)) / 100
    asset = assert_reads(text_of(bones, values), without)
    assert checks(asset) == {"zero_positions"}


@pytest.mark.parametrize(("declared", "there"), [(12, 10), (5, 10), (0, 10)])
def test_header_count_disagrees(declared, there):
    asset = assert_reads(text_of(FIGURE, VALUES, frames=declared))
    (finding,) = asset.findings
    assert finding.check == "header_mismatch" and finding.value == there and str(declared) in finding.message


def test_zero_frames():
    asset = read(text_of(FIGURE, VALUES[:0]))
    assert len(asset.clips[0]) == 0 and asset.clips[0].rotations.shape == (0, 7, 4)
    assert asset.findings == ()


def test_one_frame():
    assert_reads(text_of(FIGURE, VALUES[:1]), TRUTH[:1])


def test_two_roots():
    bones = (
        *FIGURE,
        Bone("Prop", -1, (0, 0, 0), POSITIONS + ZXY),
        Bone("Blade", 7, (0, 50, 0), tip=(0, 5, 0)),
    )
    values = random_values(bones)
    asset = assert_reads(text_of(bones, values), slow_positions(bones, values) / 100)
    assert asset.clips[0].skeleton.roots == (0, 7)


def test_duplicate_names():
    asset = assert_reads(PLAIN.replace("LeftLeg", "Leg").replace("RightLeg", "Leg").replace("Head", "Leg_2"))
    assert asset.clips[0].skeleton.names == (
        "Hips",
        "Spine",
        "Leg_2",
        "Leg",
        "LeftFoot",
        "Leg_3",
        "RightFoot",
    )
    assert checks(asset) == {"duplicate_names"}


def test_last_row_cut_off():
    asset = assert_reads(PLAIN.rstrip("\n").rsplit(" ", 4)[0], TRUTH[:9])
    assert checks(asset) == {"incomplete_frame", "header_mismatch"}


@pytest.mark.parametrize("time", ["0", "-0.03", "nan", "0,0333", "soon", "33.3", "1e-12", "1e9", "1e-320"])
def test_unusable_frame_time(time):
    asset = assert_reads(text_of(FIGURE, VALUES, frame_time=time))
    assert asset.clips[0].fps == 30 and checks(asset) == {"frame_time"}


def test_missing_frame_time():
    asset = assert_reads(PLAIN.replace("Frame Time: 0.0333333\n", ""))
    assert asset.clips[0].fps == 30 and checks(asset) == {"frame_time"}


def test_missing_frame_count():
    assert checks(assert_reads(PLAIN.replace("Frames: 10\n", ""))) == {"header_mismatch"}


def test_nan_is_refused_with_its_line():
    text = rows(PLAIN, lambda r: [*r[:3], r[3].replace(r[3].split()[5], "nan"), *r[4:]])
    error = refusal(text)
    assert error.where == f"line {FIRST_ROW + 3}" and "frame 3, column 6" in str(error)


@pytest.mark.parametrize("word", ["NaN", "-nan(ind)", "1.#QNAN", "-1.#IND", "inf", "-Infinity", "1.#INF"])
def test_bad_numbers_can_be_kept_for_the_audit(word):
    first = PLAIN.splitlines()[FIRST_ROW - 1].split()[7]
    text = PLAIN.replace(first, word)
    assert "NaN, infinite" in str(refusal(text))
    clip = read(text, on_bad_numbers="keep").clips[0]
    assert not np.isfinite(clip.rotations[0]).all() and np.isfinite(clip.rotations[1:]).all()


def test_comma_decimals_are_refused_with_their_line():
    error = refusal(rows(PLAIN, lambda r: [row.replace(".", ",") for row in r]))
    assert error.where == f"line {FIRST_ROW}" and "comma" in str(error)


def test_comma_decimals_in_the_hierarchy():
    assert refusal(PLAIN.replace("12.5", "12,5")).where == "line 8"


@pytest.mark.parametrize(
    ("broken", "line", "words"),
    [
        pytest.param(rows(PLAIN, lambda r: [r[0], r[1] + " 1.5", *r[2:]]), FIRST_ROW + 1, "25 numbers", id="long row"),
        pytest.param(rows(PLAIN, lambda r: [row + " 0" for row in r]), FIRST_ROW, "25 numbers", id="extra column"),
        pytest.param(rows(PLAIN, lambda r: [r[0], r[1].rsplit(" ", 1)[0], *r[2:]]), FIRST_ROW + 1, "23", id="short row"),
        pytest.param(PLAIN.replace("CHANNELS 3", "CHANNELS 6", 1), 9, "announces 6", id="channel count"),
        pytest.param(PLAIN.replace("CHANNELS 6", "CHANNELS 5", 1), 5, "announces 5", id="channel count below"),
        pytest.param(PLAIN.replace("Zrotation", "Wrotation", 1), 5, "'Wrotation'", id="unknown channel"),
        pytest.param(PLAIN.replace("Xposition Y", "Xposition X", 1), 5, "twice", id="channel twice"),
        pytest.param(PLAIN[: PLAIN.index("JOINT LeftFoot") + 30], 26, "'OFF'", id="cut in the hierarchy"),
        pytest.param(PLAIN[: PLAIN.index("MOTION")], 48, "before MOTION", id="cut before MOTION"),
        pytest.param(PLAIN[: PLAIN.index("Frames")], 49, "after MOTION", id="cut after MOTION"),
        pytest.param(PLAIN[: PLAIN.index("Time") + 15], FIRST_ROW - 1, "promises 10", id="cut before the frames"),
        pytest.param(PLAIN.replace("}\n", "", 1), 2, "never closed", id="closing brace missing"),
        pytest.param(PLAIN.replace("MOTION", "}\nMOTION"), 49, "never opened", id="closing brace too many"),
        pytest.param(PLAIN.replace("  {\n", "", 1), 7, "brace", id="opening brace missing"),
        pytest.param(PLAIN.replace("OFFSET", "OFSET", 1), 4, "'OFSET'", id="misspelt keyword"),
        pytest.param("glTF" + PLAIN, 1, "no BVH", id="not BVH"),
        pytest.param("", 1, "no BVH", id="empty"),
        pytest.param("HIERARCHY\nMOTION\nFrames: 0\nFrame Time: 0.1\n", 1, "no ROOT", id="no joints"),
        pytest.param(rows(PLAIN, lambda r: [r[0].replace(" ", " 1_0 ", 1), *r[1:]]), FIRST_ROW, "'1_0'", id="not C"),
    ],
)  # fmt: skip
def test_refused_with_line(broken, line, words):
    error = refusal(broken)
    assert error.where == f"line {line}" and words in error.message
    assert error.file == "walk.bvh" and error.do


def test_rest_pose_both_ways():
    offset = read(PLAIN).clips[0].skeleton
    np.testing.assert_allclose(offset.rest_translations[2], (0, 0.45, 0.02))
    np.testing.assert_allclose(offset.rest_rotations, [[0, 0, 0, 1]] * 7)
    asset = read(PLAIN, rest="first_frame")
    np.testing.assert_allclose(asset.clips[0].skeleton.rest_world[1], TRUTH[0], atol=1e-9)
    np.testing.assert_allclose(asset.clips[0].world_positions, TRUTH, atol=1e-9)


def test_end_sites():
    tips = read(PLAIN).clips[0].skeleton.tips
    np.testing.assert_allclose(tips[[2, 4, 6]], [(0, 0.18, 0), (0, -0.06, 0.14), (0, -0.06, 0.14)])
    assert np.isnan(tips[[0, 1, 3, 5]]).all()


def test_large_files_go_the_compiled_way_to_the_same_numbers(monkeypatch):
    from moveset.formats.bvh import numbers, reader

    odd = VALUES.copy()
    odd[0, 4], odd[1, 5], odd[2, 6] = 0.1234567890123456789, 1e-300, 179.99999999999997
    data = text_of(FIGURE, odd).encode()
    monkeypatch.setattr(numbers, "COMPILED_FROM", 0)
    monkeypatch.setattr(reader, "COMPILED_FROM", 0)
    compiled = read(data)
    monkeypatch.setattr(numbers, "COMPILED_FROM", 1 << 40)
    monkeypatch.setattr(numbers.sys, "modules", {})
    monkeypatch.setattr(reader, "COMPILED_FROM", 1 << 40)
    slow = read(data)
    np.testing.assert_array_equal(compiled.source.document.values, odd)
    np.testing.assert_array_equal(slow.source.document.values, odd)
    np.testing.assert_allclose(compiled.clips[0].rotations, slow.clips[0].rotations, atol=1e-15)
