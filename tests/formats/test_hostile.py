"""Whatever is done to a file of any format, it is read or refused in a sentence, in time."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hostile import changes, random_changes, spoilt, verdict
from hostile_bombs import bombs
from hostile_samples import samples
from hypothesis import HealthCheck, given, settings

from moveset import formats
from moveset.errors import MovesetError

SAMPLES = samples()
BOMBS = bombs()
JUDGE = """
import re, sys, time
from moveset import formats
from moveset.errors import MovesetError

def peak():
    # not getrusage: what it tells of a process began with that of its parent
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])

before = peak()
start = time.process_time()
try:
    asset = formats.read(sys.argv[1])
    answer = f"read {[len(clip) for clip in asset.clips]}"
except MovesetError as error:
    answer = str(error)
    assert chr(10) not in answer
print(f"{answer}|{time.process_time() - start:.2f}|{(peak() - before) / 1024:.0f}", end="")
"""


@pytest.mark.parametrize("name", SAMPLES)
def test_the_samples_are_good(name):
    if not name.endswith(".c3d"):
        asset = SAMPLES[name].read()
        assert asset.clips or name.endswith(".asf")


@pytest.mark.parametrize("name", SAMPLES)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(what=changes())
def test_changes(name, what):
    sample = SAMPLES[name]
    verdict(lambda: sample.read(spoilt(sample.data, what)), name)


@pytest.mark.parametrize("name", SAMPLES)
def test_truncations(name):
    """Cut off at sixty places, and emptied."""
    sample = SAMPLES[name]
    for at in range(0, len(sample.data), max(1, len(sample.data) // 60)):
        verdict(lambda at=at: sample.read(sample.data[:at]), name)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="asks Linux what memory was taken")
@pytest.mark.parametrize("what", BOMBS)
def test_bombs(what, tmp_path):
    """Each in a process of its own, which says what it took."""
    name, data, beside = BOMBS[what]
    for file, content in {name: data, **beside}.items():
        (tmp_path / file).write_bytes(content)
    assert len(data) < 10_000_000
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", JUDGE, str(tmp_path / name)],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert run.returncode == 0, run.stderr
    answer, seconds, megabytes = run.stdout.rsplit("|", 2)
    print(f"{what}: {answer[:120]} {seconds} s {megabytes} MB")
    assert float(seconds) < 10 and float(megabytes) < 1024, f"{answer} took {seconds} s and {megabytes} MB"


@pytest.mark.slow
def test_odd_files(pack):
    """Nothing of what the pack collected is anything but read or refused."""
    counts = Counter()
    for path in sorted((pack / "odd").rglob("*")):
        if formats.suffix_of(path.name) in (".bvh", ".fbx", ".glb", ".gltf", ".vrm", ".vrma"):
            result = verdict(lambda path=path: formats.read(path), str(path))
            counts[result] += 1
            if re.search(r"_fail_|unsupported", path.name):
                assert result == "refused", path
    assert counts["read"] > 240 and counts["refused"] > 60


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_many_changes(name):
    rng = random.Random(name)
    sample = SAMPLES[name]
    for _ in range(2000):
        what = random_changes(rng)
        try:
            verdict(lambda what=what: sample.read(spoilt(sample.data, what)), name)
        except Exception as error:
            raise AssertionError(f"{name} after {what}") from error


def test_what_files_call_things_does_not_leave_the_line():
    error = MovesetError("holds \x1b[31mred\x1b[0m\nand more", file="a\tb.npz", do="mend\r\nit")
    assert str(error) == "a b.npz: holds  [31mred [0m and more -- mend it"


def test_a_signalling_nan_is_no_warning():
    """Found by benchmarks/fuzz_formats.py."""
    what = [("double", 0.9685521087999369, 34, b"inf"), ("cut", 0.8744586272139069, 23, b"4294967295")]
    sample = SAMPLES["walk.glb"]
    verdict(lambda: sample.read(spoilt(sample.data, what)), sample.name)
