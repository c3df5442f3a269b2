"""Settings of MWEM that carry names: the paper's experiments to the letter, what serves best today, and two heirs."""

import math
from collections.abc import Callable
from typing import Any

from mwem_core.mwem.mwem import MWEM, Rounds
from mwem_core.mwem.rules import MOST_CELLS, _candidates, cells_by_rule, one_way_by_rule, rounds_by_rule, split_by_rule
from mwem_core.workload.workload import Workload

MEGABYTE = 2**17  # cells of eight bytes
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


def _whole(workload: Workload, name: str) -> None:
    if not workload.tabular:
        raise ValueError(f"{name} measures whole marginals: ask for marginals or cuboids, not {workload.family}")


PRESETS: dict[str, Callable[..., MWEM]] = {"default": default, "paper": paper}
