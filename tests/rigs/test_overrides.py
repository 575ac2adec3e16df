"""Roles that a person wrote: read, refused with near names, applied, written to be edited."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

from moveset.errors import MovesetError
from moveset.formats import write
from moveset.motion import Asset, Skeleton
from moveset.motion.canonical import canonical_skeleton
from moveset.rigs.overrides import as_toml, override, read_roles
from moveset.rigs.recognize import identify
from moveset.synthetic import synthesize
from moveset.workflows.load import load


def bare(names=None) -> Skeleton:
    skeleton = canonical_skeleton()
    return Skeleton(
        names or skeleton.names, skeleton.parents, skeleton.rest_rotations, skeleton.rest_translations
    )


def given(tmp_path, text: str):
    file = tmp_path / "roles.toml"
    file.write_text(text, encoding="utf-8")
    return read_roles(file)


def test_a_role_is_given_taken_and_moved(tmp_path):
    skeleton = bare()
    report = identify(skeleton)
    chest = skeleton.names[report.roles["chest"]]
    spine = skeleton.names[report.roles["spine"]]
    neck = skeleton.names[report.roles["neck"]]
    said = override(report, given(tmp_path, f'{chest} = "spine"\n{spine} = "none"\n{neck} = "tail1"\n'))
    assert said.roles["spine"] == skeleton.index[chest] and said.roles["tail1"] == skeleton.index[neck]
    assert "chest" not in said.roles and "neck" not in said.roles
    assert skeleton.index[spine] not in said.roles.values()
    assert said.by_joint[skeleton.index[chest]].why == "given"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('leftHnd = "leftHand"', "has no joint 'leftHnd' -- write leftHand"),
        ('hips = "pelvis"', "'pelvis' is no role"),
        ('hips = "leftHnad"', "'leftHnad' is no role -- write leftHand"),
        ("hips = 3", "3 is no role"),
        ('hips = "hips"\nspine = "hips"', "hips and spine are both hips -- give each role once"),
        ("hips = ", "is no TOML"),
    ],
)
def test_what_is_wrong_is_said_with_what_was_meant(tmp_path, text, message):
    with pytest.raises(MovesetError) as error:
        override(identify(bare()), given(tmp_path, text))
    assert message in str(error.value) and "roles.toml" in str(error.value)


def test_a_report_is_written_to_be_edited_and_read_again(tmp_path):
    odd = tuple(f'bone "{j}" # \\ é' for j in range(len(canonical_skeleton())))
    report = identify(bare(odd))
    text = as_toml(report)
    assert tomllib.loads(text)
    again = override(identify(bare(odd)), given(tmp_path, text))
    assert dict(again.roles) == dict(report.roles)
    assert all(name.split('"')[1] in text for name in odd)  # joints without a role stand there too


def test_roles_beside_a_file_hold_for_the_rigs_that_have_the_joints(tmp_path):
    clip = synthesize("walk_120")
    (tmp_path / "a").mkdir()
    write(Asset(clips=(clip,)), str(tmp_path / "a" / "walk.bvh"))
    (tmp_path / "a" / "roles.toml").write_text('head = "none"\nneck = "head"\n', encoding="utf-8")
    skeleton = load(str(tmp_path / "a" / "walk.bvh")).clips[0].skeleton
    assert skeleton.names[skeleton.joint("head")] == "neck"
    (tmp_path / "a" / "roles.toml").write_text('Kopf = "head"\n', encoding="utf-8")  # of another rig
    skeleton = load(str(tmp_path / "a" / "walk.bvh")).clips[0].skeleton
    assert skeleton.names[skeleton.joint("head")] == "head"
    (tmp_path / "mine.toml").write_text('Kopf = "head"\n', encoding="utf-8")  # but this one was asked for
    with pytest.raises(MovesetError, match=r"mine.toml.*no joint 'Kopf'"):
        load(str(tmp_path / "a" / "walk.bvh"), roles=str(tmp_path / "mine.toml"))


def test_a_missing_file_is_one_sentence(tmp_path):
    with pytest.raises(MovesetError, match="No such file"):
        read_roles(tmp_path / "none.toml")


def test_stated_roles_can_be_overridden():
    skeleton = canonical_skeleton()
    report = identify(skeleton)
    assert report.convention == "file" and report.applied() is skeleton
    np.testing.assert_array_equal(sorted(report.roles.values()), sorted(skeleton.by_role.values()))
