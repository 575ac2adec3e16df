from __future__ import annotations

import numpy as np
import pytest

from handmade import EXECUTE, FPS, handmade
from moveset.errors import MovesetError
from moveset.geometry import quaternion, rotation6d
from moveset.motion.kinematics import forward_kinematics
from moveset.runtime.control import idle, move_to_target, trajectory_follow, uncontrolled, velocity_follow
from moveset.runtime.course import follow
from moveset.runtime.crowd import Crowd, CrowdConfig
from moveset.runtime.evaluation.measures import measure_path
from moveset.runtime.learned import LearnedConfig, LearnedController
from moveset.runtime.learned_kernels import write_poses
from moveset.runtime.path import PathFollower, circle, eight, line

DT = 1 / FPS
BARE = CrowdConfig(foot_lock=False)


@pytest.fixture(scope="module")
def learned():
    return LearnedController(handmade())


def walk(crowd, follower, steps, dt=DT, first=0):
    for step in range(first, first + steps):
        crowd.control(follower.control(step * dt, crowd.controller.times))
        crowd.step(dt)


def on_circle(controller, count, seed=0, config=None):
    follower = PathFollower(circle(2), 1.2, 0.7 * np.arange(count))
    crowd = Crowd(controller, count, seed, config)
    crowd.place(*follower.place())
    return crowd, follower


@pytest.mark.parametrize("path, bound", [(line(), 1e-3), (circle(2), 0.08), (eight(2), 0.08)])
def test_it_follows_paths(learned, path, bound):
    run, follower = follow(learned, path, 1.2, 12.0, 3)
    figures = measure_path(run, follower, FPS)
    assert figures["path_error"] < bound and figures["heading_error"] < 0.04
    assert run.report.controls.clamped == 0


def test_one_character_moves_as_it_does_among_many(learned):
    alone, own = on_circle(learned, 1, seed=11)
    among, all_of_them = on_circle(learned, 17, seed=11)
    walk(alone, own, 150)
    walk(among, all_of_them, 150)
    for _ in range(150):
        alone.step(DT)
        among.step(DT)
    np.testing.assert_allclose(alone.positions[0], among.positions[0], atol=1e-5)
    np.testing.assert_allclose(alone.poses.rotations[0], among.poses.rotations[0], atol=1e-5)


def test_only_those_whose_queue_is_used_up_ask_and_in_turns():
    bundle = handmade()
    crowd, follower = on_circle(LearnedController(bundle), 22)
    walk(crowd, follower, 1)
    assert bundle.asked == [22]
    bundle.asked.clear()
    walk(crowd, follower, 40, first=1)
    assert len(bundle.asked) == 40 and sum(bundle.asked) == 22 * 40 / EXECUTE
    assert set(bundle.asked) == {5, 6}


def test_a_wish_that_jumps_is_answered_at_once_and_the_turns_stay():
    bundle = handmade()
    crowd = Crowd(LearnedController(bundle), 16)
    for step in range(60):
        if step == 31:
            bundle.asked.clear()
        crowd.control(velocity_follow((0.0, 0.8 if step < 31 else 1.6)))
        crowd.step(DT)
    assert bundle.asked[0] == 16 and set(bundle.asked[1:]) == {4}


@pytest.mark.parametrize("rate", [60, 120])
def test_finer_steps_lead_through_the_same_states(learned, rate):
    every = rate // 30
    coarse, follower = on_circle(learned, 5, config=BARE)
    fine, _ = on_circle(learned, 5, config=BARE)
    for step in range(90):
        walk(coarse, follower, 1, first=step)
        walk(fine, follower, every, 1 / rate, first=every * step)
        np.testing.assert_allclose(fine.positions, coarse.positions, atol=1e-6)
        np.testing.assert_allclose(fine.headings, coarse.headings, atol=1e-6)
        np.testing.assert_allclose(fine.poses.rotations, coarse.poses.rotations, atol=1e-5)


