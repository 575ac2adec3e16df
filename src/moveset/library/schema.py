"""The three tables of a library, a dataclass each: what a column is called, its SQL type, unit and meaning.

Reading, writing, `moveset query` and the page docs/library.md follow these definitions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, get_type_hints

VERSION = 1
"""Of the layout on disk. A library with another version is refused by name."""


@dataclass(frozen=True)
class Column:
    """What a field of a row is as a column."""

    sql: str
    """Type in SQL."""
    about: str
    unit: str = ""


@dataclass(frozen=True, kw_only=True)
class ClipRow:
    """One clip of the library. Figures are None where the skeleton lacks the roles that they need."""

    id: Annotated[str, Column("VARCHAR", "hash of the motion as the file holds it")]
    name: Annotated[str, Column("VARCHAR", "name of the clip in its file")]
    file: Annotated[str, Column("VARCHAR", "file that it came from, from the source's own name on")]
    skeleton: Annotated[str, Column("VARCHAR", "signature: skeletons/SIGNATURE.json, poses/SIGNATURE.*")]
    start: Annotated[int, Column("BIGINT", "row of its first frame in the poses of its skeleton")] = 0
    frames: Annotated[int, Column("INTEGER", "number of frames")]
    seconds: Annotated[float, Column("DOUBLE", "duration", "s")]
    fps: Annotated[float, Column("DOUBLE", "frame rate in the library", "1/s")]
    source_fps: Annotated[float, Column("DOUBLE", "frame rate in the file", "1/s")]
    loop: Annotated[bool, Column("BOOLEAN", "whether the frame after the last is the first")]
    additive: Annotated[
        bool, Column("BOOLEAN", "whether its poses are differences to be added to another clip")
    ]
    license: Annotated[
        str, Column("VARCHAR", "SPDX identifier or the pack's own words; empty when nobody said")
    ]
    split: Annotated[str, Column("VARCHAR", "train or held-out")] = ""
    kin: Annotated[
        str, Column("VARCHAR", "the same for copies of one motion, also mirrored, retimed, on other rigs")
    ] = ""
    tags: Annotated[list[str], Column("VARCHAR[]", "words from names, folders and tables, lower case")] = (
        field(default_factory=list)
    )
    sentence: Annotated[str, Column("VARCHAR", "description, where a table gives one")]
    motion_type: Annotated[list[str], Column("VARCHAR[]", "annotation: the large class of the movement")] = (
        field(default_factory=list)
    )
    weapon_type: Annotated[list[str], Column("VARCHAR[]", "annotation: the weapon it is made for")] = field(
        default_factory=list
    )
    attack_type: Annotated[list[str], Column("VARCHAR[]", "annotation: handedness and strength")] = field(
        default_factory=list
    )
    direction: Annotated[list[str], Column("VARCHAR[]", "annotation: where the body goes")] = field(
        default_factory=list
    )
    power: Annotated[list[str], Column("VARCHAR[]", "annotation: power")] = field(default_factory=list)
    speed_word: Annotated[list[str], Column("VARCHAR[]", "annotation: speed")] = field(default_factory=list)
    impression: Annotated[list[str], Column("VARCHAR[]", "annotation: impression")] = field(
        default_factory=list
    )
    posture: Annotated[str, Column("VARCHAR", "annotation: how the limbs move, as a sentence")]
    mirrorable: Annotated[bool, Column("BOOLEAN", "whether its mirror image means the same")] = True
    speed: Annotated[float | None, Column("FLOAT", "mean horizontal speed of the ground frame", "m/s")] = None
    top_speed: Annotated[float | None, Column("FLOAT", "95th percentile of that speed", "m/s")] = None
    turn_rate: Annotated[float | None, Column("FLOAT", "mean absolute rate of turning", "rad/s")] = None
    turn: Annotated[
        float | None, Column("FLOAT", "heading at the end less that at the start; + is to the left", "rad")
    ] = None
    path: Annotated[float | None, Column("FLOAT", "length of the path on the floor", "m")] = None
    travel: Annotated[float | None, Column("FLOAT", "distance from start to end on the floor", "m")] = None
    hips_height: Annotated[float | None, Column("FLOAT", "median height of the hips", "m")] = None
    grounded: Annotated[float | None, Column("FLOAT", "share of frames with a foot on the floor")] = None
    verdict: Annotated[str, Column("VARCHAR", "clean, flagged (kept as it is) or repaired")] = "clean"
    checks: Annotated[list[str], Column("VARCHAR[]", "checks of warnings and errors found in it")] = field(
        default_factory=list
    )
    events: Annotated[
        list[dict], Column('STRUCT("time" DOUBLE, "name" VARCHAR, "role" VARCHAR)[]', "moments", "s")
    ] = field(default_factory=list)
    curves: Annotated[list[str], Column("VARCHAR[]", "names of the signals that ride along")] = field(
        default_factory=list
    )


@dataclass(frozen=True, kw_only=True)
class FindingRow:
    """One thing noticed, and what the policy did about it."""

    clip: Annotated[str, Column("VARCHAR", "id of the clip; empty when it concerns a whole file")]
    file: Annotated[str, Column("VARCHAR", "file in which it was noticed")]
    name: Annotated[str, Column("VARCHAR", "name of the clip in its file")]
    finding: Annotated[str, Column("VARCHAR", "which check noticed it; unreadable, failed, override")]
    severity: Annotated[str, Column("VARCHAR", "info, warning or error")]
    action: Annotated[
        str,
        Column(
            "VARCHAR",
            "what the policy did: keep, repair, drop; none: the clip was dropped for another reason",
        ),
    ]
    message: Annotated[str, Column("VARCHAR", "one sentence with the value in it")]
    frames: Annotated[
        list[int], Column("INTEGER[]", "frames of the file where it shows, the worst first")
    ] = field(default_factory=list)
    joint: Annotated[str | None, Column("VARCHAR", "joint where it shows")] = None
    value: Annotated[float | None, Column("DOUBLE", "how much")] = None
    unit: Annotated[str, Column("VARCHAR", "of value")] = ""
    advice: Annotated[str, Column("VARCHAR", "what to do")] = ""
    count: Annotated[int, Column("INTEGER", "how often")] = 1


@dataclass(frozen=True, kw_only=True)
class FrameRow:
    """Attributes of one frame. The library holds them as columns; NULL where the skeleton lacks the roles."""

    clip: Annotated[str, Column("VARCHAR", "id of the clip")]
    frame: Annotated[int, Column("INTEGER", "from 0")]
    x: Annotated[
        float | None, Column("FLOAT", "ground frame: place on the floor, to the left of the world's +Z", "m")
    ] = None
    z: Annotated[float | None, Column("FLOAT", "ground frame: place on the floor", "m")] = None
    heading: Annotated[
        float | None, Column("FLOAT", "angle about +Y, 0 faces +Z, + turns to the left", "rad")
    ] = None
    speed: Annotated[float | None, Column("FLOAT", "horizontal speed of the ground frame", "m/s")] = None
    forward_speed: Annotated[float | None, Column("FLOAT", "of that, along the heading", "m/s")] = None
    left_speed: Annotated[float | None, Column("FLOAT", "of that, to the left", "m/s")] = None
    turn_rate: Annotated[float | None, Column("FLOAT", "rate of the heading", "rad/s")] = None
    hips_height: Annotated[float | None, Column("FLOAT", "height of the hips over y = 0", "m")] = None
    left_foot: Annotated[bool | None, Column("BOOLEAN", "whether the left ankle bears on the floor")] = None
    left_toes: Annotated[bool | None, Column("BOOLEAN", "whether the left toes do")] = None
    right_foot: Annotated[bool | None, Column("BOOLEAN", "whether the right ankle does")] = None
    right_toes: Annotated[bool | None, Column("BOOLEAN", "whether the right toes do")] = None
    phase: Annotated[
        float | None, Column("FLOAT", "0 to 1 from one landing of the left foot to the next; else NULL")
    ] = None


TABLES: dict[str, type] = {"clips": ClipRow, "findings": FindingRow, "frames": FrameRow}


@cache
def columns(table: str) -> dict[str, Column]:
    """The columns of a table by name, in order."""
    hints = get_type_hints(TABLES[table], include_extras=True)
    return {name: hint.__metadata__[0] for name, hint in hints.items()}


def sql_types(table: str) -> dict[str, str]:
    """SQL type by column name, in order."""
    return {name: column.sql for name, column in columns(table).items()}
