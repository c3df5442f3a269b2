"""Core objects as charts, each carrying its badge: what may leave the room, and what may not.

Colours are mid-tones with a contrast of 3 : 1 on light and on dark paper, grounds are transparent, and so is zero in a
heat map: one figure serves both themes. Amber is the original, teal what came out of the run; an outline against a
filling says the same without colour. Title and badge are for the page to write above the figure, as text that wraps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from mwem_core.domain import Attribute, Domain
from mwem_core.metrics import Errors
from mwem_core.release import EXPLORING, SEEDED, Run

AMBER, TEAL, BLUE, RED, GREY = "#B7791F", "#178F80", "#3F7FCC", "#D9603F", "#8A8F98"
GRID = "rgba(128, 132, 140, 0.22)"
MOST_BARS = 60  # values drawn as bars with their names; more become a filled line
MOST_SIDE = 48  # values on a side of a heat map; more are summed in groups of neighbours
MOST_POINTS = 1000  # of a filled line


@dataclass(frozen=True)
class Badge:
    """Whether something may leave the room, in words."""

    text: str
    kind: Literal["private", "exploring", "released"]


PRIVATE = Badge("made from the private data: do not publish", "private")
UNDONE = Badge("not private: the seed takes the noise away", "private")
STATED = Badge("exploratory: not a vetted release", "exploring")
RELEASED = Badge("differentially private: may leave the room", "released")


def badge_of(run: Run) -> Badge:
    """What may be said of something made from a run's rounds alone: no more than the run's statement says."""
    return {SEEDED: UNDONE, EXPLORING: STATED}.get(run.statement, RELEASED)


@dataclass(frozen=True)
class Chart:
    """A figure with its title and badge, a note on its numbers, and the sentence for those who do not see it."""

    title: str
    badge: Badge
    figure: go.Figure
    alt: str
    note: str = ""


def tv(one: np.ndarray, other: np.ndarray) -> float:
    """Total variation of two tables: half the L1 distance, each as shares of its own total."""
    return float(np.abs(one / one.sum() - other / other.sum()).sum() / 2)


# ---- one column ----
def marginal_bars(
    attribute: Attribute, synthetic: np.ndarray, original: np.ndarray | None, badge: Badge, *, small: bool = False
) -> Chart:
    """One column's (size,) counts as shares: a teal bar a value, in the amber outline of the original where given.

    `badge` is that of the synthetic side alone. `small` leaves out the values' names, for an overview.
    """
    edges = _groups(attribute.size, MOST_POINTS)
    labels = _spans(attribute.labels, edges)
    new, old = _shares(synthetic, edges), None if original is None else _shares(original, edges)
    place, many = np.arange(len(labels)), len(labels) > MOST_BARS
    upright = small or many
    both = "" if old is None else "original %{customdata[1]:.2%}<br>"
    tips = {
        "text": [_safe(label) for label in labels],
        "customdata": np.column_stack([new, new if old is None else old]),
        "hovertemplate": f"<b>%{{text}}</b><br>{both}synthetic %{{customdata[0]:.2%}}<extra></extra>",
    }
    draw = _line if many else _bar
    traces = [draw(place, new, "synthetic", upright, fill=TEAL, **tips)]
    if old is not None:
        traces.append(draw(place, old, "original", upright, outline=AMBER, hoverinfo="skip"))
    share: dict[str, Any] = {"rangemode": "tozero", "tickformat": "~p", "nticks": 4 if small else 6}
    value: dict[str, Any] = {"showgrid": False, "showticklabels": not small, "automargin": True}
    if small:
        value["ticks"] = ""
    else:
        share["title"] = {"text": "share of rows", "standoff": 14}
        shown = place[:: -(-len(labels) // 10)] if many else place
        value |= {"tickvals": shown, "ticktext": [_safe(_short(labels[i], 22)) for i in shown]}
    if not upright:
        value["range"] = [len(labels) - 0.5, -0.5]
    figure = _figure(
        traces,
        height=120 if small else 340 if many else 90 + (24 if len(labels) <= 20 else 18) * len(labels),
        hovermode="x" if upright else "y",
        xaxis=value if upright else share,
        yaxis=share if upright else value,
    )
    if small:
        figure.update_layout(margin={"t": 4, "b": 4}, showlegend=False)
    note = "" if old is None else f"total variation {number(tv(new, old))}"
    alt = describe_marginal(attribute.name, labels, new, old)
    return Chart(attribute.name, badge if old is None else PRIVATE, figure, alt, note)


def describe_marginal(name: str, labels: Sequence[str], synthetic: np.ndarray, original: np.ndarray | None) -> str:
    """One column in a sentence: its three largest values, and how far the two are apart."""
    top = np.argsort(-(synthetic if original is None else original), kind="stable")[:3]
    if original is None:
        parts = "; ".join(f"{labels[i]} {synthetic[i]:.1%}" for i in top)
        return f"{name} in the synthetic rows. Largest shares: {parts}."
    parts = "; ".join(f"{labels[i]} {original[i]:.1%} and {synthetic[i]:.1%}" for i in top)
    apart = number(tv(synthetic, original))
    return f"{name}, original and synthetic. Largest shares: {parts}. Total variation {apart}."


# ---- two columns ----
def pair_heat(
    domain: Domain, pair: Sequence[int], synthetic: np.ndarray, original: np.ndarray | None, badge: Badge
) -> list[Chart]:
    """Two columns' counts by cell as heat maps: original, synthetic and what separates them; or synthetic alone.

    The column with more values runs down the side, where there is room for names. Original and synthetic share a
    scale, which spends its colours on the small shares. `badge` is that of the synthetic side alone.
    """
    turn = domain.shape[pair[0]] < domain.shape[pair[1]]
    sides = [domain.attributes[a] for a in (pair[::-1] if turn else pair)]
    edges = [_groups(side.size, MOST_SIDE) for side in sides]
    names = [side.name for side in sides]
    labels = [_spans(side.labels, groups) for side, groups in zip(sides, edges, strict=True)]
    new = _shares(synthetic.T if turn else synthetic, *edges)
    if original is None:
        return [_heat("Synthetic", names, labels, new, _ramp(TEAL), badge)]
    old = _shares(original.T if turn else original, *edges)
    top = float(max(new.max(), old.max()))
    return [
        _heat("Original", names, labels, old, _ramp(AMBER), PRIVATE, top),
        _heat("Synthetic", names, labels, new, _ramp(TEAL), badge, top),
        _heat("Difference", names, labels, new - old, SIDES, PRIVATE),
    ]


def _heat(
    what: str,
    names: Sequence[str],
    labels: Sequence[Sequence[str]],
    shares: np.ndarray,
    scale: Sequence[tuple[float, str]],
    badge: Badge,
    top: float = 0.0,
) -> Chart:
    signed = scale is SIDES
    top = top or float(np.abs(shares).max()) or 1.0
    rows, columns = shares.shape
    trace = go.Heatmap(
        z=shares,
        zmin=-top if signed else 0,
        zmax=top,
        colorscale=scale,
        text=[[f"{_safe(row)}<br>{_safe(column)}" for column in labels[1]] for row in labels[0]],
        hovertemplate=f"%{{text}}<br><b>{what.lower()} %{{z:{'+' if signed else ''}.3%}}</b><extra></extra>",
        xgap=1 if columns <= 30 else 0,
        ygap=1 if rows <= 30 else 0,
        colorbar=_BAR | {"tickformat": "+~p" if signed else "~p"},
    )
    down, across = (_ticks(side, most, longest) for side, most, longest in zip(labels, (24, 12), (15, 12), strict=True))
    crowded = sum(map(len, across["ticktext"])) > 26
    figure = _figure(
        [trace],
        height=130 + (22 * max(rows, 5) if rows <= 14 else 15 * min(rows, 24)),
        hovermode="closest",
        xaxis=across
        | {"showgrid": False, "tickangle": -40 if crowded else None, "title": _title(names[1], 6 if crowded else 22)},
        yaxis=down | {"showgrid": False, "range": [rows - 0.5, -0.5], "title": _title(names[0], 6)},
    )
    return Chart(
        what,
        badge,
        figure,
        describe_pair("synthetic minus original" if signed else what.lower(), names, labels, shares),
    )


_BAR = {"orientation": "h", "x": 0, "xanchor": "left", "xpad": 0, "y": 1, "yanchor": "bottom", "ypad": 6, "len": 0.7}
_BAR |= {"thickness": 8, "nticks": 3, "outlinewidth": 0, "ticklen": 2, "tickfont": {"size": 11}}


def describe_pair(what: str, names: Sequence[str], labels: Sequence[Sequence[str]], shares: np.ndarray) -> str:
    """A heat map in a sentence: its three most marked cells."""
    sign = "+" if (shares < 0).any() else ""
    cells = [divmod(int(top), shares.shape[1]) for top in np.argsort(-np.abs(shares), axis=None, kind="stable")[:3]]
    parts = "; ".join(f"{labels[0][i]} × {labels[1][j]} {shares[i, j]:{sign}.2%}" for i, j in cells)
    return f"{names[0]} × {names[1]}: {what}, shares of the rows by cell. Most marked: {parts}."


# ---- all pairs ----
def distances(names: Sequence[str], apart: np.ndarray) -> Chart:
    """Total variation of original and synthetic, (d, d): columns on the diagonal, pairs below it, NaN above."""
    d = len(names)
    fits = d <= 10
    trace = go.Heatmap(
        z=apart,
        zmin=0,
        colorscale=_ramp(AMBER, power=1, strongest=0.5 if fits else 1.0),
        showscale=not fits,
        customdata=[[_safe(row if row == column else f"{column} × {row}") for column in names] for row in names],
        hovertemplate="%{customdata}<br><b>total variation %{z:.3~g}</b><extra></extra>",
        hoverongaps=False,
        xgap=1,
        ygap=1,
        colorbar=_BAR | {"tickformat": "~g"},
    )
    axis = _ticks(names, 30, 15) | {"showgrid": False}
    figure = _figure(
        [trace],
        height=110 + max(160, (24 if fits else 18) * d),
        hovermode="closest",
        xaxis=axis | {"tickangle": -40},
        yaxis=axis | {"range": [d - 0.5, -0.5]},
    )
    for i, j in np.argwhere(np.isfinite(apart)) if fits else ():
        text = f'<span style="color:currentColor">{apart[i, j]:.3f}</span>'.replace(">0.", ">.")  # the page's own ink
        figure.add_annotation(x=j, y=i, text=text, showarrow=False, font={"size": 11}, captureevents=False)
    return Chart("Total variation by column and pair", PRIVATE, figure, describe_distances(names, apart))


def describe_distances(names: Sequence[str], apart: np.ndarray) -> str:
    """Where the rows are furthest from the original, in a sentence."""
    i, j = divmod(int(np.nanargmax(apart)), len(names))
    worst = names[i] if i == j else f"{names[j]} × {names[i]}"
    return (
        "Total variation between original and synthetic rows for each column and pair: "
        f"mean {number(float(np.nanmean(apart)))}, largest {number(float(apart[i, j]))} for {worst}."
    )


# ---- by round ----
def error_by_round(errors: Sequence[Errors], n: float) -> Chart:
    """Largest and mean error of the workload's answers after each round; dotted, those of the start."""
    largest, mean = (np.array([getattr(e, key) for e in errors]) for key in ("max_error", "mean_error"))
    rounds, traces = np.arange(len(errors)), []
    for name, values, color in (("largest", largest, RED), ("mean", mean, BLUE)):
        level = np.full(len(rounds), values[0])
        traces += [
            _curve(rounds, values, name, color),
            _curve(rounds, level, f"{name} at the start", color, dash="dot", hoverinfo="skip"),
        ]
    figure = _by_round(traces, f"error, share of n = {n:,.0f} (log scale)", largest, mean)
    return Chart("Error by round", PRIVATE, figure, describe_errors(errors))


