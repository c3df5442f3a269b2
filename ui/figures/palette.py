"""How each system is drawn, the same on every page: mid-tones that stand on light and dark paper."""

from typing import NamedTuple

from ui.figures.chart import BLUE, GREY, RED, TEAL

COLORS = (TEAL, BLUE, "#8A63C8", RED, "#C2568F", "#6E8F3A", "#4F93A8", "#A0683A")  # amber is the original's


class Stroke(NamedTuple):
    """A colour, which others share, and what tells them apart: the dash of a line, a marker, the hatching of a bar."""

    color: str
    dash: str
    symbol: str
    pattern: str


MARKS = ("solid", "circle", ""), ("dash", "square", "/"), ("dot", "triangle-up", ".")
FAMILIES = (  # a colour each
    ("mwem", "mwem-paper", "mwem-pgm"),
    ("aim",),
    ("privbayes", "net"),
    ("laplace", "laplace-clean", "laplace-cells"),
    ("gaussian", "gaussian-clean"),
    ("planner", "planner-clean"),
    ("relaxed-projection", "boosting"),
    ("barak", "barak-lp"),
)
PLAIN = {"weights": Stroke(GREY, *MARKS[2]), "uniform": Stroke(GREY, *MARKS[1])}  # no secret kept, and none known
STROKES = PLAIN | {
    name: Stroke(color, *mark)
    for color, family in zip(COLORS, FAMILIES, strict=True)
    for name, mark in zip(family, MARKS, strict=False)
}
