"""Reports as HTML: pages of one look, light and dark, that open from disk and ask no network for anything."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Sequence
from string import Template

_PAGE = Template("""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Moveset: $title</title>
<style>
:root { --ink:#1d242c; --dim:#6b7683; --line:#e2e6ea; --page:#f6f7f8; --card:#fff; }
@media (prefers-color-scheme: dark) { :root { --ink:#e6eaee; --dim:#93a0ad; --line:#2e363f; --page:#15191d; --card:#1d2329; } }
* { box-sizing:border-box; }
body { margin:0 auto; max-width:1180px; padding:0 20px 60px; font:14px/1.45 system-ui, sans-serif; color:var(--ink);
  background:var(--page); }
h1 { font-size:22px; margin:28px 0 2px; font-weight:650; } h2 { font-size:17px; margin:34px 0 6px; }
p, figcaption, th { color:var(--dim); } p { max-width:75ch; margin:4px 0; }
.card { background:var(--card); border:1px solid var(--line); border-radius:8px; padding:6px 14px; overflow-x:auto; }
table { border-collapse:collapse; } th, td { padding:3px 16px 3px 0; text-align:right; white-space:nowrap; }
th { font-weight:500; } th:first-child, td:first-child { text-align:left; } tr + tr { border-top:1px solid var(--line); }
td { font-variant-numeric:tabular-nums; } td small { color:var(--dim); }
figure { margin:12px 0; } img { max-width:100%; display:block; } figcaption { font-size:12px; }
$style
</style>
</head>
<body>
<h1>$title</h1>
$parts
</body>
</html>
""")


def page(title: str, parts: Iterable[str], style: str = "") -> bytes:
    """The file: parts of HTML under a title, with CSS of their own."""
    return _PAGE.substitute(title=html.escape(title), parts="\n".join(parts), style=style).encode()


def section(title: str, body: str) -> str:
    """HTML under a heading."""
    return f"<h2>{html.escape(title)}</h2>\n{body}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells of HTML under a head of plain words."""
    top = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    body = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="card"><table><tr>{top}</tr>\n{body}</table></div>'


def picture(data: bytes, form: str, about: str, caption: str = "") -> str:
    """A picture that lies within the page; `form` is png or gif."""
    told = f"<figcaption>{html.escape(caption)}</figcaption>" if caption else ""
    shown = f"data:image/{form};base64,{base64.b64encode(data).decode()}"
    return f'<figure class="card"><img src="{shown}" alt="{html.escape(about)}">{told}</figure>'
