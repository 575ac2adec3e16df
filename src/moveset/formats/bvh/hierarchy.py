"""The hierarchy of a BVH file: words to joints."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import NoReturn

from moveset.errors import MovesetError
from moveset.formats.bvh.document import Joint, Vector
from moveset.formats.bvh.numbers import ABSURD
from moveset.motion import Finding

_TOKEN = re.compile(r"[{}]|[^\s{}]+")
_NAME_END = re.compile(r"[\n{]")
_CHANNEL = re.compile(r"([XYZ])(position|rotation|scale)", re.IGNORECASE)
_KEYWORDS = ("ROOT", "JOINT", "END", "OFFSET", "CHANNELS", "HIERARCHY", "{", "}")
_MOST_JOINTS, _MOST_TIPS = 50_000, 1_000
"""What no body has, and what a small file could fill a memory and an hour with."""


def read_hierarchy(text: str, path: str) -> tuple[tuple[Joint, ...], list[Finding]]:
    """Joints in file order, which is depth first, and what was noticed about them."""
    return _Hierarchy(text, path).read()


@dataclass
class _Open:
    """A block whose brace is open."""

    kind: str
    joint: int
    line: int


class _Hierarchy:
    """A walk along the words of the part before MOTION."""

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
                if len(self.joints) >= _MOST_JOINTS:
                    self._fail(f"more than {_MOST_JOINTS:,} joints", "check where the file is from")
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
            if len(joint.tips) >= _MOST_TIPS:
                self._fail(f"more than {_MOST_TIPS:,} End Sites of one joint", "check where the file is from")
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
        if not abs(value) < ABSURD:
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
