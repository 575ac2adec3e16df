"""What is said about clips beside them: tables, sidecars, license files, and the names themselves.

For a file, looked for from its own folder up to the source that was given:

- `FILE.json` or `STEM.json` beside it: an object of the fields below; `clips` holds one object a clip name;
- a table (.csv) in a folder, or beside a folder or archive and named like it. Its rows are matched by the column
  `path` (relative to the table) and / or `clip` (clip name, file name, or path inside the archive);
- a license file; a license named in a table or sidecar comes first.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from moveset.errors import MovesetError
from moveset.library.ingest.shelf import listing, quick_stamp, read_text
from moveset.library.license import recognize_license
from moveset.motion import Annotation, Asset, Clip, Event, Finding

WORD_FIELDS = ("tags", "words", "content", "style", "category", "action", "label")
SENTENCE_FIELDS = ("sentence", "caption", "description", "text")
_LICENSE_FILE = re.compile(r"licen[sc]e|copying", re.I)
_NUMBER = re.compile(r"\d+(fps|hz)?")
_NOISE = frozenset(
    (
        "anim", "animation", "animations", "armature", "bvh", "clip", "clips", "copy", "data", "dataset", "fbx",
        "final", "fps", "game", "glb", "gltf", "medium", "memory", "mocap", "motion", "new", "pack", "rig", "set", "skeleton",
        "take", "test", "the", "zip",
    )
)  # fmt: skip


@dataclass(frozen=True)
class Facts:
    """Said about one file: fields by clip name, "" for all its clips; and the license file nearest to it."""

    by_clip: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    license: str = ""

    def about(self, clip: str) -> dict[str, Any]:
        """What holds for one clip: the file's fields under its own."""
        return {**self.by_clip.get("", {}), **self.by_clip.get(clip, {})}


def find_facts(path: str, root: str) -> Facts:
    """Facts about the file `path`, found between it and the source `root`."""
    file = PurePosixPath(path)
    found: dict[str, dict[str, Any]] = {}
    license = ""
    for folder in reversed(list(_folders(file, PurePosixPath(root)))):
        for table in _tables(folder):
            for clip, row in _rows_about(table, file):
                found.setdefault(clip, {}).update(row)
        license = _license_in(str(folder)) or license
    for name in (file.with_suffix(".json").name, file.name + ".json"):
        if name != file.name and name in listing(str(file.parent)):
            for clip, said in _sidecar(str(file.parent / name)).items():
                found.setdefault(clip, {}).update(said)
    return Facts(found, license)


def noted_facts(path: str, root: str) -> tuple[Facts, tuple[Finding, ...]]:
    """`find_facts`; where a sidecar cannot be read, no facts and a finding about it."""
    try:
        return find_facts(path, root), ()
    except MovesetError as error:
        return Facts(), (Finding("sidecar", "warning", "", str(error), advice=error.do or ""),)


def asset_with_facts(asset: Asset, path: str, root: str) -> tuple[Asset, Facts]:
    """The asset of the file `path` with what is said about its clips, and all that is said about the file."""
    facts, noticed = noted_facts(path, root)
    clips = tuple(with_facts(clip, facts.about(clip.name), path, facts.license) for clip in asset.clips)
    return replace(asset, clips=clips, findings=(*asset.findings, *noticed)), facts


def with_facts(clip: Clip, said: Mapping[str, Any], file: str, license: str) -> Clip:
    """The clip with what is said about it; `license` is for one about which nobody else said one."""
    words = [*clip.tags.words, *words_of(f"{file}/{clip.name}")]
    for name in WORD_FIELDS:
        for value in _listed(said.get(name)):
            words += [value.lower(), *words_of(value)]
    sentence = next((str(said[name]) for name in SENTENCE_FIELDS if said.get(name)), clip.tags.sentence)
    tags = replace(
        clip.tags,
        words=tuple(dict.fromkeys(words)),
        sentence=sentence,
        license=_license(said) or clip.tags.license or license,
        source=f"{file}#{clip.name}",
        mirrorable=_flag(said, "mirrorable", clip.tags.mirrorable),
        annotation=_annotation(clip.tags.annotation, said),
    )
    events = tuple(Event(float(e["time"]), str(e["name"]), e.get("role")) for e in said.get("events", ()))
    return replace(
        clip,
        tags=tags,
        events=events or clip.events,
        loop=_flag(said, "loop", clip.loop),
        additive=_flag(said, "additive", False) if "additive" in said else clip.additive,
    )


def words_of(name: str) -> list[str]:
    """Words of a path or name: split at signs and capitals, lower case, numbers and noise left out."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[a-z]\d)(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    words = re.split(r"[^0-9A-Za-z]+", spaced.lower())
    return [w for w in dict.fromkeys(words) if len(w) > 1 and w not in _NOISE and not _NUMBER.fullmatch(w)]


def _folders(file: PurePosixPath, root: PurePosixPath) -> Iterator[PurePosixPath]:
    """The file's folders up to the source; of a source that is a single file, its own folder."""
    top = file.parent if root == file else root
    for folder in file.parents:
        yield folder
        if folder == top:
            return


