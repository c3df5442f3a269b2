"""Public rules for the settings of MWEM's default preset: they read n, ε, δ and the workload, never the data."""

import math

import numpy as np

from mwem_core.privacy.budget import Guarantee
from mwem_core.workload.closure import closure
from mwem_core.workload.workload import Workload

FEW_CELLS, MOST_CELLS = 10**5, 10**6  # that the default preset lets a model hold


def rounds_by_rule(workload: Workload, *, n: float, epsilon: float, delta: float = 0.0) -> int:
    """A public rule for T, fitted to where error was least on five tables, two workloads and four ε each.

    Marginals: T = 0.6 d (nε)^(1/3) / (k √(k s)), for d attributes of s values in the geometric mean, k at a time:
    more records or budget afford more rounds, larger tables want fewer. `benchmarks/preset_rule.py` repeats the fit.
    Single queries: T = 0.6 (nε)^(1/3), from ranges over capital-loss at three ε, and 1.7 for parities, of two tables
    at four. Under zCDP the ε is that of Laplace noise as large as a round's Gaussian.
    """
    whole = workload.tabular
    if whole:
        k = _order(workload)
        s = math.exp(sum(math.log(size) for size in workload.domain.shape) / len(workload.domain))
        rate = 0.6 * len(workload.domain) / (k * math.sqrt(k * s))
    else:
        rate = 1.7 if workload.family == "parities" else 0.6
    budget = Guarantee(epsilon, delta).budget
    if budget.unit == "ε":
        rounds = rate * (n * epsilon) ** (1 / 3)
    else:  # σ = √(T / 2ρ) is Laplace's b = T / ε at ε = √(2ρT)
        rounds = (rate * (n * math.sqrt(2 * budget.amount)) ** (1 / 3)) ** (6 / 5)
    return max(1, min(math.ceil(rounds), _candidates(workload, whole)))


def one_way_by_rule(workload: Workload, T: int) -> int:
    """A public rule for how many one-way marginals come before whole ones: one of each attribute asked about, or none.

    They come first where T rounds of k attributes would not reach each of the d attributes twice, kT < 2d, and the
    domain's have more than three values in the geometric mean: tables that hold a large attribute then look too noisy
    to choose, and it would stay uniform. Of 14 attributes of Adult three at a time this more than halves the error at
    ε = 0.1. Where attributes have two or three values their tables hardly cost more, and it may lose.
    """
    large = workload.domain.size > 3 ** len(workload.domain)
    if not (workload.tabular and large and T < workload.parts):
        return 0
    d, k = closure(workload, max_order=1).parts, _order(workload)
    return d if k > 1 and k * T < 2 * d else 0


def split_by_rule(workload: Workload, T: int) -> float:
    """A public rule for the share that selects: √ln|C| against 2√g, for |C| candidates of g cells (geometric mean).

    Choosing among |C| candidates errs in proportion to ln|C|, measuring a table to its g cells; a budget split between
    two such errors is best split by their square roots. Of parities, g = 1, all of which T rounds may measure, it is
    ln(|C|/T): what it takes to single out T of them. Ranges overlap, and take 0.3, fitted with the rounds.
    """
    if workload.tabular:
        choosing, measuring = math.log(max(2, workload.parts)), 2 * math.sqrt(_mean_cells(workload))
    elif workload.family == "parities":
        choosing, measuring = math.log(max(1.5, workload.size / T)), 2.0
    else:
        return 0.3
    return math.sqrt(choosing) / (math.sqrt(choosing) + measuring)


def cells_by_rule(T: int, *, n: float, epsilon: float, delta: float = 0.0) -> int:
    """A public rule for the cells that a model of whole marginals may hold: 2nε, at least 10^5 and at most 10^6.

    A larger model links more marginals, takes longer, and serves where the noise is small enough to tell: on Adult
    10^5 cells lose nothing at ε = 1, a tenth at 3 and a third at 10, where 10^6 take 2 to 3 s. Under zCDP the ε is
    that of Laplace noise as large as a round's Gaussian.
    """
    budget = Guarantee(epsilon, delta).budget
    laplace = epsilon if budget.unit == "ε" else math.sqrt(2 * budget.amount * T)
    return round(min(max(FEW_CELLS, 2 * n * laplace), MOST_CELLS))


def _order(workload: Workload) -> float:
    """Attributes of a table of the workload, in the mean."""
    return sum(block.sets.size for block in workload.blocks) / workload.parts


def _mean_cells(workload: Workload) -> float:
    """Cells of a table of the workload, in the geometric mean."""
    return float(np.exp(np.log(workload.part_cells).mean()))


def _candidates(workload: Workload, whole: bool) -> int:
    return workload.parts if whole else workload.size
