"""What trials came to, system by system: for a chart, for a table, and for what could not run."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

import pandas as pd

from mwem_core.evaluation.trials import Result
from mwem_core.evaluation.verdict import Interval, geometric_mean
from mwem_core.systems import SYSTEMS
from ui.results.metrics import METRICS, Metric, as_rows, available
from ui.words.numbers import three_digits


@dataclass(frozen=True)
class Standing:
    """A system by one metric: its error at each seed, and what is typical of it."""

    name: str
    values: tuple[float, ...]
    typical: Interval

    @property
    def title(self) -> str:
        """What it is called on screen."""
        return SYSTEMS[self.name].title


def by_system(results: Iterable[Result]) -> dict[str, list[Result]]:
    """The results that came to something, in the order of the list of systems."""
    done = [result for result in results if not result.problem]
    return {name: some for name in SYSTEMS if (some := [r for r in done if r.trial.system == name])}


def standings(results: Iterable[Result], metric: Metric) -> list[Standing]:
    """Those that have the metric, the least error first."""
    found = {name: tuple(metric.values(some)) for name, some in by_system(results).items()}
    every = [Standing(name, values, geometric_mean(values)) for name, values in found.items() if values]
    return sorted(every, key=lambda standing: standing.typical.middle)


def problems(results: Iterable[Result]) -> list[tuple[str, str]]:
    """What could not run, once each: the system, and why in a sentence."""
    return list(dict.fromkeys((SYSTEMS[r.trial.system].title, r.problem) for r in results if r.problem))


def as_table(results: Iterable[Result], *, tabular: bool, first: Metric) -> pd.DataFrame:
    """A row a system, sorted by `first`; geometric means over seeds, with how far their 95% interval reaches."""
    systems = by_system(results)
    order = [standing.name for standing in standings((r for some in systems.values() for r in some), first)]
    order += [name for name in systems if name not in order]
    rows = []
    for name in order:
        some, system = systems[name], SYSTEMS[name]
        row = {"System": system.title}
        row |= {key: within(map(METRICS[key].of, some)) for key in available(tabular)}
        row["Mean TV as rows" if tabular else "Mean error as rows"] = within(map(as_rows, some))
        row["Seconds"] = _seconds(median(r.seconds for r in some))
        row["Seeds"] = str(len(some))
        row["Gives"] = "rows, answers" if system.gives == "rows" else "answers"
        row["Privacy"] = privacy_of(name, some[0])
        rows.append(row)
    return pd.DataFrame(rows)


def privacy_of(name: str, result: Result) -> str:
    """What its budget is counted in, and the δ where there is one."""
    kind = SYSTEMS[name].privacy_at(result.delta)
    return f"{kind}, δ = {result.delta:g}".replace("e-0", "e-") if result.delta else kind


def _seconds(value: float) -> str:
    """Two significant digits, and whole where there are more."""
    return "under 0.01" if value < 0.01 else f"{value:.2g}" if value < 10 else f"{value:,.0f}"


def within(values: Iterable[float | None]) -> str:
    """ "0.0182 ± 4%", or "0.0182 ×/÷ 2.5"; the number alone where one seed says nothing of the spread, or none is."""
    known = [value for value in values if value is not None]
    if not known:
        return "–"
    if not all(map(math.isfinite, known)):
        return "∞"
    found = geometric_mean(known)
    told = three_digits(found.middle)
    if not 1e-4 < (reach := found.high / found.middle - 1 if found.middle else 0.0) < math.inf:
        return told
    return f"{told} ± {100 * reach:.2g}%" if reach < 0.995 else f"{told} ×/÷ {three_digits(1 + reach)}"
