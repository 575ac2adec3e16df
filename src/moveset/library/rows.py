"""Clips and findings to rows of the tables, and tags back."""

from __future__ import annotations

import math

from moveset.library.schema import ClipRow, FindingRow
from moveset.motion import Annotation, Clip, Finding, Tags


def clip_row(clip: Clip, *, id: str, file: str, source_fps: float) -> ClipRow:
    """What a clip itself says; its figures, place, kin and verdict are filled in later."""
    annotation = clip.tags.annotation
    return ClipRow(
        id=id,
        name=clip.name,
        file=file,
        skeleton=clip.skeleton.signature,
        frames=len(clip),
        seconds=clip.seconds,
        fps=clip.fps,
        source_fps=source_fps,
        loop=clip.loop,
        additive=bool(clip.additive),
        license=clip.tags.license,
        tags=list(clip.tags.words),
        sentence=clip.tags.sentence,
        motion_type=list(annotation.motion_type),
        weapon_type=list(annotation.weapon_type),
        attack_type=list(annotation.attack_type),
        direction=list(annotation.direction),
        power=list(annotation.power),
        speed_word=list(annotation.speed),
        impression=list(annotation.impression),
        posture=annotation.posture,
        mirrorable=clip.tags.mirrorable,
        events=[{"time": e.time, "name": e.name, "role": e.role} for e in clip.events],
        curves=list(clip.curves),
    )


def tags_of(row: ClipRow) -> Tags:
    """The tags of a clip from its row."""
    return Tags(
        words=tuple(row.tags),
        annotation=Annotation(
            motion_type=tuple(row.motion_type),
            weapon_type=tuple(row.weapon_type),
            attack_type=tuple(row.attack_type),
            direction=tuple(row.direction),
            power=tuple(row.power),
            speed=tuple(row.speed_word),
            impression=tuple(row.impression),
            posture=row.posture,
        ),
        sentence=row.sentence,
        license=row.license,
        source=f"{row.file}#{row.name}",
        mirrorable=row.mirrorable,
    )


def finding_row(finding: Finding, file: str, id: str, name: str, action: str) -> FindingRow:
    """The finding as a row of the findings table."""
    value = finding.value
    return FindingRow(
        clip=id,
        file=file,
        name=name,
        finding=finding.check,
        severity=finding.severity,
        action=action,
        message=finding.message,
        frames=[int(frame) for frame in finding.frames],
        joint=finding.joint,
        value=None if value is None or not math.isfinite(value) else float(value),
        unit=finding.unit,
        advice=finding.advice,
        count=finding.count,
    )


def failure(file: str, name: str, check: str, message: str, advice: str | None = None) -> FindingRow:
    """A row about something that could not be used at all."""
    return finding_row(Finding(check, "error", name, message, advice=advice or ""), file, "", name, "drop")
