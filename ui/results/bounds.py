"""What theory says of errors over ε, as lines on a chart. They read no record but their public number."""

from collections.abc import Sequence
from dataclasses import dataclass

from mwem_core.matrix.svd_bound import svd_bound
from mwem_core.mwem.theorem import best_rounds, theorem_bound
from mwem_core.workload.workload import Workload
from ui.results.metrics import Metric


@dataclass(frozen=True)
class Bound:
    """What it is called, its (ε, error) points, and what it says in a sentence."""

    name: str
    points: tuple[tuple[float, float], ...]
    says: str


def bound_on(
    metric: Metric, workload: Workload, *, n: int, epsilons: Sequence[float], delta: float, T: int | None
) -> Bound | None:
    """The one there is for this metric: Theorem 2.3's for max error at δ = 0, the SVD bound for squared error at δ > 0.

    `T` is the rounds of the theorem, by default the best for it. None where nothing is promised.
    """
    if metric.name == "Max error" and not delta:
        return _theorem(workload, n, epsilons, T)
    if metric.name == "Squared error" and delta:
        return _svd(workload, epsilons, delta)
    return None


def _theorem(workload: Workload, n: int, epsilons: Sequence[float], T: int | None) -> Bound | None:
    if workload.size < 2:
        return None
    of = {"n": n, "domain_size": workload.domain.size, "queries": workload.size}
    every = [(e, theorem_bound(rounds=T or best_rounds(epsilon=e, **of), epsilon=e, **of) / n) for e in epsilons]
    said = "Theorem 2.3 is about MWEM by single queries with its average as output: as a rule it errs by no more."
    points = tuple((epsilon, bound) for epsilon, bound in every if bound < 1)
    return Bound("Theorem 2.3", points, said) if points else None


def _svd(workload: Workload, epsilons: Sequence[float], delta: float) -> Bound | None:
    try:
        points = tuple(
            (epsilon, svd_bound(workload, epsilon=epsilon, delta=delta, total_public=True)) for epsilon in epsilons
        )
    except ValueError:  # too large a workload
        return None
    said = (
        "The SVD bound: in the mean over seeds, which lies a little above a line, no Gaussian noise chosen from the "
        "questions alone errs by less; who chooses by the data, or mends impossible answers, can."
    )
    return Bound("SVD bound", points, said)
