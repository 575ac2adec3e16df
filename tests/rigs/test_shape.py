"""Roles by shape alone: the joints are called joint_0, joint_1, ... and may be turned, scaled, shuffled, folded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.motion import Clip, Skeleton
from moveset.motion.canonical import Body, canonical_skeleton
from moveset.motion.kinematics import inverse_kinematics
from moveset.motion.roles import BODY, REQUIRED, REQUIRED_QUADRUPED
from moveset.rigs.recognize import identify
from moveset.rigs.report import SURE
from moveset.synthetic import synthesize

DOG = """
root 0 0 0
  a 0 .60 -.30
    b 0 .60 -.10
      c 0 .60 .10
        d 0 .62 .25
          e 0 .75 .40
            f 0 .85 .50
              fe .04 .90 .50
              ff -.04 .90 .50
          l1 .05 .65 .20
            l2 .10 .48 .28
              l3 .10 .30 .18
                l4 .10 .08 .20
                  l5 .10 .02 .26
          r1 -.05 .65 .20
            r2 -.10 .48 .28
              r3 -.10 .30 .18
                r4 -.10 .08 .20
                  r5 -.10 .02 .26
    h1 .10 .55 -.30
      h2 .10 .35 -.22
        h3 .10 .16 -.36
          h4 .10 .02 -.30
    g1 -.10 .55 -.30
      g2 -.10 .35 -.22
        g3 -.10 .16 -.36
          g4 -.10 .02 -.30
    t1 0 .60 -.40
      t2 0 .58 -.55
        t3 0 .50 -.70
