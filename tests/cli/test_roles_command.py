"""`moveset roles` writes what was found, `moveset info --tree` shows it."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace

import numpy as np
import pytest

from moveset.formats import write
from moveset.motion import Asset, Skeleton
from moveset.synthetic import synthesize


@pytest.fixture
def nameless(tmp_path):
    """A walk whose joints have no names and whose file states no roles."""
    walk = synthesize("walk_120")
    names = tuple(f"bone{j}" for j in range(len(walk.skeleton)))
    skeleton = Skeleton(
        names, walk.skeleton.parents, walk.skeleton.rest_rotations, walk.skeleton.rest_translations
    )
    file = tmp_path / "walk.bvh"
    write(Asset(clips=(replace(walk, skeleton=skeleton, contacts=None, events=()),)), str(file))
    return file, {names[j]: role for j, role in enumerate(walk.skeleton.roles) if role}


def test_roles_by_shape_are_written_shown_and_edited(moveset, nameless, tmp_path):
    file, wanted = nameless
    out = tmp_path / "roles.toml"
    run = moveset("roles", file, "-o", out)
    assert run.code == 0 and "roles of" in run.out and "(shape)" in run.out
    assert "roles_by_shape" in run.err
    said = tomllib.loads(out.read_text(encoding="utf-8"))
    body = {joint: role for joint, role in wanted.items() if not role.endswith(("Prop", "root"))}
    assert {joint: said.get(joint) for joint in body} == body
    assert moveset("roles", file).out.startswith("# Roles of")

    shown = moveset("info", file, "--tree").out
    assert "humanoid by its shape" in shown and "m high)" in shown
    hand = next(joint for joint, role in wanted.items() if role == "leftHand")
    out.write_text(out.read_text(encoding="utf-8").replace('"leftHand"', '"none"'), encoding="utf-8")
    told = json.loads(moveset("info", file, "--json").out)["skeletons"][0]
    assert "leftHand" not in told["roles"] and told["kind"] == "partial"
    np.testing.assert_equal(hand in told["roles"].values(), False)


def test_a_file_without_a_skeleton_is_refused(moveset, tmp_path):
    (tmp_path / "roles.toml").write_text("x = 1", encoding="utf-8")
    run = moveset("roles", tmp_path / "none.glb")
    assert run.code == 2 and "none.glb" in run.err
