import json

import numpy as np
import pytest

from moveset.cli.doctor import DoctorOptions, as_lines, doctor
from moveset.workflows import doctor as room
from moveset.workflows.doctor import BROKEN, MISSING, OK, Outcome, examine_machine, is_fit


@pytest.fixture(scope="module")
def outcomes():
    return {(o.topic, o.name): o for o in examine_machine()}


def test_this_machine_is_fit(outcomes):
    assert is_fit(list(outcomes.values()))
    for engine in ("numpy", "numba", "duckdb", "pillow", "onnxruntime"):
        assert outcomes["compute", engine].state == OK
    assert outcomes["files", "temporary folder"].said.startswith("written, renamed, read")
    assert outcomes["packages", "numpy"].said.startswith(np.__version__)


def test_a_package_of_the_base_install_that_is_missing_names_its_commands(monkeypatch):
    def version(name: str) -> str:
        if name in ("duckdb", "torch"):
            raise room.PackageNotFoundError(name)
        return "1"

    monkeypatch.setattr(room, "version", version)
    found = {o.name: o for o in room._packages()}
    assert found["duckdb"].state == BROKEN
    assert "build, query, play" in found["duckdb"].said
    assert found["torch"].state == MISSING
    assert found["torch"].do == "pip install 'moveset[learn]'"
    assert not is_fit(list(found.values()))


def test_an_engine_that_computes_wrongly_is_broken(monkeypatch):
    wrong = room._factors()[2] + 1
    monkeypatch.setattr(room, "_factors", lambda: (*np.eye(256, dtype=np.float32)[None].repeat(2, 0), wrong))
    outcome = room._run("compute", "numpy", room._with_numpy)
    assert outcome.state == BROKEN
    assert "is wrong by" in outcome.said


def test_a_folder_that_cannot_be_written_is_broken(tmp_path):
    outcome = room._run("files", "here", lambda: room._write_and_rename(tmp_path / "absent"))
    assert outcome.state == BROKEN


def test_the_command_prints_and_exits_by_the_outcome(monkeypatch, capsys):
    bad = [Outcome("compute", "torch cuda:0", BROKEN, "RuntimeError: out of memory", "free memory on it")]
    monkeypatch.setattr("moveset.cli.doctor.examine_machine", lambda: iter(bad))
    assert doctor() == 2
    assert "!!  torch cuda:0" in capsys.readouterr().out
    assert doctor(options=DoctorOptions(json=True)) == 2
    assert json.loads(capsys.readouterr().out)["fit"] is False
    assert list(as_lines([Outcome("a", "b", OK, "c")])) == ["a", "  ok  b                 c"]


def test_the_hand_written_network_multiplies():
    pytest.importorskip("onnxruntime")
    assert room._with_onnxruntime().startswith("a network run")


def test_torch_devices_compute():
    pytest.importorskip("torch")
    for device in room._torch_devices():
        room._with_torch(device)
