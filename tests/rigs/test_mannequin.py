"""The mannequin: whole, symmetric, on the floor, on every body and on rigs that are no body at all."""

from dataclasses import replace

import numpy as np
import pytest

from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.motion import Clip, Skeleton
from moveset.motion.canonical import Body, canonical_skeleton
from moveset.rigs.mannequin import mannequin
from moveset.rigs.weapons import WEAPONS

BODIES = [
    Body(height, leg, arm, shoulder)
    for height in (1.1, 1.75, 2.3)
    for leg in (0.8, 1.2)
    for arm in (0.8, 1.2)
    for shoulder in (0.8, 1.25)
]


def posed(character, rotations=None, translations=None):
    """(V, 3) skinned vertices of all meshes, and the material of each."""
    skeleton = character.skeleton
    rotations = skeleton.rest_rotations if rotations is None else rotations
    translations = skeleton.rest_translations if translations is None else translations
    clip = Clip(skeleton, rotations[None], translations[None], 30.0)
    matrices = np.zeros((len(skeleton), 4, 4))
    matrices[:, :3, :3] = quaternion.to_matrix(clip.world_rotations[0])
    matrices[:, :3, 3] = clip.world_positions[0]
    matrices[:, 3, 3] = 1
    points, materials = [], []
    for mesh in character.meshes:
        palette = matrices[mesh.skin_joints] @ mesh.inverse_binds
        blended = np.einsum("vk,vkab->vab", mesh.weights, palette[mesh.joint_indices])
        homogeneous = np.concatenate((mesh.positions, np.ones((len(mesh.positions), 1))), axis=1)
        points.append(np.einsum("vab,vb->va", blended, homogeneous)[:, :3])
        materials += [character.materials[mesh.material].name] * len(mesh.positions)
    return np.concatenate(points), np.array(materials)


def check(character):
    """What holds for every figure."""
    joints = len(character.skeleton)
    for mesh in character.meshes:
        for array in (mesh.positions, mesh.weights, mesh.normals, mesh.inverse_binds):
            assert np.isfinite(array).all()
        assert np.allclose(mesh.weights.sum(axis=1), 1)
        assert mesh.weights.min() >= 0
        assert mesh.joint_indices.min() >= 0
        assert mesh.joint_indices.max() < len(mesh.skin_joints)
        assert set(mesh.skin_joints) <= set(range(joints))
        assert mesh.triangles.min() >= 0
        assert mesh.triangles.max() < len(mesh.positions)
        assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1)
        assert 0 <= mesh.material < len(character.materials)


@pytest.mark.parametrize("body", BODIES, ids=str)
def test_every_body_is_whole_and_stands_on_the_floor(body):
    character = mannequin(canonical_skeleton(body))
    check(character)
    points, materials = posed(character)
    for shoe in ("left", "right"):
        low = points[(materials == shoe) & (points[:, 1] < 0.3 * body.height)]
        assert abs(low[:, 1].min()) < 0.01
        assert (np.abs(low[:, 1]) < 0.005).mean() > 0.2  # a flat sole
    tall = canonical_skeleton(body).rest_world[1][5, 1] + 0.118 * body.height
    assert points[:, 1].max() == pytest.approx(tall, rel=0.06)


def test_size_is_that_of_an_engine_mannequin():
    triangles = sum(len(m.triangles) for m in mannequin(canonical_skeleton()).meshes)
    assert 3000 <= triangles <= 7000


def test_left_and_right_are_mirror_images():
    points, materials = posed(mannequin(canonical_skeleton()))
    swap = {"left": "right", "right": "left"}
    for material in set(materials):
        here = points[materials == material] * (-1, 1, 1)
        there = points[materials == swap.get(material, material)]
        assert len(here) == len(there)
        nearest = np.min(np.linalg.norm(here[:, None] - there[None], axis=-1), axis=1)
        assert nearest.max() < 1.5e-3


def test_surfaces_face_outwards():
    """The volume that each closed mesh encloses, by the divergence theorem, is positive."""
    for mesh in mannequin(canonical_skeleton()).meshes:
        a, b, c = (mesh.positions[mesh.triangles[:, k]] for k in range(3))
        volume = np.einsum("ti,ti->", a, np.cross(b, c)) / 6
        assert volume > 1e-5
        face = np.cross(b - a, c - a)
        along = np.einsum("ti,ti->t", face, mesh.normals[mesh.triangles].mean(axis=1))
        assert (along > 0).mean() > 0.99


def test_limbs_follow_their_joints_and_elbows_bend_smoothly():
    character = mannequin(canonical_skeleton())
    skeleton = character.skeleton
    rotations = skeleton.rest_rotations.copy()
    elbow = skeleton.joint("leftLowerArm")
    rotations[elbow] = quaternion.from_axis_angle((0.0, 1.0, 0.0), -np.pi / 2)  # forearm ahead
    before, materials = posed(character)
    after, _ = posed(character, rotations)
    place = skeleton.rest_world[1][elbow]
    moved = np.linalg.norm(after - before, axis=1) > 1e-6
    assert not moved[before[:, 0] < place[0] - 0.08].any()
    hand = (materials == "left") & (before[:, 1] > 1)
    assert moved[hand].all()
    expected = place + quaternion.rotate(rotations[elbow], before[hand] - place)
    assert np.allclose(after[hand], expected, atol=1e-9)
    near = np.linalg.norm(before - place, axis=1) < 0.1
    assert np.abs(after[near] - place).max() < 0.16  # no spikes


