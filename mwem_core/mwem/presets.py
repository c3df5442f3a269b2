"""Settings by name: MWEM by public rules, the automatic choice, the paper's experiments, and its Figure 1."""

import math
from dataclasses import replace

from mwem_core.algorithm import Algorithm
from mwem_core.base import check_kind, check_positive, fitted
from mwem_core.encoding import PublicTable
from mwem_core.mwem.candidates import Queries, Tables, candidate_count
from mwem_core.mwem.costs import relative_costs
from mwem_core.mwem.mwem import MWEM, Rounds
from mwem_core.mwem.rules import (
    cells_by_rule,
    cells_that_pay,
    one_way_by_rule,
    round_shares,
    rounds_by_rule,
    rounds_in_time,
    split_by_rule,
)
from mwem_core.mwem.start import PublicStart
from mwem_core.mwem.updates import Implicit, Newest, Replay
from mwem_core.privacy import Guarantee
from mwem_core.workload import Workload, are_large, rows_hold, tables_of

CELLS_2012 = 2**22  # that the model may hold in the settings of 2012, which had no limit
QUERY_CELLS = 10**6  # that MWEM's model may hold where single queries are selected
MEGABYTE = 2**17  # cells of eight bytes
LARGE_TREE = 10**6  # cells; where so many would pay, weighted records take over early
REPLAY = Replay(step=3.0, sweeps=60, tolerance=0.01, in_order=False)
# A close fit: annealing then sees what a round taught, and not what the replay before it left undone.
CLOSE_FIT = Replay(step=3.0, sweeps=100, tolerance=0.001, in_order=False)


def mwem_by_rule(
    workload: Workload,
    *,
    n: float,
    epsilon: float,
    delta: float = 0.0,
    T: Rounds | None = None,
    public: PublicTable | None = None,
) -> MWEM:
    """MWEM: T rounds that select, measure and update; what is not given is chosen by public rules.

    Rounds select whole marginals where the workload has them, and single queries of ranges, predicates and parities.
    At a small ε the first rounds may measure the one-way marginals, which are not selected.
    Raises ValueError for an n that is not above zero.

    Whole marginals cost their expected noise, and single queries beside them too. At δ = 0 selections are by
    permute-and-flip, whose mean loss is never larger than the exponential mechanism's.

    Measurements cost by their cells (`mwem.costs`), and the rule's T is divided by what they cost in the mean; not for
    large tables, nor where one-way marginals come first.

    The rules in `mwem.rules` read public numbers only. If one-way marginals come first, half of the rule's T follow
    them. No more rounds select than take seconds, unless T is given. A given T counts both; if it is less than they
    need, they do not come first.

    Whole marginals are updated implicitly (`mwem.updates`). Other workloads are replayed until the fit has converged.
    There, and from a public table, a step of 3 is near the largest that cannot overshoot: on a table's shares p the
    error moves by diag(p) - ppᵀ, whose largest eigenvalue is at most 1/2, so a step below 4 shrinks it. The error of a
    single query moves by q's variance, at most 1 for parities and 1/4 for counts. A replay stops once two sweeps and a
    leap gain no more than a hundredth of the noise. Closer fits take longer and are no better.
    """
    check_records(workload, n)
    tables = bool(workload.whole.any())
    numbers = {"n": n, "epsilon": epsilon, "delta": delta}
    rule, most = rounds_by_rule(workload, **numbers), rounds_in_time(workload)
    shares = round_shares(workload, **numbers) if workload.terms else None
    one_way = one_way_by_rule(workload, min(rule, most))
    by_cells = workload.tabular and not one_way and not are_large(workload)
    if by_cells:
        rule = max(1, round(rule / relative_costs(workload, Guarantee(epsilon, delta).budget.unit).mean()))
    rule = one_way + min(math.ceil(rule / 2), most) if one_way else min(rule, most)
    rounds = rule if T is None else T
    fixed = rounds if isinstance(rounds, int) else rule
    rows_early = tables and cells_that_pay(fixed, **numbers) >= LARGE_TREE and rows_hold(tables_of(workload))
    first = bool(one_way) and isinstance(rounds, int) and rounds >= one_way
    near_prior = workload.tabular or workload.family == "parities"
    settings = MWEM(
        epsilon=epsilon,
        delta=delta,
        T=rounds,
        candidates=Tables(penalty="noise", by_cells=by_cells, one_way_first=first)
        if tables
        else Queries(one_way_first=first),
        selection="permute-and-flip" if delta == 0 else "exponential",
        split=split_by_rule(workload, fixed, shares=shares),
        update=Implicit(near_prior=True)
        if workload.tabular
        else replace(REPLAY, step=_step(workload), near_prior=near_prior),
        cell_budget=cells_by_rule(fixed, **numbers) if tables else QUERY_CELLS,
        rows_from=fitted.ROWS_FROM if rows_early else 1.0,
    )
    return settings if public is None else starting_from_table(settings, public)


