"""The metrics that trials are judged by."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mwem_core.judge import LEAST_ERROR, Result


@dataclass(frozen=True)
class Metric:
    """A number of a result, of which less is better; with a noun for sentences and a unit for axes.

    `unit_above_1` replaces the unit on an axis with values above 1, which only answers that are no distribution have.
    """

    name: str
    noun: str
    unit: str
    value: Callable[[Result], float | None]
    unit_above_1: str = ""

    def values(self, results: Iterable[Result]) -> list[float]:
        """The values of the results that have one. Empty if any is infinite: it can be neither drawn nor averaged."""
        values = [value for result in results if (value := self.value(result)) is not None]
        return values if all(map(math.isfinite, values)) else []

    def unit_of(self, values: Iterable[float]) -> str:
        """The unit for an axis that holds these values."""
        return self.unit_above_1 or self.unit if max(values, default=0) > 1 else self.unit


def _of_answers(name: str) -> Callable[[Result], float | None]:
    return lambda result: counted_error(getattr(result.answers, name), result) if result.answers else None


def counted_error(share: float | None, result: Result) -> float | None:
    """An error in shares of n, at least `LEAST_ERROR`."""
    return None if share is None else max(share, LEAST_ERROR / result.n)


def _records_off(result: Result) -> float | None:
    return max(result.answers.mean_error * result.n, LEAST_ERROR) if result.answers else None


def _squared_error(result: Result) -> float | None:
    return max(result.answers.mean_squared_error, LEAST_ERROR**2) if result.answers else None


METRICS = {
    metric.name: metric
    for metric in (
        Metric("Records off per count", "records off per count", "records off per count", _records_off),
        Metric(
            "Mean TV",
            "mean total variation of a marginal",
            "mean total variation, 0 to 1",
            _of_answers("mean_tv"),
            unit_above_1="mean total variation; noisy answers can exceed 1",
        ),
        Metric("Max error", "largest error of an answer", "largest error, share of n", _of_answers("max_error")),
        Metric("Squared error", "mean squared error", "records² per query", _squared_error),
        Metric(
            "Relative entropy", "relative entropy", "relative entropy, nats", lambda result: result.relative_entropy
        ),
    )
}


def metric_names(tabular: bool) -> list[str]:
    """The metrics of a workload. Total variation needs whole marginals, as `tabular` workloads have."""
    return [name for name in METRICS if tabular or name != "Mean TV"]


def rows_error(result: Result) -> float | None:
    """The error of the synthetic rows: their mean total variation where there are marginals, else records off."""
    errors = result.rows
    if errors is None:
        return None
    if errors.mean_tv is None:
        return max(errors.mean_error * result.n, LEAST_ERROR)
    return counted_error(errors.mean_tv, result)
