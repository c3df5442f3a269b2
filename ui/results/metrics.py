"""What trials are judged by, and what they came to by it."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mwem_core.evaluation.metrics import Errors
from mwem_core.evaluation.trials import Result


@dataclass(frozen=True)
class Metric:
    """A number of a result, less of which is better: its name, what it is in a sentence, and its unit on an axis."""

    name: str
    what: str
    unit: str
    of: Callable[[Result], float | None]

    def values(self, results: Iterable[Result]) -> list[float]:
        """One a result that has one; none where any is infinite: that can be neither drawn nor averaged."""
        found = [x for result in results if (x := self.of(result)) is not None]
        return found if all(map(math.isfinite, found)) else []


def _of_answers(name: str) -> Callable[[Result], float | None]:
    return lambda result: getattr(result.answers, name) if result.answers else None


METRICS = {
    metric.name: metric
    for metric in (
        Metric("Mean TV", "mean total variation of a table", "mean total variation, 0 to 1", _of_answers("mean_tv")),
        Metric("Mean error", "mean error of an answer", "mean error, share of n", _of_answers("mean_error")),
        Metric("Max error", "largest error of an answer", "largest error, share of n", _of_answers("max_error")),
        Metric("Squared error", "mean squared error", "records² per query", _of_answers("mean_squared_error")),
        Metric(
            "Relative entropy", "relative entropy", "relative entropy, nats", lambda result: result.relative_entropy
        ),
    )
}


def available(tabular: bool) -> list[str]:
    """The metrics that a workload has: total variation is of whole tables."""
    return [name for name in METRICS if tabular or name != "Mean TV"]


def as_rows(result: Result) -> float | None:
    """The error of the synthetic rows, in mean total variation where there are tables, else the mean of an answer's."""
    found: Errors | None = result.rows
    return None if found is None else found.mean_error if found.mean_tv is None else found.mean_tv
