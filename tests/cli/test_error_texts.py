"""What a person reads when something is wrong, byte for byte.

After a wanted change:  MOVESET_NEW_TEXTS=1 pytest tests/cli/test_error_texts.py
and read the difference of error_texts.txt: every text says what is wrong, where, and what to do.
"""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest
from test_info_and_convert import bvh_text

TEXTS = Path(__file__).with_name("error_texts.txt")
GOOD = bvh_text()
ROW = GOOD.splitlines()[-2]

FILES = {
    "good.bvh": GOOD,
    "nan.bvh": GOOD.replace(" 3.0 0 0 1 0", " nan 0 0 1 0"),
    "comma.bvh": GOOD.replace(" 0 0 1 0", " 0 0 1,5 0"),
    "cut_in_hierarchy.bvh": GOOD[:200],
    "cut_in_channels.bvh": GOOD[:GOOD.index("Zrotation") - 3],
    "cut_before_motion.bvh": GOOD[: GOOD.index("MOTION")],
    "cut_after_header.bvh": GOOD[: GOOD.index("0.0333333") + 10],
    "long_row.bvh": GOOD.replace(ROW, ROW + " 1 2"),
    "short_row.bvh": GOOD.replace(ROW, ROW.rsplit(" ", 1)[0]),
    "channels.bvh": GOOD.replace("CHANNELS 3", "CHANNELS 2", 1),
    "channel.bvh": GOOD.replace("Zrotation", "Wrotation", 1),
    "brace.bvh": GOOD.replace("}\n", "", 1),
    "keyword.bvh": GOOD.replace("OFFSET", "OFFST", 1),
    "empty.bvh": "",
    "other.bvh": "solid cube\n",
    "notes.txt": "-",
    "notes.bhv": "-",
}  # fmt: skip

COMMANDS = (
    *(f"info {name}" for name in FILES if name != "good.bvh"),
    "info god.bvh",
    "info pack.zip/b.bvh",
    "info broken.zip",
    "info empty",
    "info good.bvh#run",
    "convert good.bvh -o good.bvh",
    "convert good.bvh -o out.blend",
    "convert good.bvh -o out",
    "convert good.bvh -o out --to stl",
    "convert good.bvh nan.bvh -o out.bvh",
    "convert good.bvh -o out.bvh --unit furlong",
    "convert good.bvh -o out.bvh --up X",
    "convert good.bvh -o out.bvh --order XYX",
    "convert good.bvh -o out.glb --order XYZ",
    "convert good.bvh -o out.bvh --fps -3",
    "convert -o out.bvh",
    "info",
)


@pytest.fixture
def bench(tmp_path, monkeypatch) -> Path:
    """A folder with every kind of bad file."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04")
    (tmp_path / "empty").mkdir()
    with zipfile.ZipFile(tmp_path / "pack.zip", "w") as archive:
        archive.writestr("deep/b.bvh", GOOD)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_texts(bench, moveset):
    found = []
    for command in COMMANDS:
        run = moveset(*command.split())
        assert run.code == 2, command
        said = [line for line in run.out.splitlines() if "unreadable" in line] + run.err.splitlines()
        assert not any("Traceback" in line or "Moveset failed" in line for line in said), command
        found.append(f"$ moveset {command}\n" + "\n".join(line.strip() for line in said) + "\n")
    text = "\n".join(found)
    if os.environ.get("MOVESET_NEW_TEXTS"):
        TEXTS.write_text(text, encoding="utf-8")
    assert text == TEXTS.read_text(encoding="utf-8")
