"""Theoretical bounds on error over ε, as lines on a chart. They read the public number of records and no record."""

from collections.abc import Sequence
from dataclasses import dataclass

from mwem_app.base import three_digits
from mwem_app.compare.metrics import Metric
from mwem_core.mwem import BETA, NAME, best_rounds, theorem_bound
from mwem_core.workload import Workload, svd_bound


@dataclass(frozen=True)
class Bound:
    """A named bound: its (ε, error) points, and an explanation in a sentence or two."""

    name: str
    points: tuple[tuple[float, float], ...]
    explanation: str

    @property
    def has_line(self) -> bool:
        """Whether the bound can be drawn: a line needs two points."""
        return len(self.points) > 1

    @property
    def in_words(self) -> str:
        """The explanation; a bound without a line gives its value here."""
        if self.has_line:
            return self.explanation
        ((epsilon, error),) = self.points
        return f"{self.explanation} It is {three_digits(error)} at ε = {epsilon:g}, the only ε here with a bound."


def bound_on(
    metric: Metric, workload: Workload, *, n: int, epsilons: Sequence[float], delta: float, T: int | None
) -> Bound | None:
    """The bound on a metric: Theorem 2.3 for max error at δ = 0, the SVD bound for squared error at δ > 0.

    `T` is the number of rounds in Theorem 2.3; None stands for the T with the smallest bound. None where no bound
    applies, and where none is below 1.
    """
    if metric.name == "Max error" and not delta:
        return _theorem(workload, n, epsilons, T)
    if metric.name == "Squared error" and delta:
        return _svd(workload, epsilons, delta)
    return None


def _theorem(workload: Workload, n: int, epsilons: Sequence[float], T: int | None) -> Bound | None:
    sizes = {"n": n, "domain_size": workload.domain.size, "queries": workload.size}
    bounds = [(e, theorem_bound(rounds=T or best_rounds(epsilon=e, **sizes), epsilon=e, **sizes) / n) for e in epsilons]
    points = tuple((epsilon, bound) for epsilon, bound in bounds if bound < 1)
    rounds = f"T = {T}" if T else "the T that makes the bound least"
    explanation = (
        f"Theorem 2.3: with a probability of at least {1 - BETA:.0%}, the max error of Figure 1's MWEM at {rounds} is "
        "at most this bound. Figure 1 measures single queries, and gives out the average of its models."
    )
    return Bound(NAME, points, explanation) if points else None


def _svd(workload: Workload, epsilons: Sequence[float], delta: float) -> Bound | None:
    try:
        points = tuple(
            (epsilon, svd_bound(workload, epsilon=epsilon, delta=delta, total_public=True)) for epsilon in epsilons
        )
    except ValueError:  # the workload is too large
        return None
    explanation = (
        "The SVD bound is a lower bound on the mean error over seeds, which lies a little above a line of geometric "
        "means. It holds for Gaussian noise that is chosen from the queries alone. Systems that choose by the data, or "
        "correct inconsistent answers, can err less."
    )
    return Bound("SVD bound", points, explanation)
