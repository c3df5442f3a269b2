"""The automatic choice: of MWEM's rounds, of one planned measurement, and of nothing, what is expected to err least."""

from dataclasses import replace
from functools import partial

from mwem_core.algorithm import Algorithm
from mwem_core.automatic.choice import best_plan, with_parts_apart
from mwem_core.automatic.composed.apart import apart, asks_apart
from mwem_core.automatic.expected_ranges import best_range_plan
from mwem_core.automatic.planned.hierarchy import serves
from mwem_core.data.public_table import PublicTable
from mwem_core.mwem.mwem import MWEM
from mwem_core.mwem.presets import check_records, mwem_by_rule
from mwem_core.workload.closure import lower
from mwem_core.workload.workload import Workload


def default(
    workload: Workload,
    *,
    n: float,
    epsilon: float,
    delta: float = 0.0,
    noisy_n: bool = False,
    public: PublicTable | None = None,
) -> MWEM:
    """The automatic choice: of MWEM's rounds and of all plans, what is expected to err least (`mwem.expected`).

    There are plans for whole marginals, parities and predicates, and for ranges of one or two attributes; they measure
    once and select nothing. Where marginals of more than two attributes are asked, those of one attribute fewer may be
    measured (`mwem.expected_lower`).

    Plans with Laplace noise compete at δ > 0 too, because (ε, 0) implies (ε, δ); the settings then have δ = 0. They do
    not for a noisy n: what the run spends, ε or ρ, was settled before n was measured.

    Ranges and predicates beside other terms are measured by themselves, after the choice for those terms, where that is
    expected to err less (`mwem.asked`).

    A run from a `public` table selects ranges, because their plan could not start from it.
    Raises ValueError for an n that is not above zero.
    """
    check_records(n)
    of_ranges = workload.family == "ranges"
    if of_ranges and (public is not None or not serves(workload)):
        return mwem_by_rule(workload, n=n, epsilon=epsilon, delta=delta, public=public)
    measured = {"workload": workload}
    if workload.tabular and max(block.sets.shape[1] for block in workload.blocks) > 2:
        measured = {"lower": lower(workload), **measured}
    deltas = sorted({delta} if noisy_n else {0.0, delta})
    selecting = [
        replace(mwem_by_rule(Q, n=n, epsilon=epsilon, delta=d), candidates=candidates)
        for candidates, Q in measured.items()
        for d in deltas
    ]
    best = (best_range_plan if of_ranges else best_plan)(selecting, workload, n)
    if asks_apart(workload) and (public is None or not serves(apart(workload)[0])):
        on_first = partial(default, apart(workload)[0], n=n, noisy_n=noisy_n)
        best = with_parts_apart(best, on_first, workload, n, deltas)
    return replace(best, public=public)


def starting_from(settings: Algorithm, public: PublicTable | None, *, title: str) -> Algorithm:
    """The settings with this start. Raises ValueError for those of a system that starts from no table."""
    if public is None:
        return settings
    if not isinstance(settings, MWEM):
        raise ValueError(f"{title} starts from no table: leave the public table out, or choose MWEM")
    return replace(settings, public=public)