"""
DOG_ROLES = {"a": "hips", "b": "spine", "c": "chest", "d": "upperChest", "e": "neck", "f": "head",
             "l1": "leftFrontShoulder", "l2": "leftFrontUpperLeg", "l3": "leftFrontLowerLeg", "l4": "leftFrontFoot",
             "l5": "leftFrontToes", "h1": "leftUpperLeg", "h2": "leftLowerLeg", "h3": "leftFoot", "h4": "leftToes",
             "g2": "rightLowerLeg", "r4": "rightFrontFoot", "t1": "tail1", "t2": "tail2"}  # fmt: skip


def standing(text: str) -> Skeleton:
    """A skeleton from indented lines of name and world position."""
    names, parents, positions, path = [], [], [], []
    for line in text.strip("\n").splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        name, *place = line.split()
        path[depth:] = [len(names)]
        parents.append(path[depth - 1] if depth else -1)
        names.append(name)
        positions.append([float(v) for v in place])
    turned = quaternion.identity((len(names),))
    rotations, translations = inverse_kinematics(turned, np.array(positions), np.array(parents))
    return Skeleton(tuple(names), np.array(parents), rotations, translations)


def changed(skeleton: Skeleton, turn=(0.0, 0.0, 0.0, 1.0), scale=1.0, seed: int | None = None):
    """The rig without names and roles, turned as a whole, scaled, its joints in another order; and the order."""
    world, positions = skeleton.rest_world
    world = quaternion.multiply(np.asarray(turn), world)
    positions = scale * quaternion.rotate(np.asarray(turn), positions)
    order = list(range(len(skeleton)))
    if seed is not None:
        rng, order = np.random.default_rng(seed), []
        while len(order) < len(skeleton):
            free = [j for j in range(len(skeleton)) if j not in order and skeleton.parents[j] in (-1, *order)]
            order.append(int(rng.choice(free)))
    parents = np.array([order.index(p) if (p := skeleton.parents[j]) >= 0 else -1 for j in order])
    rotations, translations = inverse_kinematics(world[order], positions[order], parents)
    names = tuple(f"joint_{n}" for n in range(len(order)))
    return Skeleton(names, parents, rotations, scale * 0 + translations), order


def told(skeleton: Skeleton, **changes) -> dict[str, str]:
    """Role by true joint name of a changed rig, those that are sure."""
    bare, order = changed(skeleton, **changes)
    return {skeleton.names[order[j]]: role for role, j in identify(bare).roles.items()}


def yaw(degrees: float):
    return quaternion.from_axis_angle((0, 1, 0), np.radians(degrees))


@pytest.mark.parametrize("height", [1.2, 1.75, 2.1])
def test_a_person_without_names(height):
    skeleton = canonical_skeleton(Body(height=height))
    found = told(skeleton)
    wanted = {skeleton.names[skeleton.joint(role)]: role for role in BODY}
    assert {name: found.get(name) for name in wanted} == wanted


def test_a_dog_without_names():
    found = told(standing(DOG))
    assert {name: found.get(name) for name in DOG_ROLES} == DOG_ROLES
    assert set(REQUIRED_QUADRUPED) <= set(found.values()) and "leftUpperArm" not in found.values()


@pytest.mark.parametrize("rig", [canonical_skeleton(), standing(DOG)], ids=["person", "dog"])
@pytest.mark.parametrize("degrees", [90, 180, 270])
@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_where_it_faces_and_how_large_it_is_do_not_matter(rig, degrees, scale):
    assert told(rig, turn=yaw(degrees), scale=scale) == told(rig)


@pytest.mark.parametrize("rig", [canonical_skeleton(), standing(DOG)], ids=["person", "dog"])
@pytest.mark.parametrize("axis", [(1, 0, 0), (-1, 0, 0), (0, 0, 1)])
def test_a_rest_that_stands_along_another_axis(rig, axis):
    found = told(rig, turn=quaternion.from_axis_angle(axis, np.pi / 2))
    assert found == told(rig)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_the_order_of_joints_does_not_matter(seed):
    for rig in (canonical_skeleton(), standing(DOG)):
        assert told(rig, seed=seed) == told(rig)


def test_a_rest_pose_that_folds_every_bone_is_read_from_motion():
    walk = synthesize("walk_120")
    skeleton = walk.skeleton
    bare = Skeleton(
        tuple(f"joint_{j}" for j in range(len(skeleton))),
        skeleton.parents,
        skeleton.rest_rotations,
        np.linalg.norm(skeleton.rest_translations, axis=1, keepdims=True) * (1.0, 0, 0),
    )
    clip = replace(walk, skeleton=bare, contacts=None, events=())
    assert identify(bare).kind == "partial"
    report = identify(bare, [clip])
    assert report.convention == "shape"
    assert {role: report.roles.get(role) for role in REQUIRED} == {
        role: skeleton.by_role[role] for role in REQUIRED
    }


def test_weights_take_controls_out():
    """Targets at the floor beside each limb, and poles before the knees, move nothing."""
    text = "\n".join(
        f"{'  ' * (len(skeleton.lineage(j)) - 1)}{name} "
        + " ".join(str(v) for v in skeleton.rest_world[1][j])
        for skeleton in (canonical_skeleton(),)
        for j in skeleton.depth_first
        for name in (skeleton.names[j],)
    )
    controls = "\n".join(
        f"{name} {x} {y} {z}"
        for name, x, y, z in (("k1", 0.1, 0.5, 2.0), ("k2", -0.1, 0.5, 2.0), ("m1", 0.1, 0.09, 0.0),
                              ("m2", -0.1, 0.09, 0.0), ("n1", 0.7, 1.4, -1.0), ("n2", -0.7, 1.4, -1.0))
    )  # fmt: skip
    rig = standing(text + "\n" + controls)
    bare, order = changed(rig)
    weights = np.array([0.0 if rig.names[j][0] in "kmn" and len(rig.names[j]) == 2 else 1.0 for j in order])
    roles = {rig.names[order[j]]: role for role, j in identify(bare, weights=weights).roles.items()}
    assert {name: role for name, role in told(canonical_skeleton()).items() if role in BODY} == {
        name: role for name, role in roles.items() if role in BODY
    }


@pytest.mark.parametrize("legs", [6, 8])
def test_bodies_with_other_limbs_are_refused_by_name(legs):
    """Insects and spiders: pairs of legs along a level body."""
    lines = ["body 0 .3 0", "  head 0 .35 .3"]
    for n in range(legs // 2):
        z = 0.2 - 0.4 * n / (legs // 2 - 1)
        for side, x in (("l", 1), ("r", -1)):
            lines += [f"  {side}a{n} {0.1 * x} .3 {z}", f"    {side}b{n} {0.4 * x} .5 {z * 2}",
                      f"      {side}c{n} {0.6 * x} 0 {z * 3}"]  # fmt: skip
    bare, _ = changed(standing("\n".join(lines)))
    report = identify(bare)
    assert report.kind == "partial" and not set(REQUIRED_QUADRUPED) <= set(report.roles)
    with pytest.raises(MovesetError, match=r"not a humanoid for sure: no joint plays .*leftHand"):
        report.require("humanoid")


def test_doubts_name_the_roles():
    """A body whose arms are far too long is told, but not surely."""
    rig = canonical_skeleton()
    stretched = np.array(rig.rest_translations)
    for side in ("left", "right"):
        for part in ("LowerArm", "Hand"):
            stretched[rig.joint(side + part)] *= 4
    bare, _ = changed(replace(rig, rest_translations=stretched))
    report = identify(bare)
    assert report.uncertain and all(f.confidence < SURE for f in report.uncertain)
    (finding,) = report.findings()
    assert finding.check == "uncertain_roles" and report.uncertain[0].role in finding.message
    with pytest.raises(MovesetError, match=r"perhaps joint_\d+"):
        report.require("humanoid")


@pytest.mark.parametrize("shape", ["rope", "star", "comb"])
def test_large_trees_that_are_no_bodies_are_nobody(shape):
    """Many joints in a row, all below one, or two a step: no error, no long search."""
    count = 400
    parents = {"rope": np.arange(count) - 1, "star": np.where(np.arange(count) > 0, 0, -1),
               "comb": np.where(np.arange(count) > 0, (np.arange(count) - 1) // 2 * 2, -1)}[shape]  # fmt: skip
    offsets = np.random.default_rng(1).normal(size=(count, 3))
    rig = Skeleton(tuple(f"joint_{j}" for j in range(count)), parents, quaternion.identity((count,)), offsets)
    assert identify(rig).kind == "partial"


def test_sides_that_nothing_tells_are_a_warning():
    """Straight limbs and no toes: front and back of such a body look alike."""
    rig = canonical_skeleton()
    straight = np.array(rig.rest_world[1])
    keep = [j for j in range(len(rig)) if not (rig.roles[j] or "").endswith(("Toes", "Prop"))]
    straight[:, 2] = 0.0
    number = {j: n for n, j in enumerate(keep)}
    parents = np.array([number.get(int(rig.parents[j]), -1) for j in keep])
    rotations, translations = inverse_kinematics(quaternion.identity((len(keep),)), straight[keep], parents)
    bare = Skeleton(tuple(f"joint_{n}" for n in range(len(keep))), parents, rotations, translations)
    (finding,) = identify(bare).findings()
    assert finding.severity == "warning" and "facing +Z" in finding.message
    (finding,) = identify(changed(rig)[0]).findings()
    assert finding.severity == "info" and "facing" not in finding.message


def test_a_clip_of_another_pose_does_not_change_what_a_rest_pose_says():
    skeleton = canonical_skeleton()
    bare, _ = changed(skeleton)
    lying = Clip(
        bare,
        np.broadcast_to(bare.rest_rotations, (3, len(bare), 4)),
        np.broadcast_to(bare.rest_translations, (3, len(bare), 3)),
        30.0,
    )
    assert identify(bare, [lying]).roles == identify(bare).roles
