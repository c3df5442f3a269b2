"""The frame of the report: one page that needs no other file, in light and dark, on screens and on paper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape, unescape

from mwem_core.releasing.chart import ERRORS_STYLE

STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #d8dde4; --paper: #fff; --mark: #0b6e99;
  --warn: #764905; --warn-back: #faefd3; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaf0; --soft: #9aa6b6; --line: #37414f; --paper: #151a21; --mark: #5cc0e8;
    --warn: #f2c879; --warn-back: #372b13; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 46rem; padding: 2rem 1rem 3rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
body.tables { max-width: 64rem; }
h1 { font-size: 1.6rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: .5rem 0; }
.lead { border-left: 4px solid var(--mark); padding-left: .75rem; }
.warn { background: var(--warn-back); color: var(--warn); padding: .6rem .75rem; border-radius: .4rem; }
.soft, figcaption { color: var(--soft); font-size: .875rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .75rem .3rem 0; text-align: left; vertical-align: top;
  overflow-wrap: anywhere; }
th:first-child, td:first-child { min-width: 9rem; }
.number { text-align: right; overflow-wrap: normal; }
td.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
.facts th { width: 10rem; font-weight: 600; }
figure { margin: .5rem 0; }
svg { width: 100%; height: auto; }
svg text { fill: var(--soft); font: 12px system-ui, sans-serif; }
svg line { stroke: var(--line); }
svg polyline { fill: none; stroke: var(--soft); stroke-dasharray: 4 4; }
svg circle { fill: var(--mark); }
@media print {
  :root { --ink: #000; --soft: #444; --line: #bbb; --paper: #fff; --mark: #0b6e99; }
  body { max-width: none; padding: 0; font-size: 11pt; }
  section, tr, figure { break-inside: avoid; }
}
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # the page fetches nothing and runs no script


def page(title: str, sections: Sequence[str], *, wide: bool = False) -> str:
    """The whole document; `wide` where its tables have many columns."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}{ERRORS_STYLE}</style>\n</head>\n"
        f"<body{' class=tables' if wide else ''}>\n<main>\n" + "\n".join(sections) + "\n</main>\n</body>\n</html>\n"
    )


def section(heading: str, *parts: str) -> str:
    """A heading and what is below it."""
    return f"<section>\n<h2>{escape(heading)}</h2>\n" + "\n".join(part for part in parts if part) + "\n</section>"


def sections_of(page: str) -> dict[str, str]:
    """What `section` has put into a page: what is below each heading, by heading."""
    found = re.findall(r"<section>\n<h2>(.*?)</h2>\n(.*?)\n</section>", page, flags=re.DOTALL)
    return {unescape(heading): below for heading, below in found}


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of plain text."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def listing(texts: Sequence[str]) -> str:
    """A list of plain texts."""
    return "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"


def facts(rows: Sequence[tuple[str, str]]) -> str:
    """Names of facts, each with its text."""
    lines = "".join(f'<tr><th scope="row">{escape(name)}</th><td>{escape(text)}</td></tr>' for name, text in rows)
    return f'<table class="facts"><tbody>{lines}</tbody></table>'


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: int = 0) -> str:
    """A table of plain texts; the last so many columns are numbers."""
    kinds = [' class="number"' if i >= len(columns) - numbers else "" for i in range(len(columns))]
    head = "".join(f"<th{kind}>{escape(name)}</th>" for kind, name in zip(kinds, columns, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{kind}>{escape(cell)}</td>" for kind, cell in zip(kinds, row, strict=True)) + "</tr>"
        for row in rows
    )
    return f'<div class="wide" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def figure_of(chart: str, caption: str) -> str:
    """A chart with its caption."""
    return f"<figure>{chart}<figcaption>{escape(caption)}</figcaption></figure>"
