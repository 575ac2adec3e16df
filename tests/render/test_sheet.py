"""Contact sheets, strips and files."""

import numpy as np
import pytest
from PIL import Image
from render_scenes import still

from moveset.errors import MovesetError
from moveset.motion.canonical import canonical_skeleton
from moveset.render import contact_sheet, save_gif, save_png, strip
from moveset.render.encode import gif_timing
from moveset.rigs.mannequin import mannequin


def plain(color, size=(20, 30)):
    return np.full((*size, 4), (*color, 255), dtype=np.uint8)


def test_pictures_lie_row_by_row():
    colors = [(255, 0, 0), (0, 255, 0), (0, 0, 255)]
    page = contact_sheet([plain(c) for c in colors], columns=2, gap=4)
    assert page.shape == (4 + 2 * 24, 4 + 2 * 34, 4)
    for n, color in enumerate(colors):
        y, x = 4 + n // 2 * 24 + 10, 4 + n % 2 * 34 + 15
        assert tuple(page[y, x, :3]) == color


def test_labels_and_title_are_written():
    bare = contact_sheet([plain((9, 9, 9))])
    page = contact_sheet([plain((9, 9, 9))], labels=["a label that is much too long for it"], title="T")
    assert page.shape[0] > bare.shape[0] + 20
    assert page.shape[1] == bare.shape[1]
    assert (page[-14:, :, :3].min(axis=-1) < 120).any()


def test_sheet_refusals():
    with pytest.raises(MovesetError, match="at least one picture"):
        contact_sheet([])
    with pytest.raises(MovesetError, match="2 labels for 1 pictures"):
        contact_sheet([plain((0, 0, 0))], labels=["a", "b"])


@pytest.mark.parametrize("fps", [12.0, 24.0, 30.0, 50.0, 59.94, 120.0])
def test_gif_timing_never_drifts(fps):
    frames = 240
    keep, milliseconds = gif_timing(frames, fps)
    assert len(keep) == len(milliseconds)
    assert sum(milliseconds) == pytest.approx(1000 * frames / fps, abs=5)
    assert min(milliseconds) >= 20
    shown = np.append(0, np.cumsum(milliseconds))[:-1]
    assert np.abs(shown - 1000 * np.array(keep) / fps).max() <= 5


def test_gif_comes_back(tmp_path):
    pictures = [plain((8 * k, 100, 200 - 8 * k), (16, 16)) for k in range(12)]
    save_gif(pictures, tmp_path / "a.gif", 10.0)
    with Image.open(tmp_path / "a.gif") as gif:
        assert gif.n_frames == 12
        assert gif.info["loop"] == 0
        for k, picture in enumerate(pictures):
            gif.seek(k)
            assert gif.info["duration"] == 100
            assert np.abs(np.asarray(gif.convert("RGB")).astype(int) - picture[..., :3]).max() <= 8


def test_png_comes_back_and_a_bad_place_is_named(tmp_path):
    picture = plain((1, 2, 3))
    save_png(picture, tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as png:
        assert (np.asarray(png) == picture).all()
    with pytest.raises(MovesetError, match=r"a.png/b.png: cannot be written"):
        save_png(picture, tmp_path / "a.png" / "b.png")
    with pytest.raises(MovesetError, match="at least one picture"):
        save_gif([], tmp_path / "a.gif", 30)


def test_strip_is_wide_and_shows_each_pose():
    canonical = canonical_skeleton()
    drawn = strip(still(canonical, 9), mannequin(canonical), count=5, height=64)
    assert drawn.shape[0] == 64
    assert drawn.shape[1] > 100
    assert strip(still(canonical, 1), mannequin(canonical), height=64).shape[0] == 64
