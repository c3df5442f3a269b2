"""MWEM by public rules for its settings: they read n, ε, δ and the workload, never the data.

Under zCDP, "ε" in a rule is the ε of Laplace noise as large as a round's Gaussian noise.
"""

import math
from dataclasses import replace

import numpy as np

from mwem_core.automatic.public_model import PublicStart
from mwem_core.base import check_kind, check_positive, constants
from mwem_core.domain import PublicTable
from mwem_core.mwem import MWEM, REPLAY, Queries, Rounds, Tables, UniformStart, candidate_count
from mwem_core.privacy import Guarantee
from mwem_core.workload import Workload, are_large, closure, relative_costs, rows_hold, tables_of

QUERY_CELLS = 10**6  # that MWEM's model may hold where single queries are selected
LARGE_TREE = 10**6  # cells; where so many would pay, weighted records take over early


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

    Measurements cost by their cells (`workload.Costs`), and the rule's T is divided by what they cost in the mean; not
    for large tables, nor where one-way marginals come first.

    The rules read public numbers only. If one-way marginals come first, half of the rule's T follow
    them. No more rounds select than take seconds, unless T is given. A given T counts both; if it is less than they
    need, they do not come first.

    What was measured is replayed until the fit has converged. For whole marginals a step of 3 is near the largest that
    cannot overshoot: on a table's shares p the
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
    rows_from = constants.ROWS_FROM if rows_early else 1.0
    near_prior = workload.tabular or workload.family == "parities"
    return MWEM(
        epsilon=epsilon,
        delta=delta,
        T=rounds,
        candidates=Tables(penalty="noise", by_cells=by_cells, one_way_first=first)
        if tables
        else Queries(one_way_first=first),
        selection="permute-and-flip" if delta == 0 else "exponential",
        split=split_by_rule(workload, fixed, shares=shares),
        start=UniformStart() if public is None else PublicStart(public),
        update=replace(REPLAY, step=_step(workload), near_prior=near_prior, rows_from=rows_from),
        cell_budget=cells_by_rule(fixed, **numbers) if tables else QUERY_CELLS,
    )


def check_records(workload: Workload, n: float) -> None:
    """Raises ValueError for what is no workload, and for an n that is not above zero."""
    check_kind(workload, Workload, "settings are for a workload, as parse_workload makes it")
    check_positive(n=n)


def _step(workload: Workload) -> float:
    """The step of the replay. A mixed workload takes the smallest of its terms' steps, so that none overshoots."""
    if workload.terms:
        return min(_step(term.workload) for term in workload.terms)
    return 3.0 if workload.tabular else 1.0 if workload.family == "parities" else 2.0


def rounds_by_rule(workload: Workload, *, n: float, epsilon: float, delta: float = 0.0) -> int:
    """T, fitted to where the error was least.

    Marginals: T = c d (nε)^(1/3) / (k √(k s)), for d attributes of s values (geometric mean), k at a time, with c of
    `ROUNDS_RATE`. More records or budget afford more rounds; larger tables want fewer.
    Single queries: T = c (nε)^(1/3), with c of `ROUNDS_RATE`, or for parities of `PARITY_ROUNDS_RATE`.
    Mixed workloads: the rounds that all terms have at their shares of the budget (`round_shares`).
    """
    if workload.terms:
        alone = _rounds_alone(workload, n=n, epsilon=epsilon, delta=delta)
        power = 3 / 2 if delta == 0 else 5 / 4
        return min(math.ceil((alone**power).sum() ** (1 / power)), candidate_count(workload, tables=True))
    if workload.tabular:
        k = _mean_order(workload)
        s = math.exp(sum(math.log(size) for size in workload.domain.shape) / len(workload.domain))
        rate = constants.ROUNDS_RATE * len(workload.domain) / (k * math.sqrt(k * s))
    else:
        rate = constants.PARITY_ROUNDS_RATE if workload.family == "parities" else constants.ROUNDS_RATE
    budget = Guarantee(epsilon, delta).budget
    if budget.unit == "ε":
        rounds = rate * (n * epsilon) ** (1 / 3)
    else:  # σ = √(T / 2ρ) is Laplace's b = T / ε at ε = √(2ρT)
        rounds = (rate * (n * math.sqrt(2 * budget.amount)) ** (1 / 3)) ** (6 / 5)
    return max(1, min(math.ceil(rounds), candidate_count(workload, tables=workload.tabular)))


def round_shares(workload: Workload, *, n: float, epsilon: float, delta: float = 0.0) -> np.ndarray:
    """The share of a mixed workload's rounds, and so of the budget, that each term is planned to take: (terms,).

    All rounds cost the same, so a term with a share s of the budget has sT of the T rounds. By `rounds_by_rule`, a term
    that pays T_i rounds at the whole budget pays T_i s^(1/3) at a share s of ε, and T_i s^(1/5) at a share s of ρ.
    Both agree where sT = T_i s^(1/3): then s is proportional to T_i^(3/2) and T = (Σ T_i^(3/2))^(2/3). Under zCDP s is
    proportional to T_i^(5/4) and T = (Σ T_i^(5/4))^(4/5). Weights decide between candidates, not how many rounds pay.
    """
    shares = _rounds_alone(workload, n=n, epsilon=epsilon, delta=delta) ** (3 / 2 if delta == 0 else 5 / 4)
    return shares / shares.sum()


