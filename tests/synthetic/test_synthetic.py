import numpy as np
import pytest

from moveset.errors import MovesetError
from moveset.geometry import quaternion
from moveset.motion.canonical import Body, canonical_skeleton
from moveset.motion.measure import planted_speed
from moveset.motion.roles import FEET
from moveset.synthetic import bad_clips, corpus, curves, follow, names, synthesize
from moveset.words import problems

MILLIMETRE = 1e-3
BODIES = {
    "average": Body(),
    "long legs": Body(leg=1.2),
    "long arms, short legs": Body(leg=0.85, arm=1.2),
    "broad child": Body(height=1.25, shoulder=1.15),
}

REPRESENTATIVE = (
    "idle_shifting", "idle_guard_two_handed", "walk_060", "walk_140", "walk_200", "walk_tired", "run_320", "sprint_600",
    "walk_start", "sprint_stop", "run_to_walk", "turn_left_180", "turn_right_045", "run_turn_left_135", "walk_curve_right_08",
    "strafe_left_fast", "strafe_right_rear_slow", "backpedal_fast", "guard_one_walk_left_front", "crouch_right_rear", "sneak",
    "one_handed_light_thrust", "one_handed_heavy_overhead", "two_handed_heavy_right_to_left",
    "two_handed_light_combo_diagonaldown_lefttoright", "block_hit_two_handed", "parry_one_handed", "hit_heavy_left",
    "stagger_back", "jump_forward", "jump_left", "dodge_backward", "roll_forward", "roll_right", "death_back", "death_front",
    "wander_mixed_1", "wander_run_2",
)  # fmt: skip
"""One or two of each kind; what must hold for all is held by these within the time of a fast test."""


@pytest.fixture(scope="session")
def clips():
    """The representative clips on the average body."""
    assert set(REPRESENTATIVE) <= set(names())
    return {name: synthesize(name) for name in REPRESENTATIVE}


def planted_steps(clip):
    """Distances [m] that contact joints move between frames in which both have the contact, by role."""
    out = {}
    for k, role in enumerate(clip.contacts.roles):
        joint = clip.skeleton.joint(role)
        moved = np.linalg.norm(np.diff(clip.world_positions[:, joint], axis=0), axis=1)
        out[role] = moved[clip.contacts.flags[1:, k] & clip.contacts.flags[:-1, k]]
    return out


def sole_points(clip):
    """(F, P, 3) heels, balls and toe tips of both feet, where the canonical foot meets the floor in rest."""
    skeleton, points = clip.skeleton, []
    rest = skeleton.rest_world[1]
    for side in ("left", "right"):
        foot, toes = skeleton.joint(f"{side}Foot"), skeleton.joint(f"{side}Toes")
        height = rest[foot, 1]
        heel = np.array([0.0, -height, -0.028 / 0.045 * height])
        points.append(clip.world_positions[:, foot] + quaternion.rotate(clip.world_rotations[:, foot], heel))
        thick = np.array([0.0, rest[toes, 1], 0.0])
        points.append(clip.world_positions[:, toes] - thick)
        tip = clip.world_positions[:, toes] + quaternion.rotate(
            clip.world_rotations[:, toes], np.broadcast_to(skeleton.tips[toes], (len(clip), 3))
        )
        points.append(tip - thick)
    return np.stack(points, axis=1)


def test_planted_feet_stand_still_within_a_tenth_of_a_millimetre(clips):
    for name, clip in clips.items():
        for role, moved in planted_steps(clip).items():
            assert moved.max(initial=0) < 0.1 * MILLIMETRE, f"{name}: {role}"
        assert planted_speed(clip) < MILLIMETRE, name


def test_every_clip_that_walks_has_contacts_of_each_foot(clips):
    for name, clip in clips.items():
        assert clip.contacts.roles == FEET
        assert clip.contacts.flags.any(axis=0)[1::2].all(), name


def test_nothing_sinks_into_the_floor(clips):
    for name, clip in clips.items():
        assert clip.world_positions[..., 1].min() > -MILLIMETRE, name
        assert sole_points(clip)[..., 1].min() > -3 * MILLIMETRE, name


def test_the_lowest_sole_point_touches_the_floor_where_a_foot_bears(clips):
    for name, clip in clips.items():
        heights = sole_points(clip)[..., 1].reshape(len(clip), 2, 3).min(axis=2)
        for side in range(2):
            bearing = clip.contacts.flags[:, 2 * side] | clip.contacts.flags[:, 2 * side + 1]
            assert np.abs(heights[bearing, side]).max(initial=0) < 2 * MILLIMETRE, name


def test_quaternions_are_unit_and_stay_in_one_hemisphere(clips):
    for name, clip in clips.items():
        assert np.abs(np.linalg.norm(clip.rotations, axis=-1) - 1).max() < 1e-9, name
        dots = np.einsum("fji,fji->fj", clip.rotations[1:], clip.rotations[:-1])
        assert dots.min() > 0, name


