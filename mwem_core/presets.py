"""Two settings of MWEM that carry names: the paper's experiments to the letter, and what serves best today."""

from collections.abc import Callable
from typing import Literal

from mwem_core.mwem import MWEM
from mwem_core.workload import Workload

Rounds = int | Literal["theorem", "adaptive"]


def paper(workload: Workload, *, n: float, epsilon: float, delta: float = 0.0, T: Rounds | None = None) -> MWEM:  # noqa: ARG001
    """The experiments of 2012: half of a round to select, 100 sweeps in order, no repeats, the last A (Figure 8).

    Cuboids are selected whole, less their number of cells (section 3.3). The paper chose T by hand for each
    experiment; 10 is what its range queries used. `n` is not read: both presets are called alike.
    """
    whole = workload.family == "cuboids"
    candidates = len(workload.sets) if whole else workload.size
    return MWEM(
        epsilon=epsilon,
        delta=delta,
        T=min(10, candidates) if T is None else T,
        select="tables" if whole else "queries",
        penalty="cells" if whole else "none",
        cell_budget=2**22,
    )


def default(workload: Workload, *, n: float, epsilon: float, delta: float = 0.0, T: Rounds | None = None) -> MWEM:
    """Whole marginals, expected-noise penalty, replay to convergence; T and the split by a public rule."""
    whole = workload.tabular
    candidates = len(workload.sets) if whole else workload.size
    return MWEM(
        epsilon=epsilon,
        delta=delta,
        T=min(12, candidates) if T is None else T,
        select="tables" if whole else "queries",
        penalty="noise" if whole else "none",
        split=0.1,
        step=3.0 if whole else 0.5,
        tolerance=1e-4,
        in_order=False,
        cell_budget=10**5 if whole else 10**6,
    )


PRESETS: dict[str, Callable[..., MWEM]] = {"default": default, "paper": paper}
