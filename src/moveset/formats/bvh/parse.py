"""BVH bytes to a `Document`, token by token: line breaks, blanks, case and layout are free."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, NoReturn

import numpy as np

from moveset.errors import MovesetError
from moveset.formats.bvh.document import Document, Joint, Vector
from moveset.formats.bvh.numbers import line_of, odd_row, parse_block
from moveset.motion import Finding

BadNumbers = Literal["refuse", "keep"]

_MOTION = re.compile(rb"^[ \t]*MOTION\b", re.IGNORECASE | re.MULTILINE)
_FRAMES = re.compile(rb"\s*Frames[ \t]*:?[ \t]*([^\s:]+)", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"\s*Frame[ \t]*Time[ \t]*:?[ \t]*([^\s:]+)", re.IGNORECASE)
_TOKEN = re.compile(r"[{}]|[^\s{}]+")
_NAME_END = re.compile(r"[\n{]")
_CHANNEL = re.compile(r"([XYZ])(position|rotation|scale)", re.IGNORECASE)
_ABSURD = 1e12
"""Numbers from here on are damage: no angle or length is so large, and their squares would soon overflow."""
_KEYWORDS = ("ROOT", "JOINT", "END", "OFFSET", "CHANNELS", "HIERARCHY", "{", "}")


def parse(data: bytes, path: str = "", on_bad_numbers: BadNumbers = "refuse") -> Document:
    """Read a file. NaN, infinite and absurd values are refused with their line, or kept as NaN."""
    data = _plain(data)
    motion = _MOTION.search(data)
    header = _text(data[: motion.start()] if motion else data)
    joints, findings = _Hierarchy(header, path).read()
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


@dataclass
class _Open:
    """A block whose brace is open."""

    kind: str
    joint: int
    line: int


class _Hierarchy:
    """The part before MOTION."""

    def __init__(self, text: str, path: str) -> None:
        self.text, self.path = text, path
        self.tokens: list[re.Match[str]] = list(_TOKEN.finditer(text))
        self.line_ends = [match.start() for match in re.finditer("\n", text)]
        self.at = 0
        self.joints: list[Joint] = []
        self.lacking_offset: list[str] = []

    def read(self) -> tuple[tuple[Joint, ...], list[Finding]]:
        if self._peek().upper() != "HIERARCHY":
            self._fail("this is no BVH file: it does not begin with HIERARCHY", "check what the file is")
        self.at += 1
        open_blocks: list[_Open] = []
        pending: _Open | None = None
        while self.at < len(self.tokens):
            word = self._peek().upper()
            if pending and word != "{":
                self._fail(
                    f"{word[:24]} where the brace of {pending.kind} should open", "add the missing '{'"
                )
            if word in ("ROOT", "JOINT"):
                if word == "JOINT" and not open_blocks:
                    self._fail("JOINT outside any ROOT", "check the braces above")
                if word == "ROOT" and open_blocks:
                    self._unclosed(open_blocks[-1])
                parent = open_blocks[-1].joint if open_blocks else -1
                line, name = self._line(), self._name()
                self.joints.append(Joint(name, parent))
                self.lacking_offset.append(name)
                pending = _Open(f"{word} {name}", len(self.joints) - 1, line)
            elif word == "END":
                if not open_blocks:
                    self._fail("End Site outside any joint", "check the braces above")
                line = self._line()
                self._name()
                pending = _Open("End Site", open_blocks[-1].joint, line)
            elif word == "{":
                if pending is None:
                    self._fail("a brace opens without ROOT, JOINT or End Site", "check the braces above")
                open_blocks.append(pending)
                pending = None
                self.at += 1
            elif word == "}":
                if not open_blocks:
                    self._fail("a brace closes that was never opened", "check the braces above")
                open_blocks.pop()
                self.at += 1
            elif word == "OFFSET":
                self._offset(open_blocks)
            elif word == "CHANNELS":
                self._channels(open_blocks)
            else:
                self._fail(f"{self._peek()[:24]!r} is no word of a BVH hierarchy", self._advice())
        if pending:
            open_blocks.append(pending)
        if open_blocks:
            self._unclosed(open_blocks[-1])
        if not self.joints:
            self._fail("the hierarchy holds no ROOT", "export or fetch the file again")
        return tuple(self.joints), self._findings()

    def _offset(self, open_blocks: list[_Open]) -> None:
        block = self._block(open_blocks)
        self.at += 1
        offset: Vector = (self._number(), self._number(), self._number())
        joint = self.joints[block.joint]
        if block.kind == "End Site":
            self.joints[block.joint] = replace(joint, tips=(*joint.tips, offset))
        else:
            self.joints[block.joint] = replace(joint, offset=offset)
            self.lacking_offset[block.joint] = ""

    def _channels(self, open_blocks: list[_Open]) -> None:
        block, start = self._block(open_blocks), self.at
        self.at += 1
        declared = self._number()
        channels: list[str] = []
        while match := _CHANNEL.fullmatch(self._peek()):
            channels.append(match[1].upper() + match[2][0].lower())
            self.at += 1
        if len(channels) != declared:
            unknown = self._peek()
            known = unknown.upper() in _KEYWORDS
            self.at = start
            self._fail(
                f"CHANNELS announces {declared:g} and names {len(channels)}"
                if known
                else f"{unknown[:24]!r} is no channel",
                "a channel is X, Y or Z with position, rotation or scale; correct the line",
            )
        if block.kind == "End Site":
            self.at = start
            self._fail("an End Site has no channels", "make it a JOINT")
        if len(set(channels)) != len(channels):
            self.at = start
            self._fail("a channel is named twice", "correct the line")
        self.joints[block.joint] = replace(self.joints[block.joint], channels=tuple(channels))

    def _block(self, open_blocks: list[_Open]) -> _Open:
        if not open_blocks:
            self._fail(f"{self._peek()} outside any joint", "check the braces above")
        return open_blocks[-1]

    def _peek(self) -> str:
        return self.tokens[self.at].group() if self.at < len(self.tokens) else ""

    def _line(self) -> int:
        position = self.tokens[self.at].start() if self.at < len(self.tokens) else len(self.text.rstrip())
        return bisect_left(self.line_ends, position) + 1

    def _name(self) -> str:
        """What stands after a keyword up to the end of its line or an opening brace, blanks included."""
        keyword = self.tokens[self.at]
        stop = _NAME_END.search(self.text, keyword.end())
        end = stop.start() if stop else len(self.text)
        while self.at < len(self.tokens) and self.tokens[self.at].start() < end:
            self.at += 1
        return self.text[keyword.end() : end].strip()

    def _number(self) -> float:
        word = self._peek()
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not abs(value) < _ABSURD:
            if not word:
                self._fail("the file ends inside the hierarchy", "it was cut off: export or fetch it again")
            self._fail(f"{word[:24]!r} is not a number", "write decimals with a point")
        self.at += 1
        return value

    def _advice(self) -> str:
        return (
            "compare CHANNELS with the names after it"
            if _CHANNEL.fullmatch(self._peek())
            else "correct the line"
        )

    def _unclosed(self, block: _Open) -> NoReturn:
        raise MovesetError(
            f"the block of {block.kind} is never closed",
            file=self.path,
            where=f"line {block.line}",
            do="add the missing '}', or fetch the file again if it was cut off",
        )

    def _fail(self, message: str, do: str) -> NoReturn:
        raise MovesetError(message, file=self.path, where=f"line {self._line()}", do=do)

    def _findings(self) -> list[Finding]:
        lacking = [name for name in self.lacking_offset if name]
        if not lacking:
            return []
        return [
            Finding(
                "no_offset", "warning", "", f"{len(lacking)} joints have no OFFSET; they sit on their parent",
                joint=lacking[0], value=len(lacking), unit="joints", advice="check the export",
            )
        ]  # fmt: skip


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
    sound = np.abs(values) < _ABSURD
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


def _seconds(text: str) -> tuple[float, Iterator[Finding] | tuple[Finding, ...]]:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if math.isfinite(seconds) and seconds > 0:
        return seconds, ()
    said = f"the frame time is {text!r}" if text else "the file has no frame time"
    return 0.0, (
        Finding(
            "frame_time", "warning", "", f"{said}; 30 frames a second were assumed",
            value=30.0, unit="1/s", advice="pass the right rate with fps",
        ),
    )  # fmt: skip