def _tables(folder: PurePosixPath) -> list[str]:
    """Tables in a folder, and the one beside it that is named like it."""
    place, above = str(folder), str(folder.parent)
    tables = [f"{place}/{name}" for name in _of_interest(place)[0]]
    stem = folder.stem if folder.suffix.lower() == ".zip" else folder.name
    return tables + [f"{above}/{stem}.csv"] if stem and f"{stem}.csv" in listing(above) else tables


def _of_interest(folder: str) -> tuple[list[str], list[str]]:
    """Names of the tables about a folder's own files, and of its license files."""
    names = listing(folder)
    return _sifted(folder, names) if names else ([], [])


@lru_cache(maxsize=1024)
def _sifted(folder: str, names: frozenset[str]) -> tuple[list[str], list[str]]:
    tables = [name for name in sorted(names) if name.lower().endswith(".csv")]
    # a table that is named like an archive or a folder beside it is about that one
    own = [t for t in tables if f"{t[:-4]}.zip" not in names and not os.path.isdir(f"{folder}/{t[:-4]}")]
    return own, [n for n in sorted(names) if _LICENSE_FILE.search(n) and not n.endswith((".py", ".csv"))]


def _rows_about(table: str, file: PurePosixPath) -> Iterator[tuple[str, dict[str, str]]]:
    """(clip name or "", row) of the rows that speak of the file."""
    by_path, by_clip = _read_table(table, quick_stamp(table))
    place = PurePosixPath(table).parent
    if place in file.parents:
        for row in by_path.get(str(file.relative_to(place)), ()):
            yield row.get("clip", ""), row
    inner = _inside(file)
    for key in dict.fromkeys((inner, file.name, file.stem)):
        for row in by_clip.get(key, ()):
            yield "", row


def _inside(file: PurePosixPath) -> str:
    """The path inside the archive; the name alone outside one."""
    archive = next((p for p in file.parents if p.suffix.lower() == ".zip"), None)
    return str(file.relative_to(archive)) if archive else file.name


@lru_cache(maxsize=256)
def _read_table(
    table: str, quick: str
) -> tuple[dict[str, list[dict[str, str]]], dict[str, list[dict[str, str]]]]:
    """Rows by path and, of a table without paths, by clip; empty for a table with neither column."""
    by_path: dict[str, list[dict[str, str]]] = {}
    by_clip: dict[str, list[dict[str, str]]] = {}
    for raw in csv.DictReader(io.StringIO(read_text(table))):
        row = {str(k).strip().lower(): v.strip() for k, v in raw.items() if isinstance(v, str) and v.strip()}
        if "path" in row:
            by_path.setdefault(row["path"], []).append(row)
        elif "clip" in row:
            by_clip.setdefault(row["clip"], []).append(row)
    return by_path, by_clip


def _sidecar(path: str) -> dict[str, dict[str, Any]]:
    """{"" : fields of the file, clip name: fields} of a JSON sidecar; other JSON than an object says nothing."""
    try:
        said = json.loads(read_text(path))
    except ValueError as error:
        raise MovesetError(f"not JSON: {error}", file=path, do="mend the sidecar or take it away") from None
    if not isinstance(said, dict):
        return {}
    clips = said.pop("clips", {})
    named = clips.items() if isinstance(clips, dict) else ()
    return {"": said, **{str(name): fields for name, fields in named if isinstance(fields, dict)}}


def _license_in(folder: str) -> str:
    """License named by the files of a folder; `see FILE` for one in words of its own."""
    names = _of_interest(folder)[1]
    known = (_license_of(f"{folder}/{name}", quick_stamp(f"{folder}/{name}")) for name in names)
    return next(filter(None, known), f"see {names[0]}" if names else "")


@lru_cache(maxsize=1024)
def _license_of(file: str, quick: str) -> str:
    return recognize_license(read_text(file))


def _license(said: Mapping[str, Any]) -> str:
    license = str(said.get("license") or said.get("licence") or "")
    if _flag(said, "noncommercial", False) and "noncommercial" not in license.lower() and "NC" not in license:
        license = f"{license} (noncommercial)".strip()
    return license


def _annotation(known: Annotation, said: Mapping[str, Any]) -> Annotation:
    said = {**said, **(said["annotation"] if isinstance(said.get("annotation"), dict) else {})}
    given: dict[str, Any] = {
        f.name: tuple(_listed(said[f.name]))
        for f in fields(Annotation)
        if f.name in said and f.name != "posture"
    }
    if said.get("posture"):
        given["posture"] = str(said["posture"])
    return replace(known, **given)


def _flag(said: Mapping[str, Any], name: str, otherwise: bool) -> bool:
    if name not in said:
        return otherwise
    return str(said[name]).strip().lower() in ("1", "true", "yes", "wrap")


def _listed(value: object) -> list[str]:
    """A list, or the parts of a text between `;` or `|`."""
    if value is None:
        return []
    if isinstance(value, str):
        return [part.strip() for part in re.split(r"[;|]", value) if part.strip()]
    return [str(part) for part in value] if isinstance(value, Iterable) else [str(value)]
