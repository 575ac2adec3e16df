"""Files to pictures: sheet, strip, GIF; which character is shown."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from moveset import formats
from moveset.errors import MovesetError
from moveset.motion import Asset
from moveset.motion.canonical import Body, canonical_skeleton
from moveset.rigs.mannequin import mannequin
from moveset.synthetic import synthesize
from moveset.workflows.load import load
from moveset.workflows.render import Drawing, character_for, render_file

SMALL = Drawing(size=64)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    root = tmp_path_factory.mktemp("files")
    walk, run = synthesize("walk_100").slice(0, 20), synthesize("run_240").slice(0, 8)
    formats.write(Asset(clips=(walk,)), str(root / "walk.bvh"))
    body = mannequin(canonical_skeleton(Body()))
    two = (replace(walk, name="walk"), replace(run, name="run"))
    formats.write(Asset(characters=(body,), clips=two), str(root / "two.glb"))
    return root


def test_sheet_strip_and_gif(files, tmp_path):
    counted = []

    def track(pictures, total, what):
        for picture in pictures:
            counted.append(total)
            yield picture

    render_file(str(files / "walk.bvh"), str(tmp_path / "sheet.png"), SMALL, track)
    assert counted == [10] * 10  # every second of 20 frames
    with Image.open(tmp_path / "sheet.png") as sheet:
        assert sheet.width > 4 * 64
        assert sheet.height > 2 * 64
    render_file(str(files / "walk.bvh"), str(tmp_path / "strip.png"), replace(SMALL, strip=True))
    with Image.open(tmp_path / "strip.png") as strip:
        assert strip.height == 64
        assert strip.width > 128
    render_file(str(files / "walk.bvh"), str(tmp_path / "walk.GIF"), replace(SMALL, every=2, view="side"))
    with Image.open(tmp_path / "walk.GIF") as gif:
        assert gif.size == (64, 64)
        shown = 0
        for k in range(gif.n_frames):
            gif.seek(k)
            shown += gif.info["duration"]
        assert shown == pytest.approx(1000 * 20 / load(str(files / "walk.bvh")).clips[0].fps, abs=40)


def test_file_of_several_clips_gives_one_picture_each(files, tmp_path):
    render_file(str(files / "two.glb"), str(tmp_path / "all.png"), SMALL)
    with Image.open(tmp_path / "all.png") as sheet:
        assert 2 * 64 < sheet.width < 3 * 64
    with pytest.raises(MovesetError, match=r"holds 2 clips: walk, run -- name one as FILE#clip"):
        render_file(str(files / "two.glb"), str(tmp_path / "all.gif"), SMALL)
    render_file(str(files / "two.glb") + "#run", str(tmp_path / "run.png"), SMALL)


def test_character_of_the_file_of_another_file_or_the_mannequin(files):
    bare, skinned = load(str(files / "walk.bvh")), load(str(files / "two.glb"))
    assert character_for(skinned.clips[0], skinned) is skinned.characters[0]
    assert character_for(bare.clips[0], bare).name == "mannequin"
    assert character_for(bare.clips[0], bare, skinned) is skinned.characters[0]
    with pytest.raises(MovesetError, match="no character with a mesh"):
        character_for(bare.clips[0], bare, bare)


def test_bare_bvh_is_shown_on_a_body_with_roles(files):
    clip = load(str(files / "walk.bvh")).clips[0]
    body = character_for(clip, Asset(clips=(clip,)))
    assert sum(len(m.triangles) for m in body.meshes) > 3000
    assert {m.name for m in body.materials} >= {"shell", "joint", "left", "right"}


@pytest.mark.parametrize(
    ("output", "drawing", "message"),
    [
        ("a.jpg", SMALL, r"a\.jpg: cannot write \.jpg -- name a \.png or \.gif file"),
        ("a", SMALL, "a file without suffix"),
        ("a.png", Drawing(size=4), "size must be at least 16"),
        ("a.png", Drawing(every=0), "every at least 1"),
        ("a.png", Drawing(view="behind"), "no view is called 'behind'"),
    ],
)
def test_refusals(files, tmp_path, output, drawing, message):
    with pytest.raises(MovesetError, match=message):
        render_file(str(files / "walk.bvh"), str(tmp_path / output), drawing)
    assert not list(tmp_path.iterdir())


def test_character_with_other_joints_is_refused(files, tmp_path):
    other = canonical_skeleton()
    other = replace(other, names=tuple(f"x_{n}" for n in other.names))
    stranger = replace(mannequin(other), name="stranger")
    still = replace(
        synthesize("walk_100").slice(0, 2), skeleton=other, name="still", contacts=None, events=()
    )
    formats.write(Asset(characters=(stranger,), clips=(still,)), str(tmp_path / "stranger.glb"))
    drawing = replace(SMALL, character=str(tmp_path / "stranger.glb"))
    with pytest.raises(MovesetError, match=r"does not move joints.*x_hips.*retarget"):
        render_file(str(files / "walk.bvh"), str(tmp_path / "a.png"), drawing)


def test_knight_of_the_pack_wears_its_texture(pack, tmp_path):
    knight = pack / "game" / "kaykit-adventurers" / "Knight.glb"
    render_file(f"{knight}#Idle", str(tmp_path / "idle.png"), Drawing(size=128, every=100, view="back"))
    colors = np.asarray(Image.open(tmp_path / "idle.png").convert("RGB")).reshape(-1, 3).astype(int)
    red = (colors[:, 0] - colors[:, 1:].max(axis=1)) > 80
    assert red.sum() > 500  # the cape
