"""Bundles come back as they were written, or are refused by name."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from moveset.bundle import (
    MANIFEST,
    REQUIRED,
    Network,
    latent_signature,
    open_bundle,
    require_on,
    write_bundle,
    write_measures,
)
from moveset.errors import MovesetError

GOLDEN = Path(__file__).parents[1] / "golden" / "bundle-v1"
CONTROLLER, AUTOENCODER = GOLDEN / "walker.controller", GOLDEN / "walker.autoencoder"


def parts(path):
    """What `write_bundle` was given for a bundle on disk."""
    bundle = open_bundle(path)
    manifest = {
        k: v for k, v in bundle.manifest.items() if k not in ("format", "kind", "name", "files", "hash")
    }
    manifest["networks"] = {
        file: {side: {p["name"]: {"unit": p["unit"], "meaning": p["meaning"]} for p in said[side]} for side in said if side != "kilobytes"}
        for file, said in manifest["networks"].items()
    }  # fmt: skip
    return manifest, {file: (path / file).read_bytes() for file in manifest["networks"]}


def written(path, source=CONTROLLER, **changes):
    manifest, networks = parts(source)
    return write_bundle(path, path.suffix[1:], manifest | changes, networks)


@pytest.fixture
def copied(tmp_path):
    return Path(shutil.copytree(CONTROLLER, tmp_path / "walker.controller"))


def refused(work, *words):
    with pytest.raises(MovesetError) as caught:
        work()
    for word in words:
        assert word in str(caught.value)


def test_what_is_written_comes_back(tmp_path):
    manifest, networks = parts(CONTROLLER)
    rng = np.random.default_rng(0)
    arrays = {"starts": {"contexts": rng.normal(size=(3, 4, 7)).astype(np.float32)}}
    weights = {"line.weight": rng.normal(size=(2, 3)).astype(np.float32)[:, ::-1]}
    manifest["config"] = {"width": np.int64(3), "rates": np.array([0.5, np.nan]), "path": tmp_path}
    bundle = write_bundle(tmp_path / "a.controller", "controller", manifest, networks, arrays, weights)
    again = open_bundle(tmp_path / "a.controller", "controller")
    assert (again.name, again.kind, again.hash) == ("a", "controller", bundle.hash)
    assert again.manifest["config"] == {"width": 3, "rates": [0.5, None], "path": str(tmp_path)}
    assert again.skeleton.signature == open_bundle(CONTROLLER).skeleton.signature
    np.testing.assert_array_equal(again.arrays("starts")["contexts"], arrays["starts"]["contexts"])
    np.testing.assert_array_equal(again.weights()["line.weight"], weights["line.weight"])
    context = rng.normal(size=(5, 4, 7))
    asked = {"offsets": np.zeros((5, 3, 2)), "turns": np.zeros((5, 3)), "free": np.ones((5, 1))}
    (states,) = again.network("lod0.onnx")(context=context, **asked)
    assert states.shape == (5, 8, 7) and states.dtype == np.float32
    np.testing.assert_allclose(states[:, -1, 4:], context[:, -1, 4:], atol=1e-6)  # free: it goes on as it was


def test_the_same_parts_make_the_same_bundle_whatever_it_is_called(tmp_path):
    a, b = written(tmp_path / "a.controller"), written(tmp_path / "b.controller", provenance={"seconds": 3})
    assert a.hash == b.hash
    assert written(tmp_path / "a.controller", seeds={"training": 1}).hash != a.hash


def test_measures_are_added_without_making_it_another(copied):
    bundle = write_measures(open_bundle(copied), {"skate": 0.3})
    again = open_bundle(copied)
    assert again.manifest["measures"] == {"skate": 0.3} and again.hash == bundle.hash


def test_edited_swapped_and_missing_files_are_refused_by_name(copied):
    keep = (copied / "lod0.onnx").read_bytes()
    (copied / "lod0.onnx").write_bytes(keep[:-1] + bytes((keep[-1] ^ 1,)))
    refused(lambda: open_bundle(copied), "lod0.onnx: is not the file that the bundle was written with")
    (copied / "lod0.onnx").write_bytes((copied / "lod1.onnx").read_bytes())
    refused(lambda: open_bundle(copied), "lod0.onnx: is not the file")
    (copied / "lod0.onnx").unlink()
    refused(lambda: open_bundle(copied), "lod0.onnx: the bundle lacks this file")


def edited(folder, **changes):
    said = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps({k: v for k, v in (said | changes).items() if v is not None}))


def test_an_edited_manifest_is_refused(copied):
    edited(copied, license="MIT")
    refused(lambda: open_bundle(copied), "bundle.json: was edited after it was written")
    edited(copied, license=None)
    refused(lambda: open_bundle(copied), "bundle.json: does not say license")
    (copied / MANIFEST).write_text('{"format": 1')
    refused(lambda: open_bundle(copied), "bundle.json: cannot be read")
    (copied / MANIFEST).write_text("[1]")
    refused(lambda: open_bundle(copied), "bundle.json: does not say format")


def test_other_formats_and_kinds_are_refused(copied, tmp_path):
    edited(copied, format=99)
    refused(lambda: open_bundle(copied), "is a bundle of format 99", "update Moveset")
    refused(lambda: open_bundle(AUTOENCODER, "controller"), "is of kind 'autoencoder', not 'controller'")
    refused(lambda: open_bundle(tmp_path), "is no bundle")
    refused(lambda: open_bundle(tmp_path / "absent.controller"), "absent.controller: there is no such bundle")


def test_a_controller_on_a_retrained_autoencoder_is_refused_by_name(tmp_path):
    controller = open_bundle(CONTROLLER)
    require_on(controller, open_bundle(AUTOENCODER))
    require_on(controller, open_bundle(shutil.copytree(AUTOENCODER, tmp_path / "renamed.autoencoder")))
    manifest, networks = parts(AUTOENCODER)
    latent = latent_signature({"line": np.ones(3)})
    networks = {name: relabelled(model, latent) for name, model in networks.items()}
    other = write_bundle(
        tmp_path / "walker.autoencoder", "autoencoder", manifest | {"latent": latent}, networks
    )
    refused(
        lambda: require_on(controller, other),
        "stands on autoencoder 'walker' (latent e99250b94e65f63e), not on 'walker' of", latent, "train it again",
    )  # fmt: skip
    refused(lambda: require_on(other, controller), "stands on no controller")


def relabelled(model, latent):
    return model.replace(b"e99250b94e65f63e", latent.encode())


def test_a_decoder_of_another_autoencoder_is_refused(copied, tmp_path):
    manifest, networks = parts(CONTROLLER)
    networks["decoder.onnx"] = relabelled(networks["decoder.onnx"], "0123456789abcdef")
    refused(
        lambda: write_bundle(tmp_path / "a.controller", "controller", manifest, networks),
        "decoder.onnx speaks the latents 0123456789abcdef", "those e99250b94e65f63e",
    )  # fmt: skip
    assert not (tmp_path / "a.controller").exists()
    # and where somebody has made all hashes fit
    bundle = open_bundle(copied)
    (copied / "decoder.onnx").write_bytes(networks["decoder.onnx"])
    bundle.network("lod0.onnx")
    refused(lambda: bundle.network("decoder.onnx"), "decoder.onnx speaks the latents 0123456789abcdef")


def test_what_a_manifest_leaves_out_is_asked_for(tmp_path):
    manifest, networks = parts(CONTROLLER)
    for key in REQUIRED:
        some = {k: v for k, v in manifest.items() if k != key}
        refused(lambda s=some: write_bundle(tmp_path / "a.x", "x", s, networks), f"a manifest must say {key}")
    del manifest["networks"]["lod0.onnx"]["inputs"]["turns"]
    refused(
        lambda: write_bundle(tmp_path / "a.x", "x", manifest, networks),
        "lod0.onnx has the inputs context, offsets, turns, free", "tells of context, offsets, free",
    )  # fmt: skip


def test_a_write_that_fails_leaves_what_was_there(copied, monkeypatch):
    before = open_bundle(copied).hash
    write, written_files = Path.write_bytes, []

    def full_disk(path, data):
        if len(written_files) == 2:
            raise OSError(28, "No space left on device")
        written_files.append(path)
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    with pytest.raises(OSError):
        written(copied, seeds={"training": 1})
    monkeypatch.undo()
    assert open_bundle(copied).hash == before
    assert [p.name for p in copied.parent.iterdir()] == ["walker.controller"]


def test_what_a_killed_process_left_is_put_right(copied):
    dead = 2**22 + 1  # above the highest process number
    copied.rename(copied.with_name(f"walker.controller.old-{dead}"))
    copied.with_name(f"walker.controller.partial-{dead}").mkdir()
    assert open_bundle(copied).name == "walker"
    assert [p.name for p in copied.parent.iterdir()] == ["walker.controller"]


CHANGES = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir"}


def killed_at(number, work):
    """Does `work` in a process of its own that is killed before its change of the disk of that number."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    seen = []

    def hook(event, given):
        if event in CHANGES and (event != "open" or given[2] & (os.O_WRONLY | os.O_RDWR)):
            seen.append(event)
            if len(seen) > number:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    try:
        work()
    finally:
        os._exit(0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_kill_at_any_moment_leaves_the_old_bundle_or_the_new_one(copied):
    old, found = open_bundle(copied).hash, []
    while killed_at(len(found), lambda: written(copied, seeds={"training": 1})):
        bundle = open_bundle(copied)
        assert [p.name for p in copied.parent.iterdir()] == ["walker.controller"]
        found.append(bundle.hash)
    new = open_bundle(copied).hash
    assert new != old and set(found) == {old, new}
    assert found == sorted(found, key=[old, new].index)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_kill_while_the_first_is_written_leaves_none(tmp_path):
    path, count = tmp_path / "first.controller", 0
    while killed_at(count, lambda: written(path)):
        count += 1
        if path.exists():
            open_bundle(path)
            shutil.rmtree(path)
    assert count > 5


def test_a_folder_that_is_no_bundle_is_not_overwritten(tmp_path):
    (tmp_path / "mine.controller").mkdir()
    (tmp_path / "mine.controller" / "thesis.txt").write_text("years")
    refused(lambda: written(tmp_path / "mine.controller"), "is there and is no bundle")
    assert (tmp_path / "mine.controller" / "thesis.txt").read_text() == "years"


def test_networks_say_what_they_take():
    bundle = open_bundle(CONTROLLER)
    network = bundle.network("decoder.onnx")
    assert bundle.network("decoder.onnx") is network
    refused(
        lambda: network(state=np.zeros((2, 5))), "decoder.onnx takes state (N, 7); it was given state (2, 5)"
    )
    refused(
        lambda: network(stat=np.zeros((2, 7))), "decoder.onnx takes state (N, 7); it was given stat (2, 7)"
    )
    refused(lambda: bundle.network("lod7.onnx"), "it has no network lod7.onnx; it has: lod0.onnx")
    refused(lambda: bundle.arrays("ends"), "it has no arrays 'ends'")
    refused(lambda: bundle.weights(), "without weights")
    refused(lambda: Network(b"nothing", "x.onnx"), "x.onnx is no network that runs")


def asked(rng, rows):
    shapes = {"context": (4, 7), "offsets": (3, 2), "turns": (3,), "free": (1,)}
    return {name: rng.uniform(size=(rows, *shape)) for name, shape in shapes.items()}


@pytest.mark.parametrize("rows", [0, 1, 5, 64, 65])
def test_every_call_of_a_network_is_its_own(rows):
    network, rng = open_bundle(CONTROLLER).network("lod0.onnx"), np.random.default_rng(0)
    first, other = asked(rng, rows), asked(rng, rows)
    states = [network(**inputs)[0] for inputs in (first, other, first, other)]
    assert states[0].shape == (rows, 8, 7)
    np.testing.assert_array_equal(states[0], states[2])
    np.testing.assert_array_equal(states[1], states[3])
    assert not rows or np.abs(states[0] - states[1]).max() > 0.01
    # transposed in memory, then with a missing axis, then one input of another length
    turned = {name: np.asfortranarray(array) for name, array in first.items()}
    np.testing.assert_array_equal(network(**turned)[0], states[0])
    refused(lambda: network(**(first | {"free": np.zeros(rows)})), "it was given context")
    if rows > 1:
        refused(lambda: network(**(first | {"turns": np.zeros((1, 3))})), "turns (1, 3)")


def test_threads_share_a_network():
    network, rng = open_bundle(CONTROLLER).network("lod0.onnx"), np.random.default_rng(0)
    inputs = [asked(rng, 3) for _ in range(200)]
    expected = [network(**given)[0] for given in inputs]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda given: network(**given)[0], inputs))
    np.testing.assert_array_equal(found, expected)


def test_sizes_and_times_are_told():
    bundle = open_bundle(CONTROLLER)
    lines = bundle.describe()
    assert [line.split()[:3] for line in lines] == [
        ["lod0.onnx", "6", "kB,"], ["lod1.onnx", "6", "kB,"], ["decoder.onnx", "5", "kB,"]
    ]  # fmt: skip
    assert all(line.count(" us ") == 2 for line in lines)
    assert 0.5 < bundle.network("decoder.onnx").microseconds(64, 20) < 10_000
