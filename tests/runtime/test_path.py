from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from moveset.errors import MovesetError
from moveset.runtime.course import follow
from moveset.runtime.evaluation.measures import measure_motion, measure_path
from moveset.runtime.evaluation.reference import reference
from moveset.runtime.path import SHAPES, circle, eight, line, parse_path, square


@pytest.mark.parametrize("text", ["line", "circle:2", "eight:1.5", "square:4", "square", "eight"])
def test_shapes_start_at_the_origin_along_z(text):
    path = parse_path(text)
    np.testing.assert_allclose(path.at(np.array(0.0)), 0, atol=1e-9)
    assert abs(path.headings(np.array(0.011))) < 0.03


def test_lengths():
    assert circle(2).length == pytest.approx(4 * np.pi, rel=1e-4)
    assert eight(2).length == pytest.approx(8 * np.pi, rel=1e-4)
    assert square(4, 0.5).length == pytest.approx(12 + np.pi, rel=1e-3)
    assert square(4, 0).length == pytest.approx(16)


@pytest.mark.parametrize("shape", list(SHAPES))
def test_equal_distances_are_equal_steps(shape):
    path = SHAPES[shape]()
    steps = np.linalg.norm(np.diff(path.at(np.arange(0, 30, 0.01)), axis=0), axis=1)
    np.testing.assert_allclose(steps, 0.01, atol=2e-4)


def test_a_closed_path_goes_round_and_an_open_one_straight_on():
    np.testing.assert_allclose(circle(1).at(circle(1).length + 0.3), circle(1).at(0.3), atol=1e-9)
    np.testing.assert_allclose(line(5).at(np.array([7.0])), [[0, 7.0]])
    assert line(5).polyline(7.0)[-1].tolist() == [0, 0, 7.0]


def test_a_path_is_read_from_json(tmp_path):
    file = tmp_path / "way.json"
    file.write_text(json.dumps({"points": [[0, 0], [0, 3], [4, 3], [0, 0]], "closed": True}))
    path = parse_path(str(file))
    assert path.closed and path.length == pytest.approx(12) and path.name == "way"


@pytest.mark.parametrize(
    "text, said",
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('{"points": [[0, 0], [1%s, 1]]}' % ("0" * 400), r"point 2 is \[10+, not two numbers"),
        ('{"points": [[0, 0], [1e300, 1e300]]}', "point 2 is .*, not two numbers up to 1e"),
        ('{"points": [[false, true], [1, 1]]}', "point 1 is .*, not two numbers"),
        ("[1, 2]", "has no list of points"),
        ('{"points": [[0, 0]]}', "has 1 points, a path needs 2"),
        ('{"points": [[0, 0], [1, "a"]]}', r"point 2 is \[1, 'a'\], not two numbers"),
        ('{"points": [[0, 0], [0, NaN]]}', r"point 2 is \[0, nan\], not two numbers"),
        ('{"points": [[0, 0], [0, 1, 2]]}', "point 2 is"),
        ('{"points": [[0, 0], [0, 1], [0, 1]]}', "point 3 repeats the one before it"),
        ('{"points": [[0, 0], [0, 1]], "loop": true}', "unknown keys: loop"),
        ('{"points": [[0, 0], [0, 1]], "closed": 1}', "`closed` is not true or false"),
    ],
)
def test_bad_path_files_are_refused_in_a_sentence(tmp_path, text, said):
    file = tmp_path / "way.json"
    file.write_text(text)
    with pytest.raises(MovesetError, match=said) as caught:
        parse_path(str(file))
    assert caught.value.file == str(file)


@pytest.mark.parametrize(
    "text, said",
    [
        ("spiral", "there is no path 'spiral'"),
        ("circle:-1", "'-1' is no size from 0.1 to 10,000 metres"),
        ("circle:two", "'two' is no size"),
        ("circle:nan", "'nan' is no size"),
        ("eight:1e9", "'1e9' is no size"),
        ("square:0.0001", "'0.0001' is no size"),
        ("nowhere.json", "cannot be read"),
    ],
)
def test_bad_path_names_are_refused(text, said):
    with pytest.raises(MovesetError, match=said):
        parse_path(text)


@pytest.mark.parametrize("path, bound", [(line(), 0.06), (circle(2), 0.2), (eight(2), 0.2)])
def test_a_walk_keeps_to_its_path(matching, clips, path, bound):
    run, follower = follow(matching, path, 1.2, 20.0, 2, seed=1)
    figures = measure_path(run, follower, 30.0) | measure_motion(run.clips, reference(clips))
    assert figures["path_distance"] < bound
    assert figures["path_error"] < 2 * bound
    assert figures["heading_error"] < np.radians(8)
    assert figures["planted_speed"] < figures["planted_speed_real"] + 0.03
    assert figures["foot_skate"] < 1.5 * figures["foot_skate_real"] + 0.02
    assert figures["jerk_ratio"] < 1.6


def test_a_statue_that_glides_along_the_path_is_seen(matching, clips):
    run, _ = follow(matching, line(), 1.2, 6.0, 1)
    clip = run.clips[0]
    statue = replace(clip, rotations=np.repeat(clip.rotations[60:61], len(clip), axis=0))
    real = reference(clips)
    moved, glided = measure_motion([clip], real), measure_motion([statue], real)
    assert glided["pose_distance"] > 5 * moved["pose_distance"]
    assert glided["jerk_ratio"] < 0.5 * moved["jerk_ratio"]


def test_a_run_too_short_for_a_planted_foot_has_no_planted_speed(clips):
    walk = clips[0]
    short = walk.slice(0, 4)
    measures = measure_motion([short], reference([walk]))
    assert np.isnan(measures["planted_speed"]) or measures["planted_speed"] >= 0
