"""An experiment on the page: its committed trials, the claim, the figure, the verdict, and the command."""

import math
from collections.abc import Mapping
from itertools import cycle
from typing import Literal, NamedTuple

import plotly.graph_objects as go
import streamlit as st

from mwem_app.base import three_digits
from mwem_app.charts import COLORS, GREY, Chart, Stroke, break_label, log_axis, on_paper, rgba, safe
from mwem_app.evidence.benchmarks import PUBLIC
from mwem_app.page import plain
from mwem_core.experiments import EXPERIMENTS, SOURCES, Experiment, Frame, Plot, Verdict, results

HEIGHT, SIZE = 400, 13  # of a chart, and of its type, in pixels
MAX_TITLE = 36  # letters beside the axis
PAPER, INK = "#FBFAF6", "#12161E"  # of the light theme, also on a dark page: a saved picture goes on a light slide
DASHES, SYMBOLS = ("solid", "dash", "dot"), ("circle", "square", "triangle-up", "diamond", "cross")
OPEN = ("circle-open", "diamond-open")
DASHES_BESIDE = ("longdashdot", "dash", "dot", "longdash", "dashdot")
IMAGES = ("SVG", "PNG")
SIGNS: dict[str, tuple[str, Literal["green", "orange", "red"]]] = {
    "holds": (":material/check_circle:", "green"),
    "holds with conditions": (":material/rule:", "orange"),
    "does not hold": (":material/cancel:", "red"),
}
PHRASES = {"holds": "claims hold", "holds with conditions": "hold with conditions", "does not hold": "does not hold"}


def panels(plot: Plot, heading: str) -> list[Chart]:
    """A chart per panel, in the order of the points. Its title, which a saved picture has too, is below `heading`."""
    strokes, parts = strokes_of(plot), plot.points.groupby("panel", sort=False)
    return [_panel(str(panel), heading, own, plot, strokes) for panel, own in parts]