def starting_from_table(settings: MWEM, public: PublicTable) -> MWEM:
    """The settings with this start; an implicit update, which has no prior towards it, becomes a replay."""
    update = settings.update
    if isinstance(update, Implicit):
        update = replace(REPLAY, near_prior=update.near_prior)
    return replace(settings, start=PublicStart(public), update=update)


def check_records(workload: Workload, n: float) -> None:
    """Raises ValueError for what is no workload, and for an n that is not above zero."""
    check_kind(workload, Workload, "settings are for a workload, as parse_workload makes it")
    check_positive(n=n)


def _step(workload: Workload) -> float:
    """That of the replay; of a mixed workload the smallest of its terms', which overshoots for none of them."""
    if workload.terms:
        return min(_step(term.workload) for term in workload.terms)
    return 3.0 if workload.tabular else 1.0 if workload.family == "parities" else 2.0


def paper(workload: Workload, *, epsilon: float, delta: float = 0.0, T: Rounds | None = None) -> MWEM:
    """The experiments of 2012: half of a round's budget selects, 100 sweeps in order, no repeats, A_T (Figure 8).

    Cuboids are selected as whole tables; their number of cells is subtracted from the score (section 3.3); so are the
    marginals beside them in a mixed workload, and a single query has one cell. The paper chose T by hand for each
    experiment; the default here is 10.
    """
    tables = "cuboids" in (workload.family, *(term.workload.family for term in workload.terms))
    return MWEM(
        epsilon=epsilon,
        delta=delta,
        T=min(10, candidate_count(workload, tables=tables)) if T is None else T,
        candidates=Tables(penalty="cells") if tables else Queries(),
        cell_budget=CELLS_2012,
    )


def figure_1(*, epsilon: float, delta: float = 0.0, T: Rounds | None = None) -> MWEM:
    """Figure 1 to the letter, which Theorem 2.3 is about: each round updates by its own measurement alone.

    Single queries, which may be selected again; half of a round's budget selects; the output is the average of
    A_0 .. A_{T-1}. The default T makes the theorem's bound least.
    """
    T = "theorem" if T is None else T
    return MWEM(
        epsilon=epsilon, delta=delta, T=T, repeats=True, update=Newest(), output="average", cell_budget=CELLS_2012
    )


def is_figure_1(settings: Algorithm) -> bool:
    """Whether these are the settings of Figure 1 under ε, at any T: Theorem 2.3 is about no others."""
    return isinstance(settings, MWEM) and settings == replace(figure_1(epsilon=settings.epsilon), T=settings.T)


def require_tables(workload: Workload, system: str) -> None:
    """Raises ValueError for a workload that is not of whole marginals."""
    if not workload.tabular:
        raise ValueError(f"{system} measures whole marginals: ask for marginals or cuboids, not {workload.families}")