def _rounds_alone(workload: Workload, *, n: float, epsilon: float, delta: float) -> np.ndarray:
    """T of each term at the whole budget: (terms,)."""
    alone = [rounds_by_rule(term.workload, n=n, epsilon=epsilon, delta=delta) for term in workload.terms]
    return np.array(alone, float)


def rounds_in_time(workload: Workload) -> int:
    """The most rounds of selection that take seconds rather than minutes, for their candidates and d attributes.

    Rounds of k attributes connect few of them before round d/2k, when half have been measured once on average. From
    then on a round prices each candidate by a triangulation, and replays a large tree; a domain that always fits into
    one table has no such rounds. Marginals that are too large for any model are not counted.
    """
    counted = workload.size
    if workload.whole.any():
        holdable = ~workload.whole | (workload.part_cells <= constants.MIN_DEFAULT_CELLS)
        counted = max(1, int(workload.query_counts[holdable].sum()))
    scored = constants.MAX_SCORED // counted
    if workload.domain.size <= constants.MIN_DEFAULT_CELLS:
        return max(1, scored)
    return max(1, min(scored, int(rounds_apart(workload) + constants.MAX_PRICED / workload.parts)))


def rounds_apart(workload: Workload) -> float:
    """The number of rounds of selection that connect few attributes, d/2k; a domain that fits one table has no others.

    >>> from mwem_core import Domain, parse_workload
    >>> bit = Domain.from_toml('[[attribute]] \\n name = "a" \\n values = ["0", "1"]')
    >>> rounds_apart(parse_workload("marginals:1", bit))
    inf
    """
    if workload.domain.size <= constants.MIN_DEFAULT_CELLS:
        return math.inf
    return len(workload.domain) / (2 * _mean_order(workload))


def one_way_by_rule(workload: Workload, T: int) -> int:
    """The number of one-way marginals measured first: one for each attribute that the workload reads, or none.

    They come first if T rounds of k attributes do not reach each of the d attributes twice (kT < 2d), unless the rounds
    measure tables of at most three values per attribute (geometric mean). A table with a large attribute looks too
    noisy to select, and the attribute would stay uniform. With two or three values a larger table costs hardly more,
    and they may lose. A parity of several bits says nothing of each.

    Where time allows no more than T rounds, they come first for small tables too: so few rounds would leave attributes
    uniform.
    """
    small_tables = workload.tabular and workload.domain.size <= 3 ** len(workload.domain)
    small_tables = small_tables and T < rounds_in_time(workload)
    if not workload.has_residuals or small_tables or T >= workload.parts:
        return 0
    d, k = closure(workload, max_order=1).parts, _mean_order(workload)
    return d if k > 1 and k * T < 2 * d else 0


def split_by_rule(workload: Workload, T: int, *, shares: np.ndarray | None = None) -> float:
    """The share of a round's budget for selection: √ln|C| to 2√g, for |C| candidates of g cells (geometric mean).

    The error of a selection among |C| candidates grows with ln|C|, that of a measurement with g. A budget split between
    two such errors is best split in proportion to their square roots. Parities have g = 1, and T rounds may measure
    all of them, so ln(|C|/T) takes the place of ln|C|: the cost of singling out T of them. Ranges overlap; their share
    is `RANGES_SPLIT`, fitted together with T.
    In a mixed workload it is the mean over the rounds, each of which serves one term: those terms have these `shares`.
    """
    if shares is not None:
        own = zip(workload.terms, shares, strict=True)
        return float(np.dot(shares, [split_by_rule(term.workload, max(1, round(T * s))) for term, s in own]))
    if workload.tabular:
        mean_cells = float(np.exp(np.log(workload.part_cells).mean()))  # the geometric mean
        selecting, measuring = math.log(max(2, workload.parts)), 2 * math.sqrt(mean_cells)
    elif workload.family == "parities":
        selecting, measuring = math.log(max(1.5, workload.size / T)), 2.0
    else:
        return constants.RANGES_SPLIT
    return math.sqrt(selecting) / (math.sqrt(selecting) + measuring)


def cells_by_rule(T: int, *, n: float, epsilon: float, delta: float = 0.0) -> int:
    """The cell budget of a model of whole marginals: as many cells as pay, within `MIN_` and `MAX_DEFAULT_CELLS`."""
    cells = cells_that_pay(T, n=n, epsilon=epsilon, delta=delta)
    return round(min(max(constants.MIN_DEFAULT_CELLS, cells), constants.MAX_DEFAULT_CELLS))


def cells_that_pay(T: int, *, n: float, epsilon: float, delta: float = 0.0) -> float:
    """`CELLS_PER_RECORD` nε: a larger model links more marginals, and pays if noise lets it see the links."""
    budget = Guarantee(epsilon, delta).budget
    return constants.CELLS_PER_RECORD * n * (epsilon if budget.unit == "ε" else math.sqrt(2 * budget.amount * T))


def _mean_order(workload: Workload) -> float:
    """The mean number of attributes of the workload's tables."""
    return sum(block.sets.size for block in workload.blocks) / workload.parts
