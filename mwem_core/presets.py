"""Settings of MWEM that carry names: the paper's experiments to the letter, what serves best today, and two heirs."""

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from mwem_core.budget import Guarantee
from mwem_core.candidates import closure
from mwem_core.mwem import MWEM
from mwem_core.workload import Workload

Rounds = int | Literal["theorem", "adaptive"]
MEGABYTE = 2**17  # cells of eight bytes
FEW_CELLS, MOST_CELLS = 10**5, 10**6  # that the default preset lets a model hold
# A fit close enough for annealing to tell what a round taught from what the replay before it left undone.
FITTED: dict[str, Any] = {"step": 3.0, "sweeps": 100, "tolerance": 0.001, "in_order": False}


def paper(workload: Workload, *, n: float, epsilon: float, delta: float = 0.0, T: Rounds | None = None) -> MWEM:  # noqa: ARG001
    """The experiments of 2012: half of a round to select, 100 sweeps in order, no repeats, the last A (Figure 8).

    Cuboids are selected whole, less their number of cells (section 3.3). The paper chose T by hand for each
    experiment: without one this takes 10. `n` is not read; both presets are called alike.
    """
    whole = workload.family == "cuboids"
    return MWEM(
        epsilon=epsilon,
        delta=delta,
        T=min(10, _candidates(workload, whole)) if T is None else T,
        select="tables" if whole else "queries",
        penalty="cells" if whole else "none",
        cell_budget=2**22,
    )


def default(workload: Workload, *, n: float, epsilon: float, delta: float = 0.0, T: Rounds | None = None) -> MWEM:
    """Whole marginals, expected-noise penalty, replay to convergence with the larger step; the rest by rule.

    The rules for T, what comes first, the split and the model's cells read public numbers only: n, ε, |Q| and the
    tables' sizes. Where one-way marginals come first, half of the rounds follow; a T that is given counts both, and
    where it leaves no round after them they do not come first. A step of 3 is near the largest that cannot overshoot:
    on a table's shares p the error moves by diag(p) - ppᵀ, whose largest eigenvalue is at most 1/2, and a step below 4
    then shrinks it; of a single query it moves by q's variance, at most 1 for parities and 1/4 for counts.
    Replay rests once two sweeps and a leap gain no more than a hundredth of the noise: closer fits take longer and
    serve no better (on Adult the exact optimum serves worse).
    """
    whole = workload.tabular
    rule = rounds_by_rule(workload, n=n, epsilon=epsilon, delta=delta)
    ones = one_way_by_rule(workload, rule)
    if ones:
        rule = ones + math.ceil(rule / 2)
    rounds = rule if T is None else T
    fixed = rounds if isinstance(rounds, int) else rule
    return MWEM(
        epsilon=epsilon,
        delta=delta,
        T=rounds,
        select="tables" if whole else "queries",
        penalty="noise" if whole else "none",
        first="one-way" if ones and isinstance(rounds, int) and rounds > ones else "none",
        split=split_by_rule(workload, fixed),
        step=3.0 if whole else 1.0 if workload.family == "parities" else 2.0,
        sweeps=60,
        tolerance=0.01,
        in_order=False,
        cell_budget=cells_by_rule(fixed, n=n, epsilon=epsilon, delta=delta) if whole else MOST_CELLS,
    )


def mwem_pgm(workload: Workload, *, n: float, epsilon: float, delta: float = 0.0, T: Rounds | None = None) -> MWEM:  # noqa: ARG001
    """MWEM+PGM (McKenna, Sheldon & Miklau 2019): a whole marginal a round, as many rounds as attributes.

    A tenth of a round's budget selects, scores are less the number of cells, and the model grows to 25 MB. Its fit of
    greatest entropy is where replay from uniform ends.
    Raises ValueError for a workload of other than whole marginals. `n` is not read.
    """
    _whole(workload, "MWEM+PGM")
    return MWEM(
        epsilon=epsilon,
        delta=delta,
        T=min(len(workload.domain), workload.parts) if T is None else T,
        select="tables",
        penalty="cells",
        split=0.1,
        repeats=True,
        cell_budget=25 * MEGABYTE,
        **FITTED,
    )


def aim(workload: Workload, *, n: float, epsilon: float, delta: float = 0.0, T: Rounds | None = None) -> MWEM:  # noqa: ARG001
    """AIM (McKenna, Mullins, Sheldon & Miklau 2022), every piece of it a setting of the loop.

    One-way marginals first; candidates are the workload's downward closure, by overlap and less the noise they would
    get; a tenth of a round's budget selects; room for 16 rounds an attribute, which annealing spends sooner; the model
    grows to 80 MB. A domain that is no larger than that is not held back.
    Raises ValueError for a workload of other than whole marginals, and for δ = 0: it runs under zCDP. `n` is not read.
    """
    _whole(workload, "AIM")
    if delta == 0:
        raise ValueError("AIM runs under zCDP, which needs a delta above 0: choose one well below 1/n")
    return MWEM(
        epsilon=epsilon,
        delta=delta,
        T=16 * len(workload.domain) if T is None else T,
        select="tables",
        penalty="noise",
        candidates="closure",
        first="one-way",
        annealing=True,
        split=0.1,
        repeats=True,
        cell_budget=80 * MEGABYTE,
        **FITTED,
    )


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
    d, k = closure(workload, most=1).parts, _order(workload)
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


def _whole(workload: Workload, name: str) -> None:
    if not workload.tabular:
        raise ValueError(f"{name} measures whole marginals: ask for marginals or cuboids, not {workload.family}")


def _order(workload: Workload) -> float:
    """Attributes of a table of the workload, in the mean."""
    return sum(block.sets.size for block in workload.blocks) / workload.parts


def _mean_cells(workload: Workload) -> float:
    """Cells of a table of the workload, in the geometric mean."""
    return float(np.exp(np.log(workload.part_cells).mean()))


def _candidates(workload: Workload, whole: bool) -> int:
    return workload.parts if whole else workload.size


PRESETS: dict[str, Callable[..., MWEM]] = {"default": default, "paper": paper}
