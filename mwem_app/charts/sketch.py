"""The lines of a figure as HTML, which a browser draws at once: Plotly takes a second to load, then takes their place.

Lines stretch with the page and texts do not. There are no markers and no hover labels.
"""

import math
from collections.abc import Sequence
from html import escape
from typing import Any
from urllib.parse import quote

import plotly.graph_objects as go

LEFT, RIGHT, BOTTOM = 56, 10, 50  # margins in pixels, near those that Plotly finds
PADDING = 5  # per cent of the width on either side of the lines, like Plotly's
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" preserveAspectRatio="none">{}</svg>'
DASHES = {"dash": "9 9", "dot": "3 3", "longdash": "15 10"}


def sketch(figure: go.Figure) -> str:
    """The lines, axes, names and target lines of a figure of scatter traces; empty if it has no line."""
    whole = figure.to_dict()
    layout = whole["layout"]
    lines = [trace for trace in whole["data"] if "lines" in trace.get("mode", "") and len(trace["x"])]
    if not lines:
        return ""
    x = _Scale(layout["xaxis"], [value for line in lines for value in line["x"]], PADDING, 100 - PADDING)
    y = _Scale(layout["yaxis"], [value for line in lines for value in line["y"]], 100, 0)
    ticks = dict(zip(layout["xaxis"].get("tickvals", ()), layout["xaxis"].get("ticktext", ()), strict=True))
    powers = [10.0**power for power in range(math.ceil(y.low), math.floor(y.high) + 1)] if y.logarithmic else []
    grid = {"color": layout["yaxis"]["gridcolor"], "width": 1}
    paths = [_path([(x(value), 0), (x(value), 100)], grid) for value in ticks]
    paths += [_path([(0, y(power)), (100, y(power))], grid) for power in powers]
    paths += [
        _path([(x(a), y(b)) for a, b in zip(line["x"], line["y"], strict=True)], line["line"], line.get("fillcolor"))
        for line in lines
    ]
    for shape in layout.get("shapes", ()):
        ends = (0, 100) if shape.get("xref") == "paper" else (x(shape["x0"]), x(shape["x1"]))
        paths.append(_path(list(zip(ends, (y(shape["y0"]), y(shape["y1"])), strict=True)), shape["line"]))
    names = [
        f'<span style="color: {line["line"]["color"]}">{line["name"].replace("<br>", " ")}</span>'
        for line in lines
        if line.get("name") and line.get("showlegend", True)
    ]
    texts = [f'<span class="tick x" style="left: {x(at):.2f}%">{escape(text)}</span>' for at, text in ticks.items()]
    texts += [f'<span class="tick y" style="top: {y(power):.2f}%">{power:g}</span>' for power in powers]
    texts += [f'<span class="title {axis}">{escape(layout[f"{axis}axis"]["title"]["text"])}</span>' for axis in "xy"]
    top = layout["margin"]["t"]
    return (
        f'<div class="sketch" aria-hidden="true" style="height: {layout["height"]}px">'
        f'<div class="names" style="height: {top}px">{" ".join(names)}</div>'
        f'<div style="inset: {top}px {RIGHT}px {BOTTOM}px {LEFT}px">'
        f'<img alt="" src="data:image/svg+xml,{quote(SVG.format("".join(paths)))}">{"".join(texts)}</div></div>'
    )


class _Scale:
    """From a value to per cent of the plot; `low` and `high` are the axis's ends, logarithms if it is logarithmic."""

    def __init__(self, axis: dict[str, Any], values: Sequence[float], start: float, end: float):
        self.logarithmic = axis.get("type") == "log"
        self.start, self.end = start, end
        known = [self._position(value) for value in values if math.isfinite(self._position(value))]
        self.low, self.high = axis.get("range") or (min(known), max(known))

    def _position(self, value: float) -> float:
        if not self.logarithmic:
            return value
        return math.log10(value) if value > 0 else -math.inf

    def __call__(self, value: float) -> float:
        return self.start + (self._position(value) - self.low) / ((self.high - self.low) or 1) * (self.end - self.start)


def _path(points: Sequence[tuple[float, float]], line: dict[str, Any], fill: str | None = None) -> str:
    """A line through the finite points, or an area with that border."""
    stroke = line.get("color", "none") if line.get("width") else "none"
    through = "L".join(f"{x:.2f},{y:.2f}" for x, y in points if math.isfinite(x) and math.isfinite(y))
    return (
        f'<path d="M{through}" fill="{fill or "none"}" stroke="{stroke}" stroke-width="{line.get("width", 0)}" '
        f'stroke-dasharray="{DASHES.get(line.get("dash", ""), "none")}" vector-effect="non-scaling-stroke"/>'
    )
