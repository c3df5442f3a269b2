"""A run's rows as charts, and their errors. What reads the records is for exploring only."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from mwem_app.base import PRIVATE, Badge, share
from mwem_app.charts import (
    AMBER,
    TEAL,
    Chart,
    Groups,
    cut,
    groups,
    low_end,
    on_paper,
    rgba,
    safe,
    sum_groups,
    widths,
)
from mwem_core.domain import Records
from mwem_core.judge import errors, errors_by_term
from mwem_core.model import LogLinear
from mwem_core.output import Run
from mwem_core.workload import Workload

SOURCES = ("these rows", "the model", "uniform, no data used")
AnswersOfTotal = tuple[np.ndarray, float]  # a workload's answers, in records, and their total
MAX_COMPARED_COLUMNS = 20  # of which all pairs are compared
MAX_PAIR_CELLS = 2**20  # of one pair's marginal
MAX_BARS, MAX_SMALL_BARS = 60, 12  # each has its name; more ordered values are drawn as a filled line
MAX_LINE_POINTS = 1000


def tv(first: np.ndarray, second: np.ndarray) -> float:
    """Total variation of two marginals: half the L1 distance, each as shares of its own total."""
    return float(np.abs(first / first.sum() - second / second.sum()).sum() / 2)


def accuracy(run: Run, rows: Records, truth: Records) -> dict[str, list[str]]:
    """Errors of the `SOURCES`, by metric, as texts."""
    Q, n = run.workload, truth.total
    exact = Q.answers(truth)
    sources = (rows, run.model, LogLinear.uniform(run.domain.shape, n, run.domain.possible))
    answered = {name: (Q.answers(source), source.total) for name, source in zip(SOURCES, sources, strict=True)}
    by_source = [errors(Q, answers, exact, n, total=total) for answers, total in answered.values()]
    table = {
        "mean error, share of n": [share(e.mean_error) for e in by_source],
        "largest error, share of n": [share(e.max_error) for e in by_source],
        "largest error, records": [f"{e.max_error * n:,.0f}" for e in by_source],
    }
    by_part = {row: list(cells.values()) for row, cells in errors_of_parts(Q, answered, exact, n).items()}
    if Q.tabular:
        table = {
            "mean total variation, 0 to 1": [share(e.mean_tv or 0) for e in by_source],
            "largest total variation": [share(e.max_tv or 0) for e in by_source],
        } | table
    return by_part | table


def errors_of_parts(
    Q: Workload, sources: Mapping[str, AnswersOfTotal], exact: np.ndarray, n: float
) -> dict[str, dict[str, str]]:
    """Errors of the parts of a mixed workload by source, as texts: a row for each part."""
    by_source = [errors_by_term(Q, answers, exact, n, total=total) for answers, total in sources.values()]
    rows = {}
    for found in zip(*by_source, strict=True):
        rows[f"{found[0].name}: {found[0].metric}"] = {
            name: share(each.error) for name, each in zip(sources, found, strict=True)
        }
    return rows


def pair_distances(rows: Records, truth: Records) -> np.ndarray:
    """Total variation of rows and truth, (d, d): of columns on the diagonal, of pairs below it, NaN elsewhere."""
    d = len(rows.domain)
    sets = [(a,) for a in range(d)]
    sets += [S for S in combinations(range(d), 2) if rows.domain.cells(S) <= MAX_PAIR_CELLS]
    distances = np.full((d, d), np.nan)
    for S, synthetic, original in zip(sets, rows.marginals(sets), truth.marginals(sets), strict=True):
        distances[S[-1], S[0]] = tv(synthetic, original)
    return distances


def marginal_bars(a: int, rows: Records, truth: Records | None, badge: Badge, *, small: bool = False) -> Chart:
    """Attribute a as shares of the rows: one teal bar per value, with the original, if given, as an amber outline.

    Too many values are drawn as a line if they have an order, else as the largest of them and one bar for the others.
    `badge` is that of the synthetic side alone. `small` charts are for an overview.
    """
    attribute, max_bars = rows.domain.attributes[a], MAX_SMALL_BARS if small else MAX_BARS
    even = attribute.size == attribute.value_set.size and np.ptp(widths(attribute, np.arange(attribute.size))) < 0.01
    as_line = attribute.ordered and attribute.size > max_bars and even  # what is uneven are categories
    largest_of = rows if truth is None else truth
    values = groups(attribute, largest_of.marginal((a,)), MAX_LINE_POINTS if as_line else max_bars)
    synthetic, original = _shares(rows, a, values), None if truth is None else _shares(truth, a, values)
    positions = np.arange(len(values))
    original_tip = "" if original is None else "original %{customdata[1]:.2%}<br>"
    tips = {
        "text": [safe(label) for label in values.labels],
        "customdata": np.column_stack([synthetic, synthetic if original is None else original]),
        "hovertemplate": f"<b>%{{text}}</b><br>{original_tip}synthetic %{{customdata[0]:.2%}}<extra></extra>",
    }
    draw = _line if as_line else _bar
    traces = [draw(positions, synthetic, "synthetic", fill=TEAL, **tips)]
    if original is not None:
        traces.append(draw(positions, original, "original", outline=AMBER, hoverinfo="skip"))
    share_axis: dict[str, Any] = {"rangemode": "tozero", "tickformat": "~p", "nticks": 4 if small else 6}
    if not small:
        share_axis["title"] = {"text": "share of rows", "standoff": 14}
    labels = values.labels
    if as_line:  # some of the ordered values, by their low ends
        named = range(0, len(labels), -(-len(labels) // (4 if small else 8)))
        value_axis = {"tickvals": list(named), "ticktext": [safe(low_end(labels[i])) for i in named]}
        height = 150 if small else 340
    else:  # down the side, every value by its name
        names = [cut(label, 15 if small else 22) for label in labels]
        value_axis = {"tickvals": list(range(len(labels))), "ticktext": names, "range": [len(labels) - 0.5, -0.5]}
        value_axis |= {"tickfont": {"size": 11 if small else 12}}
        height = 46 + 16 * max(len(labels), 3) if small else 90 + (24 if len(labels) <= 20 else 18) * len(labels)
    value_axis["showgrid"] = False
    compact = {"margin": {"t": 4, "b": 4}, "showlegend": False, "minreducedheight": 20}  # else labels are cut
    figure = on_paper(
        traces,
        height=height,
        hovermode="x" if as_line else "y",
        xaxis=value_axis if as_line else share_axis,
        yaxis=share_axis if as_line else value_axis,
        **compact if small else {},
    )
    alt = describe_marginal(attribute.name, labels, synthetic, original)
    if truth is None:
        return Chart(attribute.name, badge, figure, alt)
    distance = share(tv(rows.marginal((a,)), truth.marginal((a,))))  # of all values, drawn alone or not
    return Chart(attribute.name, PRIVATE, figure, f"{alt} Total variation {distance}.", f"total variation {distance}")


def describe_marginal(name: str, labels: Sequence[str], synthetic: np.ndarray, original: np.ndarray | None) -> str:
    """One column in words: its three largest values."""
    largest = np.argsort(-(synthetic if original is None else original), kind="stable")[:3]
    if original is None:
        shares = "; ".join(f"{labels[i]} {synthetic[i]:.1%}" for i in largest)
        return f"{name} in the synthetic rows. Largest shares: {shares}."
    shares = "; ".join(f"{labels[i]} {original[i]:.1%} and {synthetic[i]:.1%}" for i in largest)
    return f"{name}, original and synthetic. Largest shares: {shares}."


def _shares(rows: Records, a: int, values: Groups) -> np.ndarray:
    return sum_groups(rows.marginal((a,)), [values]) / rows.total


def _bar(
    positions: np.ndarray, shares: np.ndarray, name: str, fill: str = "", outline: str = "", **tips: Any
) -> dict[str, Any]:
    marker = {"color": rgba(fill, 0.6) if fill else "rgba(0,0,0,0)", "line": {"color": outline or fill, "width": 2}}
    bar = {"type": "bar", "orientation": "h", "name": name, "marker": marker, "textposition": "none"}
    return bar | {"x": shares, "y": positions} | tips


def _line(
    positions: np.ndarray, shares: np.ndarray, name: str, fill: str = "", outline: str = "", **tips: Any
) -> dict[str, Any]:
    line = {"color": fill or outline, "width": 1 if fill else 1.5, "shape": "hvh"}
    area = {"fill": "tozeroy", "fillcolor": rgba(fill, 0.5)} if fill else {}
    return {"type": "scatter", "mode": "lines", "name": name, "line": line, "x": positions, "y": shares} | area | tips
