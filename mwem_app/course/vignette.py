"""A small still picture of a lesson for the list of lessons, from its own numbers: 300 by 90, without words.

Shapes have a kind: private, released, select, measure or pale. Lines may be dashed, and boxes frames.
"""

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from mwem_app.charts import AMBER, BLUE, COLORS, GREY, TEAL

WIDE, HIGH = 300, 90
KINDS = {"private": AMBER, "released": TEAL, "select": COLORS[2], "measure": BLUE, "pale": f"{GREY}70"}
STYLE = "".join(f".{kind} {{ color: {colour} }} " for kind, colour in KINDS.items()) + (
    "rect, circle { fill: currentColor } polyline, .frame { fill: none; stroke: currentColor; stroke-width: 2.5 } "
    ".dashed { stroke-dasharray: 6 5 }"
)


def whole(*shapes: str) -> str:
    """The picture of these shapes as HTML, the first at the back."""
    inside = f"<style>{STYLE}</style>{''.join(shapes)}"
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}">{inside}</svg>'
    return f'<img alt="" class="vignette" src="data:image/svg+xml,{quote(svg)}">'


def box(x: float, y: float, wide: float, high: float, kind: str) -> str:
    """A rectangle from its upper left corner."""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" rx="1.5" class="{kind}"/>'


def columns(values: Sequence[float], kind: str, *, highest: float, beside: tuple[int, int] = (0, 1)) -> str:
    """Bars on a common floor; `beside` is the place of each among how many bars that stand side by side."""
    step, (place, of) = WIDE / len(values), beside
    wide = 0.7 * step / of
    tops = [(HIGH - 4) * value / highest for value in values]
    return "".join(box((i + 0.15) * step + place * wide, HIGH - top, wide, top, kind) for i, top in enumerate(tops))


def spot(x: float, y: float, kind: str, r: float = 4) -> str:
    """A dot."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" class="{kind}"/>'


def path(points: Iterable[tuple[float, float]], kind: str) -> str:
    """A line through points of which both numbers are shares of the picture, from its lower left corner."""
    places = " ".join(f"{4 + (WIDE - 8) * x:.1f},{HIGH - 4 - (HIGH - 8) * y:.1f}" for x, y in points)
    return f'<polyline points="{places}" class="{kind}"/>'
