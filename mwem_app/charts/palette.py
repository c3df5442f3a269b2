"""How each system is drawn on every page. All colours are mid-tones that are visible on light and dark paper."""

from typing import NamedTuple

from mwem_app.charts.chart import BLUE, GREY, RED, TEAL

# Amber is reserved for the original.
COLORS = (TEAL, BLUE, "#8A63C8", RED, "#C2568F", "#6E8F3A", "#4F93A8", "#A0683A", "#3E9B4F", "#5C5FC4")


class Stroke(NamedTuple):
    """A colour, shared within a family; and a line dash and a marker symbol, which tell it apart."""

    color: str
    dash: str
    symbol: str


MARKS = ("solid", "circle"), ("dash", "square"), ("dot", "triangle-up"), ("dashdot", "cross")
SYSTEM_FAMILIES = (  # one colour per family
    ("mwem", "mwem-paper", "mwem-pgm", "figure-1"),
    ("aim",),
    ("privbayes", "net"),
    ("laplace", "laplace-clean", "laplace-cells"),
    ("gaussian", "gaussian-clean"),
    ("planner", "planner-clean"),
    ("relaxed-projection", "boosting"),
    ("barak", "barak-lp"),
    ("hierarchical", "dawa"),
    ("automatic", "tables"),
)
PLAIN = {"weights": Stroke(GREY, *MARKS[2]), "uniform": Stroke(GREY, *MARKS[1])}  # no privacy; no data
STROKES = PLAIN | {
    name: Stroke(color, *mark)
    for color, family in zip(COLORS, SYSTEM_FAMILIES, strict=True)
    for name, mark in zip(family, MARKS, strict=False)
}