def test_knees_and_elbows_bend_one_way(clips):
    for name, clip in clips.items():
        for side, sign in (("left", -1.0), ("right", 1.0)):
            knee = clip.rotations[:, clip.skeleton.joint(f"{side}LowerLeg")]
            flexion = 2 * np.arctan2(knee[:, 0], knee[:, 3])
            assert np.degrees(flexion).min() > -3 and np.degrees(flexion).max() < 160, name
            elbow = clip.rotations[:, clip.skeleton.joint(f"{side}LowerArm")]
            bend = 2 * np.arctan2(sign * elbow[:, 1], elbow[:, 3])
            assert np.degrees(bend).min() > -1 and np.degrees(bend).max() < 160, name


def test_the_motion_has_no_jumps(clips):
    for name, clip in clips.items():
        turned = (
            np.degrees(quaternion.angle_between(clip.rotations[1:], clip.rotations[:-1])).max() * clip.fps
        )
        assert turned < 3600, name
        moved = np.linalg.norm(np.diff(clip.world_positions, axis=0), axis=2).max() * clip.fps
        assert moved < 20, name


def test_a_stroke_is_fastest_at_its_middle_key_though_a_coordinate_turns_round_there():
    times = np.linspace(0, 1, 2001)
    keys = np.array([[0.0, 1.0], [0.9, 0.0], [0.0, -1.0]])
    path = curves.through([0.2, 0.5, 0.8], keys, times, strokes=(1,))
    speed = np.linalg.norm(np.diff(path, axis=0), axis=1)
    assert abs(times[speed.argmax()] - 0.5) < 0.03
    assert speed[times[1:] < 0.2].max() == 0 == speed[times[1:] > 0.8 + 1e-3].max()
    np.testing.assert_allclose(path[[0, 1000, 2000]], keys, atol=1e-12)


def test_events_lie_within_the_clip_and_in_order(clips):
    for name, clip in clips.items():
        times = [event.time for event in clip.events]
        assert times == sorted(times) and all(0 <= t <= clip.seconds for t in times), name


def test_a_foot_has_just_landed_when_its_event_says_so(clips):
    for name in ("walk_140", "run_320", "wander_mixed_1", "strafe_left_fast", "dodge_backward"):
        clip = clips[name]
        for event in clip.events:
            frame = round(event.time * clip.fps)
            if event.name != "foot_down" or frame < 1 or frame + 8 >= len(clip):
                continue
            column = 0 if event.role == "leftFoot" else 3
            soles = sole_points(clip)[:, column : column + 3, 1].min(axis=1)
            assert soles[frame + 1] < 0.003, (name, event)
            k = FEET.index(event.role) + 1
            assert clip.contacts.flags[frame : frame + 8, k].any(), (name, event)


def test_the_root_follows_the_path_it_was_asked_to_follow(clips):
    for name in (
        "walk_140",
        "run_320",
        "walk_curve_right_08",
        "wander_mixed_1",
        "wander_run_2",
        "backpedal_fast",
    ):
        clip = clips[name]
        path = np.stack((clip.curves["path_x"], clip.curves["path_z"]), axis=1)
        away = np.linalg.norm(clip.world_positions[:, 0][:, (0, 2)] - path, axis=1)
        assert away.mean() < 0.06 and away.max() < 0.12, name
    walk = clips["walk_140"]
    assert walk.curves["path_z"][-1] == pytest.approx(1.4 * walk.seconds, abs=0.01)


def test_a_turn_on_the_spot_leaves_the_spot_by_a_shift_of_weight_only(clips):
    hips = clips["turn_left_180"].world_positions[:, 0]
    assert np.hypot(hips[:, 0], hips[:, 2]).max() < 0.18


def test_a_turn_of_180_degrees_turns_180_degrees(clips):
    heading = clips["turn_left_180"].curves["path_heading"]
    assert np.degrees(heading[-1] - heading[0]) == pytest.approx(180, abs=0.5)


@pytest.mark.parametrize("name", [n for n in names() if "handed" in n and ("light" in n or "heavy" in n)])
def test_the_weapon_is_fastest_near_the_hit(name):
    clip = synthesize(name, fps=60)
    socket = clip.skeleton.joint("rightProp")
    point = clip.world_positions[:, socket] + 0.7 * quaternion.rotate(
        clip.world_rotations[:, socket], np.broadcast_to([0.0, 0.0, 1.0], (len(clip), 3))
    )
    speed = np.linalg.norm(np.diff(point, axis=0), axis=1) * clip.fps
    times = (np.arange(len(speed)) + 0.5) / clip.fps
    swings = [event.time for event in clip.events if event.name == "swing"]
    hits = [event.time for event in clip.events if event.name == "hit"]
    assert len(swings) == len(hits) > 0
    for swing, hit in zip(swings, hits):
        stroke = (times > swing + 0.07) & (times < hit + 0.15)
        assert speed[stroke & (np.abs(times - hit) < 0.09)].max() > 0.9 * speed[stroke].max()


