"""A colour and a dash for each system, the same on every page; mid-tones that stand on light and dark paper."""

from mwem_core.systems import SYSTEMS
from ui.figures.chart import BLUE, GREY, RED, TEAL

COLORS = (TEAL, BLUE, "#8A63C8", RED, "#C2568F", "#6E8F3A", "#4F93A8", "#A0683A")  # amber is the original's
PLAIN = {"weights": (GREY, "dot"), "uniform": (GREY, "dash")}  # what keeps no secret, and what knows none
DASHES = ("solid", "dash", "dot")


def _strokes() -> dict[str, tuple[str, str]]:
    others = [name for name in SYSTEMS if name not in PLAIN]
    ordered = ["mwem", *(name for name in ("aim", "privbayes", "laplace") if name in others)]
    ordered += [name for name in others if name not in ordered]
    return PLAIN | {name: (COLORS[i % len(COLORS)], DASHES[i // len(COLORS)]) for i, name in enumerate(ordered)}


STROKES = _strokes()
