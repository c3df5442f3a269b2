"""How each system is drawn, the same on every page: mid-tones that stand on light and dark paper."""

from typing import NamedTuple

from mwem_core.systems import SYSTEMS
from ui.figures.chart import BLUE, GREY, RED, TEAL

COLORS = (TEAL, BLUE, "#8A63C8", RED, "#C2568F", "#6E8F3A", "#4F93A8", "#A0683A")  # amber is the original's


class Stroke(NamedTuple):
    """A colour, which others share, and what tells them apart: the dash of a line, a marker, the hatching of a bar."""

    color: str
    dash: str
    symbol: str
    pattern: str


MARKS = ("solid", "circle", ""), ("dash", "square", "/"), ("dot", "triangle-up", ".")
PLAIN = {"weights": Stroke(GREY, *MARKS[2]), "uniform": Stroke(GREY, *MARKS[1])}  # no secret kept, and none known


def _strokes() -> dict[str, Stroke]:
    others = [name for name in SYSTEMS if name not in PLAIN]
    ordered = ["mwem", *(name for name in ("aim", "privbayes", "laplace") if name in others)]
    ordered += [name for name in others if name not in ordered]
    several = len(COLORS)
    return PLAIN | {name: Stroke(COLORS[i % several], *MARKS[i // several]) for i, name in enumerate(ordered)}


STROKES = _strokes()
