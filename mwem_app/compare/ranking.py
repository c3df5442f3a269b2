"""Systems ranked by a metric over their seeds: in a table, as bars, and the page's view of them."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from statistics import median

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from mwem_app.base import PRIVATE, three_digits
from mwem_app.charts import GREY, STROKES, Chart, break_label, log_axis, on_paper, rgba, row_axis
from mwem_app.compare.controls import choose_metric, results_of, show_problems, show_progress
from mwem_app.compare.curves import METRICS, Metric, metric_names, rows_error
from mwem_app.compare.stored_trials import tell_stored_results
from mwem_app.inputs import Data
from mwem_app.page import plain, plot_in_place, redraw_while
from mwem_app.session import state
from mwem_core.judge import Interval, Result, Trial, geometric_mean, title_of, verdict_sentences
from mwem_core.systems import SYSTEMS
from mwem_core.workload import Workload

INFINITE = "∞"
NO_WEIGHT = "in some run, a cell that has records has no weight in the model"  # why a relative entropy is infinite
ROW_HEIGHT = 38  # pixels per system
UNIFORM = "uniform"


@dataclass(frozen=True)
class Standing:
    """A system by one metric: its error for each seed, and their geometric mean."""

    name: str
    values: tuple[float, ...]
    mean: Interval
    ran: str = ""  # what the system did, where it is known

    @property
    def title(self) -> str:
        """The system's name on screen, with what it did."""
        return title_of(self.name, [self.ran])


def by_system(results: Iterable[Result]) -> dict[str, list[Result]]:
    """The results without a problem, by system, in the order of `SYSTEMS`."""
    finished = [result for result in results if not result.problem]
    systems = {name: [result for result in finished if result.trial.system == name] for name in SYSTEMS}
    return {name: own_results for name, own_results in systems.items() if own_results}


def ranked_systems(results: Iterable[Result], metric: Metric) -> list[Standing]:
    """The systems that have the metric, in order of their geometric mean, smallest first."""
    systems = by_system(results)
    values = {name: tuple(metric.values(own_results)) for name, own_results in systems.items()}
    unordered = [
        Standing(name, errors, geometric_mean(errors), systems[name][0].ran)
        for name, errors in values.items()
        if errors
    ]
    return sorted(unordered, key=lambda standing: standing.mean.middle)


def problems(results: Iterable[Result]) -> list[tuple[str, str]]:
    """(system, problem) of the trials that could not run, each pair once."""
    return list(dict.fromkeys((SYSTEMS[r.trial.system].title, r.problem) for r in results if r.problem))


def as_table(results: Iterable[Result], *, tabular: bool, first: Metric) -> pd.DataFrame:
    """One row per system, sorted by the metric `first`: geometric means over seeds with their 95% intervals."""
    systems = by_system(results)
    order = [standing.name for standing in ranked_systems(chain.from_iterable(systems.values()), first)]
    order += [name for name in systems if name not in order]
    rows = []
    for name in order:
        own_results, system = systems[name], SYSTEMS[name]
        row = {"System": system.title}
        row |= {metric: with_interval(map(METRICS[metric].value, own_results)) for metric in metric_names(tabular)}
        row["Mean TV of rows" if tabular else "Records off of rows"] = with_interval(map(rows_error, own_results))
        row["Ran"] = own_results[0].ran or "–"
        seconds = median(result.seconds for result in own_results)
        row["Seconds"] = "under 0.01" if seconds < 0.01 else f"{seconds:.2g}" if seconds < 10 else f"{seconds:,.0f}"
        row["Seeds"] = str(len(own_results))
        row["Gives"] = "rows, answers" if system.gives == "rows" else "answers"
        definition, delta = system.privacy_at(own_results[0].delta), own_results[0].delta
        row["Privacy"] = f"{definition}, δ = {delta:g}".replace("e-0", "e-") if delta else definition
        rows.append(row)
    return pd.DataFrame(rows)


def meaning_of_infinity(table: pd.DataFrame) -> str:
    """Why a relative entropy in the table is infinite; empty where none is."""
    return f"{INFINITE}: {NO_WEIGHT}." if (table == INFINITE).any(axis=None) else ""


def with_interval(values: Iterable[float | None]) -> str:
    """Geometric mean and 95% interval: "0.0182 ± 4%" or "0.0182 ×/÷ 2.5"; the mean alone where no interval is known.

    Values that are None are left out.
    """
    known = [value for value in values if value is not None]
    if not known:
        return "–"
    if not all(map(math.isfinite, known)):
        return INFINITE
    mean = geometric_mean(known)
    text = three_digits(mean.middle)
    if not 1e-4 < (reach := mean.high / mean.middle - 1 if mean.middle else 0.0) < math.inf:
        return text
    return f"{text} ± {100 * reach:.2g}%" if reach < 0.995 else f"{text} ×/÷ {three_digits(1 + reach)}"


def error_bars(standings: Sequence[Standing], metric: Metric) -> Chart:
    """The smallest error on top. Diamonds give answers and no rows; hollow symbols have no privacy."""
    errors = [value for s in standings for value in s.values]
    ends = [end for s in standings if _has_interval(s) for end in (s.mean.low, s.mean.high)]
    traces = [trace for row, s in enumerate(standings) for trace in _marks(s, row, metric)]
    figure = on_paper(
        traces,
        height=70 + ROW_HEIGHT * len(standings),
        hovermode="closest",
        xaxis=log_axis([*errors, *ends]) | {"title": {"text": metric.unit_of(errors), "standoff": 10}},
        yaxis=row_axis([*map(_name, standings)]),
        showlegend=False,
        margin={"t": 14},
    )
    for s in standings:
        if s.name == UNIFORM and s.mean.middle > 0:
            figure.add_vline(s.mean.middle, line={"color": GREY, "dash": "dash", "width": 1}, layer="below")
    return Chart(f"{metric.name} of each system", PRIVATE, figure, describe_standings(standings, metric))


