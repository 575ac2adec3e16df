"""The page works in a browser: filters, search, sorting, from a file without a network."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from moveset.motion import Finding
from moveset.workflows.audit import AuditReport, ClipReport
from moveset.workflows.audit_report import write_html

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

CLICKS = """
<script>
const seen = [], count = () => document.querySelectorAll(".clip").length;
const button = (box, word) => [...document.querySelectorAll(`#${box} .chip`)].find(c => c.textContent.startsWith(word));
const first = () => document.querySelector(".clip h2").textContent.split(/\\s+/)[1];
seen.push(count(), first());
button("verdicts", "error").click(); seen.push(count());
button("verdicts", "error").click(); button("checks", "pops").click(); seen.push(count());
button("checks", "pops").click();
$("search").value = "clip7"; $("search").dispatchEvent(new Event("input")); seen.push(count());
$("search").value = ""; $("search").dispatchEvent(new Event("input"));
$("sort").value = "seconds"; $("sort").dispatchEvent(new Event("change")); seen.push(first());
$("more").click(); seen.push(count());
document.title = seen.join(" ");
</script>
"""


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="no Chromium found")
def test_filters_search_and_sorting(tmp_path):
    torn = Finding("pops", "warning", "", "torn", (3,), "arm", 0.2, "m")
    sunk = Finding("floor_offset", "error", "", "sunk", (0,), None, -1.0, "m")
    clips = [
        ClipReport(
            "a.bvh", f"clip{n}", 30, 30.0, float(n), 24, (sunk,) if n == 50 else (torn,) if n < 3 else ()
        )
        for n in range(120)
    ]
    page = tmp_path / "audit.html"
    write_html(AuditReport(tuple(clips), 1), str(page))
    page.write_text(page.read_text(encoding="utf-8").replace("</body>", CLICKS + "</body>"), encoding="utf-8")
    command = [
        BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=4000", "--dump-dom", page.as_uri(),
    ]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    title = re.search(r"<title>(.*)</title>", run.stdout)
    # 100 a page; the sunk clip first; 1 error; 3 torn; clip7 and clip70 to clip79; the longest; all after "more"
    assert title is not None
    assert title.group(1) == "100 clip50 1 3 11 clip119 120"