def strokes_of(plot: Plot) -> dict[str, Stroke]:
    """How each method is drawn, the same in every panel: grey for what stands beside, else a colour of its own."""
    methods = [*dict.fromkeys(plot.points["method"])]
    own = [name for name in methods if name not in plot.beside]
    strokes = {
        name: Stroke(COLORS[i % len(COLORS)], DASHES[i // len(COLORS)], SYMBOLS[i % len(SYMBOLS)])
        for i, name in enumerate(own)
    }
    symbols = cycle([""] if plot.joined else OPEN)
    grey = {name: Stroke(GREY, dash, next(symbols)) for name, dash in zip(plot.beside, DASHES_BESIDE, strict=False)}
    return strokes | grey


def _panel(title: str, heading: str, own: Frame, plot: Plot, strokes: Mapping[str, Stroke]) -> Chart:
    lines = {name: own[own["method"] == name].sort_values("x") for name in strokes if (own["method"] == name).any()}
    traces = [trace for name, line in lines.items() for trace in _line(name, line, strokes[name], plot)]
    x = sorted({float(value) for value in own["x"]})
    finite = [float(v) for v in own[["y", "low", "high"]].to_numpy().ravel() if math.isfinite(v)]
    x_title = {"text": plot.x_title, "standoff": 10, "font": {"size": SIZE}}
    x_axis = {"title": x_title, "tickvals": x, "ticktext": [plot.x_name(v) for v in x]}
    middle = [float(value) for value in own["y"] if math.isfinite(value)]
    y_axis = log_axis(middle or finite) if plot.log_y else {}
    scale = " (log scale)" if plot.log_y else ""
    figure = on_paper(
        traces,
        height=HEIGHT,
        hovermode="closest",
        xaxis=x_axis | ({"type": "log"} if plot.log_x else {}),
        yaxis=y_axis | {"title": {"text": break_label(f"{plot.y_title}{scale}", MAX_TITLE), "font": {"size": SIZE}}},
        showlegend=True,
        legend={
            "traceorder": "normal",
            "maxheight": 1000,
            "title": {"text": f"<b>{safe(f'{heading}: {title}')}</b>", "side": "top"},
        },
        margin={"t": 64},
        paper_bgcolor=PAPER,
        font={"color": INK, "family": "Source Sans, sans-serif", "size": SIZE},
    )
    ends = "; ".join(
        f"{name} {three_digits(line['y'].iloc[0])} at {plot.x_name(line['x'].iloc[0])} and "
        f"{three_digits(line['y'].iloc[-1])} at {plot.x_name(line['x'].iloc[-1])}"
        for name, line in lines.items()
    )
    return Chart(title, PUBLIC, figure, f"{title}: {plot.y_title}, by {plot.x_title}: {ends}.")


def _line(name: str, line: Frame, stroke: Stroke, plot: Plot) -> list[go.Scatter]:
    seeds = int(line["seeds"].max())
    drawn = go.Scatter(
        x=line["x"].tolist(),
        y=line["y"].tolist(),
        name=safe(name),
        legendgroup=name,
        mode=("lines+markers" if plot.joined else "markers") if stroke.symbol else "lines",
        line={"color": stroke.color, "dash": stroke.dash, "width": 2.5 if stroke.symbol else 1.5},
        marker={"color": stroke.color, "symbol": stroke.symbol or "circle", "size": 14 if stroke.symbol in OPEN else 8},
        customdata=[
            [f", T = {T}" if isinstance(T, int) else "", plot.x_name(x)]
            for T, x in zip(line["T"], line["x"], strict=True)
        ],
        hovertemplate=f"<b>{safe(name)}</b> at %{{customdata[1]}}<br>%{{y:.3~g}}%{{customdata[0]}}<extra></extra>",
    )
    return [drawn] if seeds < 2 or not stroke.symbol else [_band(name, line, stroke), drawn]


def _band(name: str, line: Frame, stroke: Stroke) -> go.Scatter:
    inside = line[(line["low"] > 0) & (line["high"] < math.inf)]
    return go.Scatter(
        x=[*inside["x"], *inside["x"][::-1]],
        y=[*inside["high"], *inside["low"][::-1]],
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=rgba(stroke.color, 0.16),
        legendgroup=name,
        showlegend=False,
        hoverinfo="skip",
    )


class Outcome(NamedTuple):
    """Trials of an experiment, and what they decide."""

    frame: Frame
    verdict: Verdict


@st.cache_resource(show_spinner=False)
def stored_outcome(name: str) -> Outcome:
    """The committed trials of an experiment."""
    frame = results.read_committed(name)
    return Outcome(frame, EXPERIMENTS[name].verdict(frame))


def overview(verdicts: Mapping[str, Verdict]) -> str:
    """ "6 claims hold, 6 hold with conditions, 1 does not hold (Figure 6)." in Markdown, each with its sign."""
    parts = list[str]()
    for holds, (icon, color) in SIGNS.items():
        titles = [title for title, verdict in verdicts.items() if verdict.holds == holds]
        named = f" ({', '.join(titles)})" if "not" in holds else ""
        parts.append(f":{color}[{icon}] {len(titles)} {PHRASES[holds]}{named}")
    return f"{', '.join(parts)}."


def show_title(experiment: Experiment, verdict: Verdict) -> None:
    """The title with its verdict."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader(experiment.title, anchor=False, width="content")
        icon, color = SIGNS[verdict.holds]
        st.badge(verdict.holds, icon=icon, color=color)


def show_figure(experiment: Experiment, frame: Frame) -> None:
    """The reader's choices, and a chart per panel that saves itself as a picture."""
    options = {}
    with st.container(horizontal=True):
        for name, every in experiment.choices.items():
            options[name] = st.segmented_control(
                name.capitalize(), every, default=every[0], required=True, key=f"_{experiment.name} {name}"
            )
        st.space("stretch")
        image = st.segmented_control("Charts save as", IMAGES, default=IMAGES[0], required=True, key="_image")
    plot = experiment.figure(frame, **options)
    grid = st.grid(2, min_column_width=340)
    for chart in panels(plot, experiment.short_title):
        with grid.cell():
            name = f"{experiment.name} {chart.title}".replace(" ", "-").replace("×", "x")
            save = {"format": image.lower(), "filename": name, "width": 800, "height": 500, "scale": 2}
            config = {"modeBarButtons": [["toImage"]], "displaylogo": False, "toImageButtonOptions": save}
            st.plotly_chart(
                chart.figure, theme=None, width="stretch", alt=chart.spoken, config=config, key=f"{name} {image}"
            )
    shaded = f" Shaded: {plot.band}." if plot.band else ""
    about = frame.attrs
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    origin = f"{len(frame):,} trials and bounds of {about['day']}, by {versions}."
    st.caption(f"{plot.y_title[0].upper()}{plot.y_title[1:]}.{shaded} {plain(origin)}")


def show_verdict(experiment: Experiment, verdict: Verdict) -> None:
    """The numbers that decide, the claim, its conditions, the rule and when it was written, and what would flip it."""
    history = f" *{plain(experiment.history)}*" if experiment.history else ""
    st.markdown(f"**Verdict: {verdict.holds}.** {plain(verdict.numbers)}")
    st.markdown(f"**Claim.** {plain(experiment.claim)}")
    st.markdown(f"**Conditions.** {plain(experiment.conditions)}")
    st.markdown(f"**{experiment.rule_title}.** {plain(experiment.rule)}{history}")
    st.markdown(f"**What would flip it.** {plain(verdict.flips)}")


def show_command(experiment: Experiment) -> None:
    """The command that runs the trials again, and where to get the tables that do not come with the program."""
    fetched = {SOURCES[t].file: SOURCES[t].fetch for t in experiment.tables if SOURCES[t].fetch}
    st.markdown("**Run it again.** The command prints how its trials differ from those shown here.")
    st.code(f"mwem paper {experiment.name}{' --data FOLDER' if fetched else ''}", language=None)
    for file, origin in fetched.items():
        st.caption(f"`{file}` does not come with the program: get it from {plain(origin)}, and put it into FOLDER.")
