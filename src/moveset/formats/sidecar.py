"""What a file cannot say of its clips, said beside it: `NAME.moveset.json` beside `NAME.fbx`.

No format but Unreal's own says that a clip is additive, few say that one loops; the scripts in `integrations/` write
down what their program knows. Fields stand at the top for all clips of the file, below `clips` for one:

    {"license": "CC0-1.0", "clips": {"Breathe": {
        "loop": true,
        "additive": {"pose": "clip", "clip": "Idle", "frame": 0, "space": "local", "stored": "poses"},
        "root_motion": false,
        "events": [{"time": 0.4, "name": "inhale", "role": "chest"}],
        "tags": ["idle", "layer"]}}}

`additive` is true, false, or says from which pose the difference is taken: `pose` reference, frame (`frame` of the
clip itself) or clip (`frame` of `clip`); `space` in which: local or mesh; `stored`: whether the file holds
differences or the poses that they are taken from. A loop whose last frame is the first one again, as programs write
it, is read without that frame. `writer` and `source` say where the file came from.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from moveset.formats.clip_json import read_events
from moveset.geometry import quaternion
from moveset.motion import Asset, Clip, Finding

SUFFIX = ".moveset.json"

_CLOSED = 0.1
"""Share of a frame's motion that the last pose of a closed loop may be from the first."""

_ADDITIVE: dict[str, tuple[str, ...] | type] = {
    "pose": ("reference", "frame", "clip"),
    "clip": str,
    "frame": int,
    "space": ("local", "mesh"),
    "stored": ("differences", "poses"),
}


def sidecar_name(file: str) -> str:
    """Name of the sidecar of a file."""
    return file.rpartition(".")[0] + SUFFIX


def with_sidecar(asset: Asset, content: bytes, name: str) -> Asset:
    """The asset with what its sidecar `name` says; what cannot be understood is a finding, never an error."""
    findings: list[Finding] = []
    try:
        said = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return _noticed(asset, [_odd(name, f"is not JSON: {error}")])
    if not isinstance(said, dict):
        return _noticed(asset, [_odd(name, "is not a JSON object")])
    of_all = _understood(said, name, "", findings)
    by_clip = of_all.pop("clips", {})
    strangers = sorted(by_clip.keys() - {clip.name for clip in asset.clips})
    if strangers:
        findings.append(
            _odd(name, f"speaks of clips that the file does not hold: {', '.join(strangers[:5])}")
        )
    clips = []
    for clip in asset.clips:
        own = _understood(by_clip.get(clip.name, {}), name, clip.name, findings)
        clips.append(_with_fields(clip, {**of_all, **own}, name, findings))
    return _noticed(replace(asset, clips=tuple(clips)), findings)


def _understood(said: Mapping[str, Any], name: str, clip: str, findings: list[Finding]) -> dict[str, Any]:
    """The fields that hold what they should; a finding names the others."""
    fits = {key: key in _FIELDS and _FIELDS[key](value) for key, value in said.items()}
    wrong = [str(key) for key, fit in fits.items() if not fit]
    if wrong:
        findings.append(_odd(name, f"{', '.join(wrong[:8])} cannot be understood", clip))
    return {key: value for key, value in said.items() if fits[key]}


def _with_fields(clip: Clip, fields: Mapping[str, Any], name: str, findings: list[Finding]) -> Clip:
    additive = fields.get("additive")
    if additive is not None:
        overruled = clip.additive not in (None, additive is not False)
        if additive is not False or overruled:
            findings.append(_about_additive(clip, additive, overruled, name))
    if fields.get("loop") and _closes(clip):
        clip = clip.slice(0, len(clip) - 1)
    moving = ("root motion",) if fields.get("root_motion") else ()
    words = tuple(dict.fromkeys((*clip.tags.words, *moving, *fields.get("tags", ()))))
    return replace(
        clip,
        additive=clip.additive if additive is None else additive is not False,
        loop=fields.get("loop", clip.loop),
        events=read_events(fields["events"]) if "events" in fields else clip.events,
        tags=replace(clip.tags, license=fields.get("license", clip.tags.license), words=words),
    )


def _closes(clip: Clip) -> bool:
    """Whether the last pose is the first one again: much nearer to it than a frame's motion, roots left out."""
    inner = clip.skeleton.parents >= 0
    if len(clip) < 3 or not inner.any() or not clip.is_finite:
        return False
    first, second, last = (clip.rotations[f, inner] for f in (0, 1, -1))
    step = quaternion.angle_between(first, second).mean()
    return bool(quaternion.angle_between(first, last).mean() < _CLOSED * step)


def _is_additive(said: object) -> bool:
    """Whether it says in a known way that a clip is additive, or that it is not."""
    return isinstance(said, bool) or (
        isinstance(said, dict) and all(_fits(value, _ADDITIVE.get(key, ())) for key, value in said.items())
    )


def _fits(value: object, allowed: tuple[str, ...] | type) -> bool:
    if isinstance(allowed, tuple):
        return value in allowed
    return isinstance(value, allowed) and not isinstance(value, bool)


def _is_words(said: object) -> bool:
    return isinstance(said, list) and all(isinstance(word, str) for word in said)


def _is_events(said: object) -> bool:
    return isinstance(said, list) and len(read_events(said)) == len(said)


def _is_clips(said: object) -> bool:
    return isinstance(said, dict) and all(isinstance(clip, dict) for clip in said.values())


_FIELDS: dict[str, Callable[[object], bool]] = {
    "additive": _is_additive,
    "clips": _is_clips,
    "events": _is_events,
    "license": lambda said: isinstance(said, str),
    "loop": lambda said: isinstance(said, bool),
    "root_motion": lambda said: isinstance(said, bool),
    "source": lambda said: isinstance(said, str),
    "tags": _is_words,
    "writer": lambda said: isinstance(said, str),
}
"""What may be said, and whether it is said in a way that can be understood."""


def _about_additive(clip: Clip, said: bool | dict[str, Any], overruled: bool, name: str) -> Finding:
    """What is taken from the sidecar, and whether it overrules the file."""
    if said is False:
        message = f"{clip.name}: not additive, says {name}"
    else:
        details = said if isinstance(said, dict) else {}
        frame = details.get("frame", 0)
        over = {
            "reference": " to the reference pose",
            "frame": f" to its own frame {frame}",
            "clip": f" to frame {frame} of {details.get('clip', 'another clip')!r}",
        }.get(details.get("pose", ""), "")
        stored = "; its tracks are full poses" if details.get("stored") == "poses" else ""
        message = f"{clip.name}: additive{over}, says {name}{stored}"
    if overruled:
        message += f"; the file itself says it is{'' if clip.additive else ' not'}"
    return Finding("additive_said", "warning" if overruled else "info", clip.name, message)


def _noticed(asset: Asset, findings: list[Finding]) -> Asset:
    return replace(asset, findings=(*asset.findings, *findings))


def _odd(name: str, message: str, clip: str = "") -> Finding:
    return Finding(
        "sidecar", "warning", clip, f"{name}: {message}", advice="mend the sidecar or take it away"
    )
