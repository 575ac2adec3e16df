"""Files on disk, in folders, in archives, and clips in files."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest
from bvh_text import FIGURE, random_values, text_of

from moveset import formats
from moveset.errors import MovesetError
from moveset.formats import locations

BVH = text_of(FIGURE, random_values(FIGURE)).encode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files, a folder, an archive with a nested folder, and droppings."""
    (tmp_path / "clips" / "deep").mkdir(parents=True)
    for name in ("walk.bvh", "Run.BVH", "deep/jump.bvh"):
        (tmp_path / "clips" / name).write_bytes(BVH)
    for name in ("notes.txt", ".hidden.bvh"):
        (tmp_path / "clips" / name).write_bytes(b"-")
    with zipfile.ZipFile(tmp_path / "clips" / "pack.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("inner/b.bvh", "inner/deeper/a.bvh", "LICENSE.txt", "__MACOSX/._b.bvh", "c.bvh"):
            archive.writestr(name, BVH)
    return tmp_path


def names(paths: list[str], root: Path) -> list[str]:
    return [Path(p).relative_to(root).as_posix() for p in paths]


def test_folders_and_archives_are_walked_in_order(folder):
    assert names(formats.list_files(folder / "clips"), folder / "clips") == [
        "Run.BVH",
        "pack.zip/c.bvh",
        "pack.zip/inner/b.bvh",
        "pack.zip/inner/deeper/a.bvh",
        "walk.bvh",
        "deep/jump.bvh",
    ]


def test_each_file_once_in_the_order_given(folder):
    root = folder / "clips"
    found = formats.list_files([root / "walk.bvh", root / "pack.zip" / "inner", root / "walk.bvh"])
    assert names(found, root) == ["walk.bvh", "pack.zip/inner/b.bvh", "pack.zip/inner/deeper/a.bvh"]


def test_members_are_read_in_place(folder):
    asset = formats.read(f"{folder}/clips/pack.zip/inner/deeper/a.bvh")
    assert asset.clips[0].name == "a" and asset.clips[0].tags.source.endswith("pack.zip/inner/deeper/a.bvh")


def test_every_listed_file_reads(folder):
    assert all(len(formats.read(p).clips) == 1 for p in formats.list_files(folder))


def test_a_clip_is_picked_by_name(folder):
    path = f"{folder}/clips/walk.bvh"
    assert formats.read(f"{path}#walk").clips[0].name == "walk"
    assert formats.read(f"{path}#Walk").clips[0].name == "walk"
    with pytest.raises(MovesetError, match=r"no clip 'wlak' -- did you mean 'walk'\? it has walk"):
        formats.read(f"{path}#wlak")
    assert formats.list_files([f"{path}#walk"]) == [f"{path}#walk"]


def test_a_number_sign_in_a_file_name(folder):
    file = folder / "take#2.bvh"
    file.write_bytes(BVH)
    assert formats.read(file).clips[0].name == "take#2"
    assert locations.locate(f"{file}").clip == ""


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("clips/wakl.bvh", "did you mean walk.bvh"),
        ("clipz/walk.bvh", "did you mean clips"),
        ("clips/pack.zip/inner/bb.bvh", "did you mean inner/b.bvh"),
        ("clips/pack.zip/a.bvh", "did you mean inner/deeper/a.bvh"),
        ("clips/notes.txt", "holds no motion that is known"),
        ("clips/notes.txt/x.bvh", "no such file"),
        ("clips", "is a folder -- name a file in it, e.g. .*Run.BVH"),
        ("clips/walk.bvh#", "no clip is named after '#'"),
        ("clips/" + "a" * 3000, "cannot be read: File name too long"),
    ],
)
def test_what_is_missing_is_told(folder, path, words):
    with pytest.raises(MovesetError, match=words):
        formats.read(folder / path)


@pytest.mark.parametrize("path", ["", "#", "#walk"])
def test_an_empty_path_is_not_this_folder(folder, monkeypatch, path):
    monkeypatch.chdir(folder / "clips")
    with pytest.raises(MovesetError, match=r"is empty|no such file"):
        formats.list_files(path)


def test_a_closed_folder_does_not_vanish(folder, monkeypatch):
    closed = folder / "clips" / "deep"
    scandir = os.scandir

    def refuse(path="."):
        if Path(path) == closed:
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert names(formats.list_files(folder / "clips"), folder / "clips")[-2:] == ["walk.bvh", "deep"]
    with pytest.raises(MovesetError, match=r"deep: cannot be read -- open it"):
        formats.read(closed)


def test_a_folder_without_readable_files_is_an_error(tmp_path):
    with pytest.raises(MovesetError, match="holds no file of a known format"):
        formats.list_files(tmp_path)


