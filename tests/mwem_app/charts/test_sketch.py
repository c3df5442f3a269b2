"""The lines of a figure as HTML."""

import re
from urllib.parse import unquote

import plotly.graph_objects as go
import pytest

from mwem_app.charts.chart import log_axis, on_paper
from mwem_app.charts.sketch import sketch


def figure(traces: list) -> go.Figure:
    x_axis = {"type": "log", "tickvals": [0.1, 1, 10], "ticktext": ["0.1", "1", "10"], "title": {"text": "ε < 11"}}
    y_axis = log_axis([0.01, 1]) | {"title": {"text": "error"}}
    return on_paper(traces, height=300, hovermode="closest", xaxis=x_axis, yaxis=y_axis, showlegend=True)


def line(x: list[float], y: list[float], **more) -> go.Scatter:
    return go.Scatter(x=x, y=y, mode="lines", name="MWEM<br>&amp; AIM", line={"color": "#123456", "width": 2.5}, **more)


def paths(html: str) -> list[list[tuple[float, float]]]:
    """The points of each line of width 2.5, in per cent of the plot."""
    found = re.findall(r'd="M([^"]*)"[^>]*stroke-width="2.5"', unquote(html))
    return [[tuple(map(float, point.split(","))) for point in path.split("L")] for path in found]


def test_points_stand_where_the_logarithmic_axes_put_them():
    chart = figure([line([0.1, 1, 10], [1, 0.1, 0.01])])
    low, high = chart.layout.yaxis.range
    (path,) = paths(sketch(chart))
    assert [x for x, _ in path] == [5, 50, 95]
    assert [y for _, y in path] == pytest.approx([100 * (high - log) / (high - low) for log in (0, -1, -2)], abs=0.01)


def test_ticks_titles_and_names_are_texts_of_the_page():
    html = sketch(figure([line([0.1, 10], [1, 0.01])]))
    assert '<span class="tick x" style="left: 50.00%">1</span>' in html
    assert ">0.1</span>" in html
    assert "ε &lt; 11" in html
    assert '<span style="color: #123456">MWEM &amp; AIM</span>' in html


def test_a_target_is_a_line_across_and_a_mark_a_line_down():
    chart = figure([line([0.1, 10], [1, 0.01])])
    style = {"line": {"width": 1.5, "color": "#888888"}}
    chart.add_shape(type="line", xref="paper", x0=0, x1=1, y0=0.1, y1=0.1, **style)
    chart.add_shape(type="line", x0=1, x1=1, y0=0.1, y1=1, **style)
    across, down = re.findall(r'd="M([^"]*)"[^>]*stroke-width="1.5"', unquote(sketch(chart)))
    assert across.startswith("0.00,")
    assert "L100.00," in across
    assert down.startswith("50.00,")
    assert "L50.00," in down


def test_what_is_no_positive_number_is_left_out_and_a_figure_without_lines_has_no_sketch():
    (path,) = paths(sketch(figure([line([0.1, 1, 10], [1, 0, 0.01])])))
    assert [x for x, _ in path] == [5, 95]
    assert sketch(figure([go.Scatter(x=[1], y=[1], mode="markers")])) == ""
    assert sketch(figure([line([], [])])) == ""
