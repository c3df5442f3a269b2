"""The results of trials by system: for a chart, for a table, and the problems of those that could not run."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from statistics import median

import pandas as pd

from mwem_app.base import three_digits
from mwem_app.compare.metrics import METRICS, Metric, metric_names, rows_error
from mwem_core.judge import Interval, Result, geometric_mean, title_of
from mwem_core.systems import SYSTEMS

INFINITE = "∞"
NO_WEIGHT = "in some run, a cell that has records has no weight in the model"  # why a relative entropy is infinite


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


def standings(results: Iterable[Result], metric: Metric) -> list[Standing]:
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
    order = [standing.name for standing in standings(chain.from_iterable(systems.values()), first)]
    order += [name for name in systems if name not in order]
    rows = []
    for name in order:
        own_results, system = systems[name], SYSTEMS[name]
        row = {"System": system.title}
        row |= {metric: with_interval(map(METRICS[metric].value, own_results)) for metric in metric_names(tabular)}
        row["Mean TV of rows" if tabular else "Records off of rows"] = with_interval(map(rows_error, own_results))
        row["Ran"] = own_results[0].ran or "–"
        row["Seconds"] = _seconds(median(result.seconds for result in own_results))
        row["Seeds"] = str(len(own_results))
        row["Gives"] = "rows, answers" if system.gives == "rows" else "answers"
        row["Privacy"] = privacy_of(name, own_results[0])
        rows.append(row)
    return pd.DataFrame(rows)


def meaning_of_infinity(table: pd.DataFrame) -> str:
    """Why a relative entropy in the table is infinite; empty where none is."""
    return f"{INFINITE}: {NO_WEIGHT}." if (table == INFINITE).any(axis=None) else ""


def privacy_of(name: str, result: Result) -> str:
    """The system's privacy definition, with the trial's δ where it is above 0."""
    definition = SYSTEMS[name].privacy_at(result.delta)
    return f"{definition}, δ = {result.delta:g}".replace("e-0", "e-") if result.delta else definition


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


def _seconds(value: float) -> str:
    """Two significant digits, and whole from 10 up."""
    return "under 0.01" if value < 0.01 else f"{value:.2g}" if value < 10 else f"{value:,.0f}"