@pytest.mark.parametrize("seed", range(6))
def test_rest_pose_of_a_rig_does_not_show(seed):
    """The same body, its joints turned at random in rest: a pose of equal joint places looks the same."""
    rng = np.random.default_rng(seed)
    plain = canonical_skeleton()
    turned = quaternion.normalize(rng.normal(size=(len(plain), 4)))
    translations = plain.rest_translations.copy()
    inner = plain.parents >= 0
    above = turned[plain.parents[inner]]
    translations[inner] = quaternion.inverse_rotate(above, translations[inner])
    rotations = turned.copy()
    rotations[inner] = quaternion.inverse_multiply(above, turned[inner])
    tips = quaternion.inverse_rotate(turned, plain.tips)
    baked = replace(plain, rest_rotations=rotations, rest_translations=translations, tips=tips)
    expected, _ = posed(mannequin(plain))
    assert np.allclose(posed(mannequin(baked))[0], expected, atol=1e-6)


def test_folded_rig_takes_its_stance_from_a_clip():
    """All bones along X at rest, as in some motion-capture files; the clip holds the true pose."""
    plain = canonical_skeleton()
    lengths = np.linalg.norm(plain.rest_translations, axis=1)
    folded = np.zeros_like(plain.rest_translations)
    folded[:, 0] = lengths
    skeleton = replace(plain, rest_translations=folded, tips=None)
    turned = np.zeros((len(plain), 4))
    for j in range(len(plain)):
        below = plain.children[j]
        bone = plain.rest_translations[below[0]] if below else np.array((1.0, 0.0, 0.0))
        turned[j] = quaternion.between(np.array((1.0, 0.0, 0.0)), bone)
    world_positions = plain.rest_world[1]
    local = quaternion.inverse_multiply(turned[plain.parents], turned)
    local[0] = turned[0]
    offsets = quaternion.inverse_rotate(turned[plain.parents], plain.rest_translations)
    offsets[0] = plain.rest_translations[0]
    clip = Clip(skeleton, local[None], offsets[None], 30.0)
    assert np.allclose(clip.world_positions[0], world_positions)
    points, _ = posed(mannequin(skeleton, clip), local, offsets)
    expected, _ = posed(mannequin(plain))
    assert np.allclose(points.min(axis=0), expected.min(axis=0), atol=0.03)
    assert np.allclose(points.max(axis=0), expected.max(axis=0), atol=0.03)
    assert len(mannequin(skeleton).meshes)  # without the clip: a figure of bones


def chain(count, spacing=0.2):
    translations = np.zeros((count, 3))
    translations[1:, 0] = spacing
    rest = np.tile((0.0, 0.0, 0.0, 1.0), (count, 1))
    return Skeleton(tuple(f"bone{k}" for k in range(count)), np.arange(count) - 1, rest, translations)


@pytest.mark.parametrize("skeleton", [chain(1), chain(2), chain(9), chain(4, 0.0), chain(5, 300.0)])
def test_rigs_without_roles_get_a_figure_of_bones(skeleton):
    character = mannequin(skeleton)
    check(character)
    points, _ = posed(character)
    places = skeleton.rest_world[1]
    reach = max(float(np.ptp(places, axis=0).max()), 0.1)
    assert points[:, 0].min() == pytest.approx(places[:, 0].min(), abs=0.3 * reach)
    assert points[:, 0].max() == pytest.approx(places[:, 0].max(), abs=0.3 * reach)
    rotations = quaternion.normalize(np.random.default_rng(0).normal(size=(len(skeleton), 4)))
    assert np.isfinite(posed(character, rotations)[0]).all()


def test_end_sites_get_a_bone():
    skeleton = chain(2)
    tips = np.full((2, 3), np.nan)
    tips[1] = (0.0, 0.5, 0.0)
    assert posed(mannequin(replace(skeleton, tips=tips)))[0][:, 1].max() > 0.45
    assert posed(mannequin(skeleton))[0][:, 1].max() < 0.1


@pytest.mark.parametrize("weapon", WEAPONS)
def test_weapon_follows_the_right_socket(weapon):
    skeleton = canonical_skeleton()
    bare, armed = mannequin(skeleton), mannequin(skeleton, weapon=weapon)
    check(armed)
    assert sum(len(m.positions) for m in armed.meshes) > sum(len(m.positions) for m in bare.meshes)
    hand = skeleton.joint("rightProp")
    extra = [m for m in armed.meshes if armed.materials[m.material].name in ("steel", "grip")]
    assert extra
    for mesh in extra:
        assert (mesh.weights[mesh.joint_indices == hand] == 1).all()
        assert np.linalg.norm(mesh.positions - skeleton.rest_world[1][hand], axis=1).max() < 1.4
    with pytest.raises(MovesetError, match=r"no weapon is called 'spoon'.*sword"):
        mannequin(skeleton, weapon="spoon")
    with pytest.raises(MovesetError, match="no right hand"):
        mannequin(chain(3), weapon=weapon)


def test_sockets_are_named():
    skeleton = canonical_skeleton()
    assert mannequin(skeleton).sockets == {r: skeleton.joint(r) for r in ("leftProp", "rightProp")}
