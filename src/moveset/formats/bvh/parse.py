"""BVH bytes to a `Document`, token by token: line breaks, blanks, case and layout are free."""

from __future__ import annotations

import re
from typing import Literal

import numpy as np

from moveset.conventions import DEFAULT_FPS, FPS_RANGE
from moveset.errors import MovesetError
from moveset.formats.bvh.document import Document
from moveset.formats.bvh.hierarchy import read_hierarchy
from moveset.formats.bvh.numbers import ABSURD, line_of, odd_row, parse_block
from moveset.motion import Finding

BadNumbers = Literal["refuse", "keep"]

_MOTION = re.compile(rb"^[ \t]*MOTION\b", re.IGNORECASE | re.MULTILINE)
_FRAMES = re.compile(rb"\s*Frames[ \t]*:?[ \t]*([^\s:]+)", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"\s*Frame[ \t]*Time[ \t]*:?[ \t]*([^\s:]+)", re.IGNORECASE)


def parse(data: bytes, path: str = "", on_bad_numbers: BadNumbers = "refuse") -> Document:
    """Read a file. NaN, infinite and absurd values are refused with their line, or kept as NaN."""
    data = _plain(data)
    motion = _MOTION.search(data)
    header = _text(data[: motion.start()] if motion else data)
    joints, findings = read_hierarchy(header, path)
    if motion is None:
        raise MovesetError(
            "the file ends before MOTION",
            file=path,
            where=f"line {header.rstrip().count(chr(10)) + 1}",
            do="the file was cut off: export or fetch it again",
        )
    declared, time_text, body, line = _motion_header(data, motion.end(), path)
    columns = sum(len(j.channels) for j in joints)
    values, more = _frames(body, columns, declared, line, path)
    _check_numbers(values, body, columns, line, path, on_bad_numbers)
    seconds, note = _seconds(time_text)
    return Document(joints, values, seconds, time_text, (*findings, *more, *note))


def _plain(data: bytes) -> bytes:
    """The text in an encoding where ASCII is one byte, without byte-order mark, lines ended by a line feed."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16", "replace").encode()
    data = data.removeprefix(b"\xef\xbb\xbf")
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _motion_header(data: bytes, at: int, path: str) -> tuple[int | None, str, memoryview, int]:
    """Declared frames, frame time as printed, the number block, and the line that this starts on."""
    declared: int | None = None
    time_text = ""
    for _ in range(2):  # either order
        if match := _FRAMES.match(data, at):
            at = match.end()
            declared = _count(match[1])
        elif match := _FRAME_TIME.match(data, at):
            at = match.end()
            time_text = match[1].decode("latin-1")
    line = data.count(b"\n", 0, at) + 1
    body = memoryview(data)[at:]
    if declared is None and not time_text and not bytes(body).strip():
        raise MovesetError(
            "the file ends after MOTION", file=path, where=f"line {line}", do="it was cut off: fetch it again"
        )
    return declared, time_text, body, line


def _count(text: bytes) -> int | None:
    try:
        return int(float(text))
    except (ValueError, OverflowError):
        return None


def _frames(
    body: memoryview, columns: int, declared: int | None, line: int, path: str
) -> tuple[np.ndarray, list[Finding]]:
    block = parse_block(body, columns, line, path)
    total = len(block.values)
    frames, rest = divmod(total, columns) if columns else (0, total)
    if (block.torn and total != (declared or 0) * columns) or (not columns and rest):
        where, found = odd_row(body, columns, line)
        raise MovesetError(
            f"the row holds {found} numbers, the hierarchy has {columns} channels",
            file=path,
            where=f"line {where}",
            do="make CHANNELS and rows agree",
        )
    if declared and not frames:
        raise MovesetError(
            f"the header promises {declared} frames and there is none",
            file=path,
            where=f"line {line_of(body, total, line)}",
            do="the file was cut off: export or fetch it again",
        )
    findings = []
    if rest:
        findings.append(
            Finding(
                "incomplete_frame", "warning", "",
                f"the last row holds {rest} of {columns} numbers and was left out",
                frames=(frames,), value=rest, unit="numbers", advice="the file was cut off; fetch it again",
            )
        )  # fmt: skip
    if declared != frames:
        announced = "no readable number of frames" if declared is None else f"{declared} frames"
        findings.append(
            Finding(
                "header_mismatch", "warning", "", f"the header says {announced}, the file holds {frames}",
                value=frames, unit="frames", advice="the rows were believed; check whether the export is complete",
            )
        )  # fmt: skip
    return block.values[: frames * columns].reshape(frames, columns), findings


def _check_numbers(
    values: np.ndarray, body: memoryview, columns: int, line: int, path: str, on_bad_numbers: BadNumbers
) -> None:
    sound = np.abs(values) < ABSURD
    if sound.all():
        return
    if on_bad_numbers == "keep":
        values[~sound] = np.nan  # one kind of bad number is enough for those who look for it
        return
    bad = np.flatnonzero(~sound)
    frame, column = divmod(int(bad[0]), columns)
    raise MovesetError(
        f"{len(bad)} NaN, infinite or absurd values, the first in frame {frame}, column {column + 1}",
        file=path,
        where=f"line {line_of(body, int(bad[0]), line)}",
        do='delete these frames; in Python on_bad_numbers="keep" reads them',
    )


def _seconds(text: str) -> tuple[float, tuple[Finding, ...]]:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if seconds > 0 and FPS_RANGE[0] <= 1 / seconds <= FPS_RANGE[1]:
        return seconds, ()
    said = f"the frame time is {text!r}" if text else "the file has no frame time"
    return 0.0, (
        Finding(
            "frame_time", "warning", "", f"{said}; {DEFAULT_FPS:g} frames a second were assumed",
            value=DEFAULT_FPS, unit="1/s", advice="pass the right rate with fps",
        ),
    )  # fmt: skip