@pytest.mark.parametrize("name", [n for n in names() if n.startswith("two_handed")])
def test_both_hands_stay_on_a_two_handed_weapon(name):
    clip = synthesize(name)
    left, right = (clip.world_positions[:, clip.skeleton.joint(f"{side}Prop")] for side in ("left", "right"))
    apart = np.linalg.norm(left - right, axis=1)
    assert np.abs(apart - 0.19).max() < MILLIMETRE


@pytest.mark.parametrize(
    "name",
    ["walk_140", "run_320", "wander_mixed_1", "one_handed_light_overhead", "jump_forward", "roll_forward"],
)
@pytest.mark.parametrize("body", BODIES, ids=str)
def test_every_body_plants_its_feet_as_exactly(name, body):
    clip = synthesize(name, BODIES[body])
    assert clip.skeleton.signature == canonical_skeleton(BODIES[body]).signature
    assert max(moved.max(initial=0) for moved in planted_steps(clip).values()) < 0.1 * MILLIMETRE
    assert sole_points(clip)[..., 1].min() > -3 * MILLIMETRE
    assert clip.contacts.flags.any(axis=0).any()


def test_a_seed_gives_one_clip_and_another_seed_another():
    first, again, other = (synthesize("wander_walk_1", seed=seed) for seed in (3, 3, 4))
    assert first.content_hash == again.content_hash != other.content_hash


@pytest.mark.parametrize("name", ["walk_140", "one_handed_heavy_overhead"])
def test_any_rate_samples_the_same_motion(name):
    slow, fast = synthesize(name, fps=30), synthesize(name, fps=60)
    assert np.abs(slow.world_positions - fast.world_positions[::2]).max() < MILLIMETRE


def test_idles_loop_without_a_seam(clips):
    clip = clips["idle_shifting"]
    assert clip.loop
    step = np.abs(np.diff(clip.world_positions, axis=0)).max()
    assert np.abs(clip.world_positions[0] - clip.world_positions[-1]).max() < 1.5 * step


def test_the_words_are_of_the_vocabulary(clips):
    for name, clip in clips.items():
        tags = clip.tags
        assert problems(tags.annotation) == [], name
        assert tags.annotation.motion_type and tags.annotation.direction and tags.annotation.posture, name
        assert tags.sentence.endswith(".") and tags.license == "CC0-1.0", name


def test_names_are_unique_and_an_unknown_one_is_refused():
    assert len(set(names())) == len(names()) >= 150
    with pytest.raises(MovesetError, match="no synthetic clip is called 'moonwalk'"):
        synthesize("moonwalk")


@pytest.mark.slow
def test_the_whole_corpus_stands_on_its_feet():
    for clip in corpus():
        assert max(moved.max(initial=0) for moved in planted_steps(clip).values()) < 0.1 * MILLIMETRE, (
            clip.name
        )
        assert sole_points(clip)[..., 1].min() > -3 * MILLIMETRE, clip.name
        assert problems(clip.tags.annotation) == [], clip.name
        assert np.isfinite(clip.rotations).all() and np.isfinite(clip.translations).all(), clip.name


def test_each_bad_clip_has_the_fault_it_is_named_after():
    bad = bad_clips()
    assert np.isnan(bad["nan"].rotations).any()
    assert len(bad["one_frame"]) == 1
    assert bad["additive"].additive and not bad["additive_unsaid"].additive
    assert quaternion.angle(bad["additive"].rotations[0]).max() < 1e-6
    assert quaternion.angle(bad["t_pose"].rotations).max() == 0
    flips = np.einsum("fji,fji->fj", bad["flipping"].rotations[1:], bad["flipping"].rotations[:-1]) < 0
    assert flips.sum() == len(bad["flipping"]) - 1
    assert max(moved.max() for moved in planted_steps(bad["sliding"]).values()) > 5 * MILLIMETRE
    assert bad["sunken"].world_positions[..., 1].min() < -0.05
    assert bad["centimetres"].world_positions[..., 1].max() > 100
    assert np.abs(np.linalg.norm(bad["unnormalized"].rotations, axis=-1) - 1).max() > 0.1


def test_any_path_is_walked():
    angle = np.linspace(0, 2 * np.pi, 241)
    places = 2.0 * np.stack((1 - np.cos(angle), np.sin(angle)), axis=1)
    clip = follow(places, angle, 30.0)
    assert len(clip) == 241
    away = np.linalg.norm(clip.world_positions[:, 0][:, (0, 2)] - places, axis=1)
    assert away.mean() < 0.05 and away.max() < 0.12
    assert max(moved.max(initial=0) for moved in planted_steps(clip).values()) < 0.1 * MILLIMETRE


def test_a_path_of_the_wrong_shape_is_refused():
    with pytest.raises(MovesetError, match="a path has shapes"):
        follow(np.zeros((5, 3)), np.zeros(5))
