"""The automatic choice: of MWEM's rounds, of one planned measurement, and of nothing, what is expected to err least."""

from dataclasses import replace
from functools import partial

from mwem_core.algorithm import Algorithm
from mwem_core.automatic.choice import Choice, best_plan, with_parts_apart
from mwem_core.automatic.composed.apart import Apart, has_later_parts, parts_of
from mwem_core.automatic.composed.staged import Staged
from mwem_core.automatic.expected_ranges import best_range_plan
from mwem_core.automatic.planned.hierarchy import serves
from mwem_core.automatic.planned.public_model import PublicStart, started_from
from mwem_core.automatic.planned.refining import Halvings
from mwem_core.automatic.rules import check_records, mwem_by_rule, starting_from_table
from mwem_core.domain import PublicTable
from mwem_core.model import LogLinear
from mwem_core.mwem import MWEM, Tables
from mwem_core.prior import MAX_FITTED_CELLS
from mwem_core.workload import Workload, lower


def default(
    workload: Workload,
    *,
    n: float,
    epsilon: float,
    delta: float = 0.0,
    noisy_n: bool = False,
    public: PublicTable | None = None,
) -> Choice | Apart:
    """The automatic choice: of MWEM's rounds and of all plans, what is expected to err least (`expected`).

    There are plans for whole marginals, parities and predicates, and for ranges of one or two attributes; they measure
    once and select nothing. Where marginals of more than two attributes are asked, those of one attribute fewer may be
    measured (`expected_lower`).

    Plans with Laplace noise compete at δ > 0 too, because (ε, 0) implies (ε, δ); the settings then have δ = 0. They do
    not for a noisy n: what the run spends, ε or ρ, was settled before n was measured.

    Ranges and predicates beside other terms are measured by themselves, after the choice for those terms, where that is
    expected to err less (`composed.apart`).

    A run from a `public` table selects ranges, because their plan could not start from it.
    Raises ValueError for an n that is not above zero.
    """
    check_records(workload, n)
    of_ranges = workload.family == "ranges"
    if of_ranges and (public is not None or not serves(workload)):
        return mwem_by_rule(workload, n=n, epsilon=epsilon, delta=delta, public=public)
    deltas = sorted({delta} if noisy_n else {0.0, delta})
    by_rule = [(Q, mwem_by_rule(Q, n=n, epsilon=epsilon, delta=d)) for Q in _measurable(workload) for d in deltas]
    selecting = [settings if Q is workload else _of_lower(settings) for Q, settings in by_rule]
    best = (best_range_plan if of_ranges else best_plan)(selecting, workload, n)
    if has_later_parts(workload) and (public is None or not serves(parts_of(workload)[0])):
        on_first = partial(default, parts_of(workload)[0], n=n, noisy_n=noisy_n)
        best = with_parts_apart(best, on_first, workload, n, deltas)
    return best if public is None else from_table(best, public)


def _measurable(workload: Workload) -> list[Workload]:
    """What may be measured: the workload, and before it marginals of one attribute fewer, where it has larger ones."""
    large = workload.tabular and max(block.sets.shape[1] for block in workload.blocks) > 2
    return [lower(workload), workload] if large else [workload]


def _of_lower(settings: MWEM) -> MWEM:
    """The settings of a rule for the lower marginals of a workload, as settings for the workload itself."""
    assert isinstance(settings.candidates, Tables)
    return replace(settings, candidates=replace(settings.candidates, within="lower"))


def from_table(settings: Choice | Apart, public: PublicTable) -> Choice | Apart:
    """The settings with this start. Rounds are then replayed, with a prior towards it.

    Raises ValueError for halvings, which start uniform.
    """
    if isinstance(settings, Apart):
        return replace(settings, first=from_table(settings.first, public))
    if isinstance(settings, Staged):
        return replace(settings, then=starting_from_table(settings.then, public))
    if isinstance(settings, Halvings):
        raise ValueError(
            "counts of intervals start from no table: leave the public table out, or choose MWEM, which selects ranges"
        )
    if isinstance(settings, MWEM):
        return starting_from_table(settings, public)
    return replace(settings, start=PublicStart(public))


def starting_from(settings: Algorithm, public: PublicTable, *, title: str) -> Algorithm:
    """The settings with this start. Raises ValueError for those of a system that starts from no table."""
    if not isinstance(settings, Choice | Apart):
        raise ValueError(f"{title} starts from no table: leave the public table out, or choose MWEM")
    return from_table(settings, public)


def public_start(settings: Algorithm) -> PublicTable | None:
    """The public table that these settings start from, if they do."""
    alone = settings.first if isinstance(settings, Apart) else settings
    start = getattr(alone.then if isinstance(alone, Staged) else alone, "start", None)
    return start.table if isinstance(start, PublicStart) else None


def first_model(settings: Algorithm, Q: Workload, n: float) -> LogLinear:
    """A_0 of n records before a look at the private table: uniform, or fitted to the public one."""
    if (table := public_start(settings)) is None:
        return LogLinear.uniform(Q.domain.shape, n, Q.domain.possible)
    return started_from(table, Q, n, settings.cell_budget if isinstance(settings, MWEM) else MAX_FITTED_CELLS)
