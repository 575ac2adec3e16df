"""Pages hold names as they are, and all that they show."""

from __future__ import annotations

from moveset.workflows.page import page, picture, section, table


def test_names_are_text_and_cells_are_html() -> None:
    made = page(
        "a <b>", [section("c & d", table(("", "<e>"), [("<b>f</b>", "1")]))], ".g { color:red; }"
    ).decode()
    for text in (
        "<h1>a &lt;b&gt;</h1>",
        "<h2>c &amp; d</h2>",
        "<th>&lt;e&gt;</th>",
        "<td><b>f</b></td>",
        ".g {",
    ):
        assert text in made
    assert "$" not in made


def test_a_page_needs_no_network() -> None:
    made = page("x", [picture(b"\x89PNG", "png", 'an "x"', "below")]).decode()
    assert 'src="data:image/png;base64,iVBORw=="' in made and "&quot;x&quot;" in made and "below" in made
    assert "http" not in made and "<link" not in made