def describe_errors(errors: Sequence[Errors]) -> str:
    """The first and last errors in a sentence."""
    first, final, last = errors[0], errors[-1], len(errors) - 1
    return (
        f"Error by round, shares of n on a logarithmic scale. Largest error {number(first.max_error)} at the start, "
        f"{number(final.max_error)} after round {last}; mean error {number(first.mean_error)} at the start, "
        f"{number(final.mean_error)} after round {last}."
    )


def surprise_by_round(run: Run) -> Chart:
    """How far each measurement lay from what the model said before it, beside the noise it was expected to carry."""
    found = surprises(run)
    rounds, surprise, noise = np.array(found, float).reshape(-1, 3).T
    traces = [
        _curve(rounds, surprise, "surprise", BLUE),
        _curve(rounds, noise, "expected noise", GREY, dash="dash"),
    ]
    figure = _by_round(traces, "records (log scale)", surprise, noise)
    return Chart("Surprise and noise by round", badge_of(run), figure, describe_surprises(found))


def surprises(run: Run) -> list[tuple[int, float, float]]:
    """Of each measured round: its number, |m - q(A)| and the expected |noise|, both as L1 norms in records."""
    mean = 1.0 if run.settings.delta == 0 else float(np.sqrt(2 / np.pi))  # E|noise| of scale 1
    return [
        (entry.index, entry.residual, entry.measurement.scale * mean * np.size(entry.measurement.value))
        for entry in run.rounds
        if entry.measurement is not None
    ]


