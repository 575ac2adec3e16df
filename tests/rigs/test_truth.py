"""Every rig of the pack against what a person says its joints are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from truth import Rig, rigs

from moveset import formats
from moveset.motion import Skeleton
from moveset.motion.roles import kind_of
from moveset.rigs.recognize import identify, skin_weights
from moveset.rigs.report import RoleReport

RIGS = {rig.file: rig for rig in rigs()}
QUICK = ("game/quaternius/glb/KnightCharacter.glb", "game/khronos-samples/Fox/glTF-Binary/Fox.glb",
         "game/makehuman/tpose.bvh", "mocap/samples/cmu_02_03.amc")  # fmt: skip
MUST = {"humanoid": 0.9, "quadruped": 0.9}
"""Share of body roles told by shape alone; docs/rigs.md has what is reached."""


def read(pack, rig: Rig, names: bool) -> tuple[RoleReport, Skeleton]:
    asset = formats.read(str(pack / rig.file))
    skeleton = (*asset.characters, *asset.clips)[0].skeleton
    called = skeleton.names if names else tuple(f"joint_{j}" for j in range(len(skeleton)))
    bare = replace(skeleton, names=called, roles=(None,) * len(skeleton))
    clips = [replace(c, skeleton=bare) for c in asset.clips if c.skeleton.names == skeleton.names][:1]
    bodies = [c for c in asset.characters if c.skeleton.names == skeleton.names]
    return identify(bare, clips, skin_weights(bodies, len(bare))), skeleton


def wrong(rig: Rig, report: RoleReport, skeleton: Skeleton) -> Iterator[str]:
    for role, allowed in rig.roles.items():
        joint = report.roles.get(role)
        found = "" if joint is None else skeleton.names[joint]
        if found not in (allowed or ("",)):
            yield f"{role}: {found or 'nobody'}, not {allowed or 'nobody'}"


def check_names(pack, rig: Rig) -> None:
    report, skeleton = read(pack, rig, names=True)
    if rig.kind == "other":
        assert report.kind == "partial"
    else:
        assert report.kind == ("partial" if rig.partial else rig.kind)
        assert not list(wrong(rig, report, skeleton))


@pytest.mark.parametrize("file", QUICK)
def test_a_few_rigs_by_their_names(pack, file):
    check_names(pack, RIGS[file])


@pytest.mark.slow
@pytest.mark.parametrize("file", [file for file in RIGS if file not in QUICK])
def test_every_rig_by_its_names(pack, file):
    check_names(pack, RIGS[file])


@pytest.mark.slow
@pytest.mark.parametrize("kind", MUST)
def test_bodies_by_their_shape_alone(pack, kind):
    right = total = 0
    for rig in RIGS.values():
        if rig.kind == kind and not rig.partial:
            report, skeleton = read(pack, rig, names=False)
            asked = sum(bool(allowed) for allowed in rig.roles.values())
            total += asked
            right += max(asked - len(list(wrong(rig, report, skeleton))), 0)
    assert right >= MUST[kind] * total


@pytest.mark.slow
def test_no_other_body_passes_for_a_person_or_a_dog_by_its_shape(pack):
    for rig in RIGS.values():
        if rig.kind == "other":
            report, _ = read(pack, rig, names=False)
            assert kind_of(report.roles) == "partial"
