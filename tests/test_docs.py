"""The documentation runs: code blocks of README and docs, in order, each file in a folder of its own."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", re.M | re.S)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    links = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_code_blocks_run(page, tmp_path):
    """```python blocks share one namespace; in ```console blocks the lines with `$ moveset` run."""
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    if not blocks:
        pytest.skip("no code blocks")
    script = tmp_path / "page.py"
    for kind, block in blocks:
        if kind == "console":
            for line in block.splitlines():
                if line.startswith("$ moveset "):
                    verb = [
                        sys.executable,
                        "-m",
                        "moveset",
                        *shlex.split(line.removeprefix("$ moveset "), comments=True),
                    ]
                    run = subprocess.run(verb, cwd=tmp_path, capture_output=True, text=True)
                    assert run.returncode == 0, f"{line}\n{run.stdout}\n{run.stderr}"
    code = "\n".join(block for kind, block in blocks if kind == "python")
    script.write_text(code, encoding="utf-8")
    run = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