def describe_surprises(found: Sequence[tuple[int, float, float]]) -> str:
    """The first and last surprise in a sentence."""
    if not found:
        return "Nothing has been measured yet."
    (i, first, first_noise), (j, final, final_noise) = found[0], found[-1]
    return (
        "Distance of each measurement from what the model said before it, in records: "
        f"{first:,.0f} in round {i} with {first_noise:,.0f} expected from the noise alone; "
        f"{final:,.0f} in round {j} with {final_noise:,.0f}."
    )


def _curve(x: np.ndarray, y: np.ndarray, name: str, color: str, dash: str = "solid", **more: Any) -> go.Scatter:
    mode = "lines+markers" if len(x) <= 40 and dash == "solid" else "lines"
    line = {"color": color, "dash": dash, "width": 2.5 if dash == "solid" else 1.5}
    tip = {} if more else {"hovertemplate": "%{fullData.name} %{y:,.3~g}<extra></extra>"}
    return go.Scatter(x=x, y=y, name=name, mode=mode, line=line, marker={"size": 6}, **tip, **more)


def _by_round(traces: list[go.Scatter], what: str, *values: np.ndarray) -> go.Figure:
    """Curves over the rounds, on a logarithmic axis that ends at half decades."""
    every = np.concatenate(values)
    logs = np.log10(every[every > 0]) if (every > 0).any() else np.zeros(1)
    low, high = np.floor(2 * logs.min() - 0.1) / 2, np.ceil(2 * logs.max() + 0.1) / 2
    scale = {"type": "log", "range": [low, high], "dtick": 1 if high - low > 2 else "D2", "tickformat": "~g"}
    rounds = {"title": {"text": "round", "standoff": 6}, "tickformat": "d", "nticks": 13}
    return _figure(traces, height=340, hovermode="x unified", xaxis=rounds, yaxis=scale | {"title": {"text": what}})