def test_damaged_archives(tmp_path):
    broken = tmp_path / "a.zip"
    broken.write_bytes(b"PK\x03\x04 this is no archive")
    with pytest.raises(MovesetError, match="no readable zip"):
        formats.list_files(broken)
    whole = tmp_path / "b.zip"
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.bvh", BVH)
    data = bytearray(whole.read_bytes())
    data[60:90] = bytes(30)
    whole.write_bytes(data)
    with pytest.raises(MovesetError, match="damaged"):
        formats.read(whole / "a.bvh")


def test_a_damaged_archive_does_not_hide_the_files_beside_it(folder):
    (folder / "clips" / "bad.zip").write_bytes(b"PK\x03\x04")
    found = formats.list_files(folder)
    assert len(found) == 7
    bad = next(path for path in found if path.endswith("bad.zip"))
    with pytest.raises(MovesetError, match="no readable zip"):
        formats.read(bad)


def test_an_archive_is_no_file_of_clips(folder):
    with pytest.raises(MovesetError, match=r"is an archive -- name a file in it, e.g. .*pack.zip/c.bvh"):
        formats.read(folder / "clips" / "pack.zip")


def test_encrypted_archives(tmp_path):
    file = tmp_path / "a.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.bvh", BVH)
    data = bytearray(file.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    file.write_bytes(data)
    with pytest.raises(MovesetError, match="encrypted"):
        formats.read(file / "a.bvh")


def test_zip_bombs(tmp_path):
    file = tmp_path / "a.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.bvh", bytes(32 << 20))
    assert file.stat().st_size < 100_000
    with pytest.raises(MovesetError, match="would unpack to 32 MiB"):
        formats.read(file / "a.bvh")


def test_an_archive_that_changes_is_read_anew(tmp_path):
    file = tmp_path / "a.zip"
    for name in ("first", "second"):
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(f"{name}.bvh", BVH)
            archive.writestr("size", name)
        assert names(formats.list_files(file), file) == [f"{name}.bvh"]


def test_siblings_lie_beside_or_below(folder):
    on_disk = locations.Beside(locations.locate(folder / "clips" / "walk.bvh"))
    assert on_disk("deep/jump.bvh") == BVH and on_disk("./notes.txt") == b"-"
    packed = locations.Beside(locations.locate(folder / "clips" / "pack.zip" / "inner" / "b.bvh"))
    assert packed("deeper/a.bvh") == BVH
    for read in (on_disk, packed):
        for name in ("../c.bvh", "/etc/passwd", "deep/../../x", "..\\c.bvh", "C:\\x", "file:///etc/passwd"):
            with pytest.raises(MovesetError, match="outside its own folder"):
                read(name)
        with pytest.raises(MovesetError, match="nothing"):
            read("nothing.bin")


def test_a_link_out_of_the_folder_is_not_followed(folder):
    outside = folder / "secret.bin"
    outside.write_bytes(b"secret")
    (folder / "clips" / "link.bin").symlink_to(outside)
    with pytest.raises(MovesetError, match="outside its own folder"):
        locations.Beside(locations.locate(folder / "clips" / "walk.bvh"))("link.bin")


def test_writing_is_all_or_nothing(tmp_path):
    asset = formats.read(_file(tmp_path / "a.bvh"))
    target = formats.write(asset, tmp_path / "new" / "b.bvh")
    before = target.read_bytes()
    with pytest.raises(MovesetError, match="'QQQ'"):
        formats.write(asset, target, order="QQQ")
    assert target.read_bytes() == before and [p.name for p in target.parent.iterdir()] == ["b.bvh"]


def test_unknown_options_are_named(tmp_path):
    file = _file(tmp_path / "a.bvh")
    with pytest.raises(MovesetError, match="takes no option 'units' -- leave it out; there are unit, up"):
        formats.read(file, units="cm")
    with pytest.raises(MovesetError, match="writing bvh takes no option"):
        formats.write(formats.read(file), tmp_path / "b.bvh", colour="red")


def test_errors_name_the_file(tmp_path):
    file = _file(tmp_path / "a.bvh", BVH[:100])
    with pytest.raises(MovesetError) as caught:
        formats.read(file)
    assert caught.value.file == str(file)


@pytest.mark.parametrize("suffix", formats.FORMATS)
def test_the_table_agrees_with_the_modules(suffix):
    assert suffix in formats.format_of(f"a{suffix.upper()}").suffixes


def test_every_suffix_of_a_module_is_in_the_table():
    modules = {
        formats.format_of(f"a{suffix}").name: formats.format_of(f"a{suffix}") for suffix in formats.FORMATS
    }
    assert {s for form in modules.values() for s in form.suffixes} == set(formats.FORMATS)


def _file(path: Path, data: bytes = BVH) -> Path:
    path.write_bytes(data)
    return path


def test_members_that_lead_out_of_their_archive_do_not_count(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name in ("/abs.bvh", "../../evil.bvh", "in/../../evil.bvh", "good.bvh"):
            archive.writestr(name, BVH)
    found = formats.list_files(tmp_path)
    assert names(found, tmp_path) == ["a.zip/good.bvh"]
    assert len(formats.read(found[0]).clips) == 1