def test_in_between_the_body_moves_smoothly(learned):
    """Largest acceleration of any joint at 120 Hz against that of the states at 30 Hz."""
    worst = []
    for rate in (30, 120):
        crowd, follower = on_circle(learned, 2, config=BARE)
        crowd.record()
        walk(crowd, follower, 3 * rate, 1 / rate)
        positions = np.stack([clip.world_positions for clip in crowd.clips(rate)])[:, rate // 2 :]
        worst.append(np.percentile(np.linalg.norm(np.diff(positions, 2, axis=1), axis=-1), 99) * rate**2)
    assert worst[1] < 1.5 * worst[0]


def test_steps_that_do_not_divide_a_frame_cover_the_same_ground(learned):
    ends = []
    for rate in (30, 50, 144):
        crowd, follower = on_circle(learned, 3)
        walk(crowd, follower, 6 * rate, 1 / rate)
        ends.append(crowd.positions.copy())
    np.testing.assert_allclose(ends[1:], np.stack([ends[0]] * 2), atol=0.03)


@pytest.mark.parametrize("family", ["regression", "flow"])
@pytest.mark.parametrize("rate", [30, 60])
def test_sixty_frames_from_a_snapshot_are_bit_exact(family, rate):
    crowd, follower = on_circle(LearnedController(handmade(family=family)), 6, seed=3)
    crowd.control(uncontrolled(), who=[1, 4])
    walk(crowd, follower, 41, 1 / rate)
    crowd.set_lod(1, [0, 1])
    kept = crowd.snapshot()

    def sixty():
        poses = []
        for step in range(60):
            crowd.control(follower.control((41 + step) / rate, crowd.controller.times))
            crowd.control(uncontrolled(), who=[1, 4])
            poses.append(crowd.step(1 / rate).rotations.copy())
        return np.array(poses)

    first = sixty()
    for _ in range(7):
        crowd.step(1 / rate)
    crowd.restore(kept)
    assert np.array_equal(sixty(), first)


def test_the_same_seed_gives_the_same_run(learned):
    ends = []
    for seed in (1, 1, 2):
        crowd = Crowd(learned, 3, seed)
        for _ in range(90):
            crowd.step(DT)
        ends.append(crowd.positions.copy())
    assert np.array_equal(ends[0], ends[1])
    assert not np.allclose(ends[0], ends[2], atol=0.01)
    assert np.linalg.norm(ends[0][0] - ends[0][1]) > 0.01


def test_uncontrolled_it_takes_up_futures_of_the_data(learned):
    crowd = Crowd(learned, 4, seed=5)
    speeds, turns = [], []
    for _ in range(1800):
        before = crowd.headings.copy()
        crowd.step(DT)
        speeds.append(np.linalg.norm(crowd.velocities, axis=1))
        turns.append((crowd.headings - before) / DT)
    assert np.min(speeds[30:]) > 0.5 and np.max(speeds) < 1.7
    assert np.ptp(speeds, axis=0).min() > 0.2 and np.ptp(turns, axis=0).min() > 0.5
    assert np.abs(turns).max() < 1.2


def test_the_first_wish_chooses_where_to_begin(learned):
    begun = []
    for speed in (0.7, 1.5):
        crowd = Crowd(learned, 12, config=BARE)
        crowd.control(velocity_follow((0.0, speed), facing=0.0))
        crowd._wished[:, 0] = (0.0, speed)  # as if it had been asked for before
        crowd.step(DT)
        assert np.linalg.norm(crowd.velocities, axis=1) == pytest.approx(speed, abs=0.25)
        begun.append(len(np.unique(crowd._state.context[:, 0], axis=0)))
    assert max(begun) > 1, "all begin alike"


def test_a_wish_beyond_the_data_is_cut_to_it_and_counted(learned):
    crowd = Crowd(learned, 3)
    for _ in range(120):
        crowd.control(velocity_follow((0.0, 6.0)), who=[0, 1])
        crowd.control(velocity_follow((0.0, 1.0)), who=2)
        crowd.step(DT)
    assert 200 < crowd.report.controls.clamped <= 240
    # the longest offset of the data is 2.24 t: sideways and forward at once
    assert np.linalg.norm(crowd.velocities[:2], axis=1) == pytest.approx(np.sqrt(5), abs=0.05)


def test_levels_of_detail_are_mixed_and_change_without_a_jump():
    shift = 0.05
    crowd, follower = on_circle(LearnedController(handmade(small_decoder=shift)), 4, config=BARE)
    heights = []
    for step in range(120):
        if step == 60:
            crowd.set_lod(1, [1, 3])
        walk(crowd, follower, 1, first=step)
        heights.append(crowd.poses.translations[:, 0, 1].copy())
    heights = np.array(heights)
    assert crowd._state.lod.tolist() == [0, 1, 0, 1]
    fastest = np.abs(np.diff(heights[:60], axis=0)).max()
    assert np.abs(np.diff(heights[60:], axis=0)).max() < fastest + 0.45 * shift
    assert heights[90:, [1, 3]].mean() - heights[30:60, [1, 3]].mean() == pytest.approx(shift, abs=0.01)
    assert heights[90:, [0, 2]].mean() - heights[30:60, [0, 2]].mean() == pytest.approx(0, abs=0.01)
    with pytest.raises(MovesetError, match=r"no level of detail 2.*0 to 1: LOD0, LOD1"):
        crowd.set_lod(2)


def test_another_training_of_a_controller_takes_over(learned):
    crowd, follower = on_circle(learned, 4)
    walk(crowd, follower, 60)
    before = crowd.positions.copy()
    crowd.replace_controller(LearnedController(handmade(stiffness=0.5)))
    walk(crowd, follower, 1, first=60)
    assert np.linalg.norm(crowd.positions - before, axis=1) == pytest.approx(1.2 * DT, rel=0.05)
    walk(crowd, follower, 120, first=61)
    assert np.linalg.norm(crowd.positions - follower.asked(181 * DT), axis=1).max() < 0.1


@pytest.mark.parametrize(
    "changes, said", [({"latent": "retrained"}, "autoencoder"), ({"chunk": 6}, "states")]
)
def test_one_that_speaks_of_other_states_is_refused_by_name(learned, changes, said):
    crowd = Crowd(learned, 2)
    with pytest.raises(MovesetError, match=f"its {said} is another"):
        crowd.replace_controller(LearnedController(handmade(**changes)))


def test_motion_matching_does_not_take_over(learned, matching):
    with pytest.raises(MovesetError, match="cannot go on"):
        Crowd(learned, 2).replace_controller(matching)


def test_chance_of_a_flow_is_the_characters_own():
    bundle = handmade(family="flow")
    quiet = LearnedController(bundle, config=LearnedConfig(noise=0.0))
    plain = LearnedController(handmade())
    ends = {}
    for name, controller in (("quiet", quiet), ("plain", plain), ("flow", LearnedController(bundle))):
        crowd, follower = on_circle(controller, 3, seed=1)
        walk(crowd, follower, 30)
        ends[name] = crowd.poses.rotations.copy()
    np.testing.assert_allclose(ends["quiet"], ends["plain"], atol=1e-5)
    assert np.abs(ends["flow"] - ends["plain"]).max() > 1e-3
    alone, follower = on_circle(LearnedController(bundle), 1, seed=1)
    walk(alone, follower, 30)
    np.testing.assert_allclose(alone.poses.rotations[0], ends["flow"][0], atol=1e-5)


def test_chance_is_normal():
    controller = LearnedController(handmade(family="flow"))
    predictor = controller._predictors[0]
    seeds, draws = np.arange(400, dtype=np.uint64), np.full(400, 7, dtype=np.uint64)
    chance = predictor.chance(seeds, draws)
    assert chance.shape == (400, 40) and predictor.numbers == 40
    assert abs(chance.mean()) < 0.03 and chance.std() == pytest.approx(1, abs=0.03)
    assert abs(np.corrcoef(chance[:, 0], chance[:, 20])[0, 1]) < 0.15


def test_it_stops_at_its_target_and_stands(learned):
    targets = np.array([[0.0, 4.0], [3.0, 3.0], [-2.0, -1.0], [0.5, 0.2]])
    crowd = Crowd(learned, 4)
    for step in range(300):
        crowd.control(move_to_target(targets))
        crowd.step(DT)
        if step == 60:
            assert np.linalg.norm(crowd.velocities[0]) == pytest.approx(1.2, abs=0.1)
    assert np.linalg.norm(crowd.positions - targets, axis=1).max() < 0.1
    assert np.linalg.norm(crowd.velocities, axis=1).max() < 0.02


def test_it_faces_as_asked_at_its_target(learned):
    crowd = Crowd(learned, 2)
    for _ in range(240):
        crowd.control(move_to_target((0.0, 3.0), facing=[1.5, -1.0]))
        crowd.step(DT)
    np.testing.assert_allclose(crowd.headings, [1.5, -1.0], atol=0.05)
    assert np.linalg.norm(crowd.positions - (0.0, 3.0), axis=1).max() < 0.1


def test_idle_stands_where_it_came_to_rest(learned):
    crowd = Crowd(learned, 2)
    for _ in range(60):
        crowd.control(velocity_follow((0.0, 1.2)))
        crowd.step(DT)
    walked, heading = crowd.positions.copy(), crowd.headings.copy()
    places = []
    for step in range(600):
        crowd.control(idle())
        crowd.step(DT)
        if step > 90:
            places.append(crowd.positions.copy())
    assert np.linalg.norm(places[0] - walked, axis=1).max() < 0.7
    assert np.ptp(places, axis=0).max() < 0.02
    np.testing.assert_allclose(crowd.headings, heading, atol=0.02)


def test_a_trajectory_with_a_past_sample_is_followed_as_one_without(learned):
    """Past samples are given after now; the body of the handmade controller does not look at them."""
    bundle = handmade()
    said = bundle.manifest["controller"]
    said["times"] = [-1 / 3, *said["times"][1:]]
    for side in ("low", "high"):
        said["control_range"]["offsets"][side][0] = [9.0, 9.0]
        said["control_range"]["turns"][side][0] = 9.0 if side == "high" else -9.0
    arrays = bundle.arrays("starts")
    crowds = [Crowd(controller, 2, seed=4) for controller in (learned, LearnedController(bundle))]
    assert arrays["offsets"].shape[1] == 4
    follower = PathFollower(circle(2), 1.2, np.array([0.0, 3.0]))
    for crowd in crowds:
        crowd.place(*follower.place())
        walk(crowd, follower, 150)
        assert np.linalg.norm(crowd.positions - follower.asked(150 * DT), axis=1).max() < 0.1
        crowd.control(trajectory_follow(np.zeros((2, 5, 2)), np.zeros((2, 5))))  # forgotten then: it ages
        for _ in range(5):
            crowd.step(DT)
        assert np.isfinite(crowd.positions).all()


def test_feet_are_held(learned):
    speeds = {}
    for lock in (True, False):
        run, _ = follow(learned, circle(2), 1.2, 8.0, 2, 0, CrowdConfig(foot_lock=lock))
        clip = run.clips[0]
        toes = clip.world_positions[:, clip.skeleton.joints(["leftToes", "rightToes"])][..., ::2]
        flags = clip.contacts.flags[:, [1, 3]]
        moved = np.linalg.norm(np.diff(toes, axis=0), axis=-1)[flags[1:] & flags[:-1]]
        speeds[lock] = moved.mean() * FPS
        assert 0.3 < flags.mean() < 0.9
    assert speeds[True] < 0.02 < speeds[False]


def test_decoded_numbers_become_poses_as_geometry_has_them():
    rng = np.random.default_rng(0)
    turns = quaternion.normalize(rng.normal(size=(200, 3, 4)))
    turns[:40, 0] = [1, 0, 0, 1e-9]  # half a turn
    turns[40:60, 0] = [0, 0, 0, 1]
    sixes = rotation6d.from_quaternion(turns) * rng.uniform(0.5, 2, (200, 3, 1)) + rng.normal(
        0, 0.02, (200, 3, 6)
    )
    expected = rotation6d.to_quaternion(sixes)
    before = expected * rng.choice([-1, 1], (200, 3, 1))
    rotations = np.zeros((200, 5, 4))
    rotations[:, [4, 0, 2]] = before
    translations, bears = np.zeros((200, 5, 3)), np.zeros((200, 4), dtype=bool)
    places = rng.normal(size=(200, 1, 3)).astype(np.float32)
    write_poses(
        sixes.astype(np.float32), places, np.zeros((200, 2), np.float32), np.array([4, 0, 2]), np.array([1]),
        np.array([0, 0, 1, 1]), rotations, translations, bears,
    )  # fmt: skip
    np.testing.assert_allclose(rotations[:, [4, 0, 2]], before, atol=1e-6)
    assert not rotations[:, [1, 3]].any()
    np.testing.assert_allclose(translations[:, 1], places[:, 0])
    assert np.isfinite(forward_kinematics(rotations[:, [4]], translations[:, [4]], np.array([-1]))[1]).all()


def test_contacts_are_not_undecided():
    bears = np.zeros((1, 4), dtype=bool)
    seen = []
    for level in (0.3, 0.55, 0.65, 0.55, 0.45, 0.55, 0.35, 0.45):
        write_poses(
            np.tile(np.float32([1, 0, 0, 0, 1, 0]), (1, 1, 1)), np.zeros((1, 1, 3), np.float32),
            np.full((1, 2), level, np.float32), np.array([0]), np.array([0]), np.array([0, 0, 1, 1]),
            np.zeros((1, 1, 4)), np.zeros((1, 1, 3)), bears,
        )  # fmt: skip
        seen.append(bool(bears[0, 0]))
    assert seen == [False, False, True, True, True, True, False, False]