# ---- what they share ----
def number(value: float) -> str:
    """Two or three significant digits: 0.684, 0.019, 1.2e-05."""
    return f"{value:.2g}" if value < 0.1 else f"{value:.3g}"


def _figure(traces: list, *, height: int, **layout: Any) -> go.Figure:
    axis = {"gridcolor": GRID, "zeroline": False, "linecolor": GRID, "tickcolor": GRID, "automargin": True}
    axis |= {"tickfont": {"size": 12}, "fixedrange": True}
    for name in ("xaxis", "yaxis"):
        layout[name] = axis | layout[name]
    named = len(traces) > 1
    return go.Figure(traces).update_layout(
        template="none",
        margin={"l": 8, "r": 8, "t": 36 if named else 8, "b": 8},
        height=height,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        barmode="overlay",
        bargap=0.2,
        showlegend=named,
        legend={
            "orientation": "h",
            "traceorder": "reversed" if layout["hovermode"] != "x unified" else "normal",
            "x": 0,
            "xanchor": "left",
            "y": 1,
            "yanchor": "bottom",
        },
        **layout,
    )


def _bar(
    place: np.ndarray, shares: np.ndarray, name: str, upright: bool, fill: str = "", outline: str = "", **tips: Any
):
    marker = {"color": _rgba(fill, 0.6) if fill else "rgba(0,0,0,0)", "line": {"color": outline or fill, "width": 2}}
    x, y = (place, shares) if upright else (shares, place)
    return go.Bar(x=x, y=y, orientation="v" if upright else "h", name=name, marker=marker, textposition="none", **tips)


