import json
import pickle
import shutil
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from strolls import stroll

from moveset.errors import MovesetError
from moveset.library.store import Library


def test_a_clip_comes_back_exactly(library):
    row = library.clips("name = 'stroll_1'")[0]
    clip, made = library.load_clip(row.id), stroll(seed=1, name="stroll_1", frames=41)
    assert np.array_equal(clip.rotations, made.rotations.astype(np.float32))
    assert np.array_equal(clip.translations, made.translations.astype(np.float32))
    assert clip.content_hash == made.content_hash == row.id
    assert clip.skeleton.roles == made.skeleton.roles
    assert clip.contacts.flags.shape == (41, 4)
    assert clip.tags.license == "CC0-1.0"


def test_events_curves_and_moving_joints_come_back(library):
    clip = library.load_clip(library.clips("name = 'odd'")[0].id)
    assert [(e.time, e.name, e.role) for e in clip.events] == [(0.5, "hit", "rightHand")]
    assert np.array_equal(clip.curves["a/b"], np.arange(60))
    assert np.ptp(clip.translations[:, 5, 1]) == pytest.approx(0.01, abs=1e-6)
    assert np.ptp(clip.translations[:, 6, 1]) == 0


def test_an_unknown_clip_is_named(library):
    with pytest.raises(MovesetError, match="no clip with id 'nope'"):
        library.load_clip("nope")


def test_another_version_is_refused(library, tmp_path):
    path = tmp_path / "old.library"
    shutil.copytree(library.path, path)
    build = json.loads((path / "build.json").read_text())
    (path / "build.json").write_text(json.dumps({**build, "version": 99}))
    with pytest.raises(MovesetError, match="has version 99"):
        Library.open(path)
    with pytest.raises(MovesetError, match="is not a library"):
        Library.open(tmp_path)


def _frames(library: Library) -> int:
    return len(library.load_clip(library.clips()[0].id))


def test_it_opens_in_another_process(library):
    library.clips()  # the database is open
    assert pickle.loads(pickle.dumps(library)).path == library.path
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(_frames, library).result() == library.clips()[0].frames


def test_the_view_holds_the_poses_in_the_ground_frame(library):
    view = library.view()
    assert view.features.shape == (sum(row.frames for row in library.clips()), view.layout.width)
    assert isinstance(view.features.base, np.memmap)
    row = library.clips("name = 'stroll_2'")[0]
    blocks = view.layout.unpack(view.features[view.rows(row.id)])
    clip = library.load_clip(row.id)
    hips = clip.skeleton.joint("hips")
    assert np.allclose(blocks["translations"][:, 0, 1], clip.world_positions[:, hips, 1], atol=1e-5)
    # glides straight ahead: no way to the side, 1.2 m/s forward
    assert np.allclose(blocks["root"][1:, 0], 0, atol=1e-3)
    assert np.allclose(blocks["root"][:, 1], 1.2, atol=0.05)
    ranges = view.ranges("train")
    assert (ranges[:, 1] - ranges[:, 0]).sum() == sum(r.frames for r in library.clips("split = 'train'"))


def test_the_statistics_are_those_of_the_training_rows(library):
    view = library.view()
    rows = np.concatenate([view.features[a:b] for a, b in view.ranges("train")]).astype(float)
    assert np.allclose(view.normalizer.mean, rows.mean(axis=0), atol=1e-5)
    block = view.layout.slices["positions"]
    assert view.normalizer.scale[block][0] == pytest.approx(
        np.sqrt(rows[:, block].var(axis=0).mean()), rel=1e-4
    )


def test_an_unknown_view_lists_those_that_exist(library):
    with pytest.raises(MovesetError, match="no view 'nope'; it has: pose"):
        library.view("nope")


def test_a_creature_without_feet_is_stored(tmp_path):
    from dataclasses import replace

    from strolls import TOOLS

    from moveset.library.ingest.build import build

    clip = stroll(name="snake")
    skeleton = replace(clip.skeleton, roles=(None,) * len(clip.skeleton))
    report = build(tmp_path / "a.library", tools=TOOLS, clips=[replace(clip, skeleton=skeleton)])
    library = Library.open(tmp_path / "a.library")
    stored = library.load_clip(report.clips[0].id)
    assert stored.contacts.flags.shape == (60, 0)
    assert report.clips[0].hips_height is None
    assert library.query("SELECT count(left_foot), count(speed) FROM frames").rows == [(0, 60)]
