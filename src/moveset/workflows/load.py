"""Files to clips whose joints have roles: the first step of every journey."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from moveset import formats
from moveset.errors import MovesetError
from moveset.formats import locations
from moveset.motion import Asset, Clip, Finding
from moveset.rigs.overrides import FILE_NAME, GivenRoles, override, read_roles
from moveset.rigs.recognize import identify, skin_weights
from moveset.rigs.report import RoleReport


def load(path: str, roles: str | None = None, **options: object) -> Asset:
    """What the file holds, every skeleton with the roles that can be told (rigs/recognize.py).

    `roles` is a file of roles that a person wrote; without one, `roles.toml` in the file's folder is taken.
    `options` go to the format, e.g. `unit="inch"` for BVH.
    """
    return load_reported(path, roles, **options)[0]


def load_reported(
    path: str, roles: str | None = None, **options: object
) -> tuple[Asset, Mapping[tuple[str, ...], RoleReport]]:
    """`load`, and what is known about the roles of each rig, by its joint names."""
    asset, given = formats.read(path, **options), given_roles(path, roles)
    reports = role_reports(asset, given)
    return _applied(asset, reports), {report.skeleton.names: report for report in reports.values()}


def given_roles(path: str, roles: str | None = None) -> GivenRoles | None:
    """The roles that a person wrote for `path`: the file `roles`, or the one in the same folder."""
    if roles is not None:
        return read_roles(roles)
    beside = locations.locate(path).file.parent / FILE_NAME
    return read_roles(beside, for_all=False) if beside.is_file() else None


def known_options(path: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of `options` that the format of `path` takes: formats that state units need none."""
    location = locations.locate(path)
    if location.file.is_dir():  # a closed one: reading it says so
        return {}
    form = formats.format_of(location.name)
    return {name: value for name, value in options.items() if name in form.read_options}


def with_roles(asset: Asset, given: GivenRoles | None = None) -> Asset:
    """The asset with recognized skeletons; clips and characters that shared one skeleton go on sharing it.

    What is unsure about the roles is added to the findings.
    """
    return _applied(asset, role_reports(asset, given))


def _applied(asset: Asset, reports: Mapping[int, RoleReport]) -> Asset:
    """The asset with what the reports of its skeletons (by `id`) say."""
    applied = {key: report.applied() for key, report in reports.items()}
    return replace(
        asset,
        characters=tuple(replace(c, skeleton=applied[id(c.skeleton)]) for c in asset.characters),
        clips=tuple(replace(c, skeleton=applied[id(c.skeleton)]) for c in asset.clips),
        findings=asset.findings + _findings(reports.values()),
    )


def role_reports(asset: Asset, given: GivenRoles | None = None) -> dict[int, RoleReport]:
    """What is known about the roles of each skeleton of an asset, by the skeleton's `id`.

    Skeletons of equal names are one rig: meshes of one and clips of the other tell about both.
    """
    skeletons = {id(each.skeleton): each.skeleton for each in (*asset.characters, *asset.clips)}
    known: dict[tuple[str, ...], RoleReport] = {}
    reports: dict[int, RoleReport] = {}
    for key, skeleton in skeletons.items():
        if skeleton.names not in known:
            clips = [c for c in asset.clips if c.skeleton.names == skeleton.names and not c.additive]
            bodies = [c for c in asset.characters if c.skeleton.names == skeleton.names]
            report = identify(skeleton, clips[:1], skin_weights(bodies, len(skeleton)))
            alone = len(skeletons) == 1 and given is not None and given.for_all
            if given is not None and (alone or given.concerns(skeleton)):
                report = override(report, given)
            known[skeleton.names] = report
        reports[key] = replace(known[skeleton.names], skeleton=skeleton)
    return reports


def _findings(reports: Iterable[RoleReport]) -> tuple[Finding, ...]:
    """The findings of all reports, each once."""
    return tuple(dict.fromkeys(finding for report in reports for finding in report.findings()))


def list_sources(paths: Iterable[str]) -> dict[str, str]:
    """Every readable file under `paths`, and which of them it was found under."""
    found: dict[str, str] = {}
    paths = list(paths)
    formats.list_files(paths)  # the first misspelt one is an error before any is read
    for path in paths:
        for file in formats.list_files(path):
            found.setdefault(file, path)
    return found


def load_clip(path: str) -> Clip:
    """The one clip that `path` names; a file of several needs `FILE#clip`."""
    clips = load(path).clips
    if len(clips) != 1:
        names = ", ".join(clip.name for clip in clips[:8]) + (", ..." if len(clips) > 8 else "")
        raise MovesetError(
            f"holds {len(clips)} clips" + (f": {names}" if clips else ""),
            file=path,
            do="name one as FILE#clip" if clips else "give a file with an animation",
        )
    return clips[0]


def load_clips(paths: Iterable[str]) -> Iterator[Clip]:
    """Every clip of every file under `paths`, in order; the first bad file raises."""
    for path in formats.list_files(paths):
        yield from load(path).clips