def _line(place: np.ndarray, shares: np.ndarray, name: str, _: bool, fill: str = "", outline: str = "", **tips: Any):
    line = {"color": fill or outline, "width": 1 if fill else 1.5, "shape": "hvh"}
    area = {"fill": "tozeroy", "fillcolor": _rgba(fill, 0.5)} if fill else {}
    return go.Scatter(x=place, y=shares, mode="lines", name=name, line=line, **area, **tips)


def _rgba(color: str, alpha: float) -> str:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {alpha:.3g})"


def _ramp(color: str, power: float = 2.5, strongest: float = 1.0) -> list[tuple[float, str]]:
    """From nothing to the colour. Shares are mostly small: colours are spent there, at a power of the step."""
    return [(float(step**power), _rgba(color, strongest * step)) for step in np.linspace(0, 1, 9)]


SIDES = [(0.0, RED), (0.5, _rgba(RED, 0)), (0.5, _rgba(BLUE, 0)), (1.0, BLUE)]  # fewer than in the original, more


def _ticks(labels: Sequence[str], most: int, longest: int) -> dict[str, Any]:
    """At most so many labels, evenly picked and cut short; whole ones show on hover."""
    shown = range(0, len(labels), -(-len(labels) // most))
    return {"tickvals": list(shown), "ticktext": [_safe(_short(labels[i], longest)) for i in shown]}


def _title(name: str, standoff: int) -> dict[str, Any]:
    return {"text": _safe(_short(name, 30)), "standoff": standoff}


def _groups(size: int, most: int) -> np.ndarray:
    """Where groups of neighbouring codes begin: one a code, or at most `most` of them."""
    return np.arange(0, size, -(-size // most))


def _spans(labels: tuple[str, ...], starts: np.ndarray) -> list[str]:
    ends = [*starts[1:], len(labels)]
    return [labels[a] if b - a == 1 else f"{labels[a]} … {labels[b - 1]}" for a, b in zip(starts, ends, strict=True)]


def _shares(counts: np.ndarray, *starts: np.ndarray) -> np.ndarray:
    """Counts as shares of their total, summed within groups along each axis."""
    for axis, groups in enumerate(starts):
        counts = np.add.reduceat(counts, groups, axis=axis)
    return counts / counts.sum()


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _safe(text: str) -> str:
    """Plotly reads labels as a little HTML, and "<=50K" is a label."""
    return escape(text, quote=False)