def describe_standings(standings: Sequence[Standing], metric: Metric) -> str:
    """Every system's mean and interval in words."""
    means = "; ".join(f"{s.title} {three_digits(s.mean.middle)}{_interval(s, ' ({} to {})')}" for s in standings)
    return f"{metric.noun.capitalize()}, geometric mean over seeds with its 95% interval: {means}."


def _marks(s: Standing, row: int, metric: Metric) -> list[go.Scatter]:
    """A faint dot per seed, and the mean with its interval."""
    color, has_interval = STROKES[s.name].color, _has_interval(s)
    system = SYSTEMS[s.name]
    symbol = "diamond" if system.gives == "answers" else "circle"
    tip = f"<b>{s.title}</b><br>{metric.name} %{{x:.3~g}}{_interval(s, '<br>95% interval {} to {}')}"
    small, below = {"color": rgba(color, 0.5), "size": 5}, [row + 0.27] * len(s.values)
    seeds = go.Scatter(x=s.values, y=below, mode="markers", marker=small, hoverinfo="skip")
    mean = go.Scatter(
        x=[s.mean.middle],
        y=[row],
        mode="markers",
        marker={
            "color": color,
            "size": 12,
            "symbol": f"{symbol}-open" if system.privacy == "none" else symbol,
            "line": {"color": color, "width": 2},
        },
        error_x={
            "array": [s.mean.high - s.mean.middle if has_interval else 0],
            "arrayminus": [s.mean.middle - s.mean.low if has_interval else 0],
            "color": color,
            "thickness": 2,
            "width": 6,
        },
        hovertemplate=f"{tip}<br>seeds: {len(s.values)}<extra></extra>",
    )
    return [seeds, mean]


def _has_interval(s: Standing) -> bool:
    """Whether the interval can be drawn: it is unknown with one seed, and a point if the errors do not vary."""
    return 0 < s.mean.low < s.mean.high < float("inf")


def _interval(s: Standing, template: str) -> str:
    return template.format(three_digits(s.mean.low), three_digits(s.mean.high)) if _has_interval(s) else ""


def _name(s: Standing) -> str:
    note = {"none": "no privacy", "no data": "no data used"}.get(SYSTEMS[s.name].privacy)
    return f"{s.title}<br><span style='font-size:10px'>{note}</span>" if note else break_label(s.title)


def show_standings(data: Data, workload: Workload, trials: Sequence[Trial], *, running: bool) -> None:
    """The results so far, redrawn while trials are `running`. NOT private."""
    redraw_while(state.trials_running, partial(_show_standings, data, workload, trials), was_pending=running)


def _show_standings(data: Data, workload: Workload, trials: Sequence[Trial]) -> None:
    results = results_of(data, workload, trials)
    if show_progress(data, workload, trials):
        own, systems = state.trial_results(data.source, workload), dict.fromkeys(trial.system for trial in trials)
        done = Counter(trial.system for trial in trials if trial in own)
        by_name = (f"{plain(SYSTEMS[name].title)}\u00a0**{done[name]}**" for name in systems)
        st.caption(f"Seeds done, of {len(trials) // len(systems)}: {' · '.join(by_name)}")
    show_problems(problems(results))
    if not by_system(results):
        if not state.trials_running():
            st.caption("Press **Run**. Every system answers the same workload at the same ε, once per seed.")
        return
    headline_place = st.container()
    metric = METRICS[choose_metric(workload)]
    ranked = ranked_systems(results, metric)
    if not ranked:
        st.caption(f"No system has a finite {metric.noun}: {NO_WEIGHT}, or there are only answers.")
        return
    headline, *rest = verdict_sentences(
        {s.name: s.values for s in ranked}, metric=metric.noun, titles={s.name: s.title for s in ranked}
    )
    headline_place.markdown(
        f"### {'So far · ' if len(results) < len(trials) else ''}{plain(headline)}\n\n{plain(' '.join(rest))}"
    )
    plot_in_place(error_bars(ranked, metric), key="error bars")
    st.caption(_how_to_read(ranked))
    tell_stored_results(data, workload, trials)
    table = as_table(results, tabular=workload.tabular, first=metric)
    pinned = {"System": st.column_config.Column(pinned=True)}
    st.dataframe(table, hide_index=True, width="stretch", height="content", column_config=pinned)
    st.caption(
        "Records off per count: the mean error of an answer, in records. The max error is a share of n. An error below "
        "a tenth of a record counts as a tenth. Total variation is half the L1 distance; squared error is in records², "
        "relative entropy in nats. ± and ×/÷ show how far the 95% interval reaches. Ran: what a method of MWEM did. "
        f"Seconds: the median CPU time of the mechanism. {meaning_of_infinity(table)}"
    )


def _how_to_read(ranked: Sequence[Standing]) -> str:
    """What the marks of the chart mean: those that it has."""
    shown = [SYSTEMS[standing.name] for standing in ranked]
    sentences = [
        "Large marks: the geometric mean over the seeds, with its 95% interval. Faint dots: single seeds.",
        "Log scale; further left is better.",
        "Diamonds: systems that give answers but no rows." if any(s.gives == "answers" for s in shown) else "",
        "Hollow marks: systems without privacy, for comparison." if any(s.privacy == "none" for s in shown) else "",
        "Dashed line: the error without any data." if any(s.privacy == "no data" for s in shown) else "",
    ]
    return " ".join(filter(None, sentences))
