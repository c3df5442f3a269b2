"""A 95% interval for the true answer to every query of a workload, from what a run released."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.algorithm import Answering, Round, Spender
from mwem_core.automatic import Apart, Halvings, Staged, later_parts, parts_of, rounds_in, serves, terms_by_part
from mwem_core.intervals.ends import ALPHA, Ends
from mwem_core.intervals.halvings import by_halvings
from mwem_core.intervals.known import Known
from mwem_core.intervals.queries import of_queries, to_look_up
from mwem_core.intervals.selected import error_bounds
from mwem_core.intervals.tables import of_tables
from mwem_core.mwem import MWEM, candidate_count
from mwem_core.privacy import Budget
from mwem_core.workload import Workload

MAX_LOOKED_UP = 10**4  # queries of a mixed workload's term that may be known by its measured tables: a second


@dataclass(frozen=True, eq=False)
class Intervals:
    """`low` and `high`, whole numbers of records, and which of them are `measured`: (|Q|,) each.

    A measured interval follows from noisy values that determine the answer. It holds the true answer in 95% of runs, in
    up to 97% where many Laplace draws add up, and in more where the noise is below one record. Any other follows from
    bounds, and holds the true answer in at least 95% of runs. Each is for its own answer, not for all at once.
    """

    low: np.ndarray
    high: np.ndarray
    measured: np.ndarray


def intervals(Q: Workload, settings: Spender, rounds: Sequence[Round[Answering]]) -> Intervals:
    """An interval for every answer of Q, from the rounds of a run with these settings. Reads no private data.

    Every true answer is a whole number, so the ends are rounded to the nearest one.
    """
    known = Known.of(Q.domain, rounds)
    if isinstance(settings, Halvings):
        return _possible(Q, by_halvings(Q, rounds[0].ledger.left, rounds, known), known)
    errors = _error_bounds(Q, settings, rounds)
    if not Q.terms:
        looked_up = () if Q.tabular else to_look_up(Q, rounds, known)
        return _possible(Q, _of_family(Q, settings, rounds, known, errors, looked_up), known)
    found, tables, hierarchies = [], _by_tables(settings, Q), _hierarchies(Q, settings)
    counts = Q.candidate_counts if tables else Q.query_counts
    by_part = np.split(errors, np.cumsum(counts)[:-1])
    for i, (term, parts) in enumerate(zip(Q.terms, Q.term_parts, strict=True)):
        if i in hierarchies:
            ends = by_halvings(term.workload, hierarchies[i], rounds, known)
            found.append(_possible(term.workload, ends, known))
            continue
        own = np.concatenate(by_part[parts])
        if term.workload.tabular and not tables:
            own = np.full(term.workload.parts, np.inf)
        looked_up = range(min(term.workload.size, MAX_LOOKED_UP))
        ends = _of_family(term.workload, settings, rounds, known, own, looked_up)
        found.append(_possible(term.workload, ends, known))
    return Intervals(*(np.concatenate([getattr(each, name) for each in found]) for name in ("low", "high", "measured")))


def _of_family(
    Q: Workload,
    settings: Spender,
    rounds: Sequence[Round[Answering]],
    known: Known,
    errors: np.ndarray,
    looked_up: Sequence[int],
) -> Ends:
    if Q.tabular:
        return of_tables(Q, rounds, known, errors)
    return of_queries(Q, settings, rounds, known, errors, looked_up)


def _error_bounds(Q: Workload, settings: Spender, rounds: Sequence[Round[Answering]]) -> np.ndarray:
    """What the selection says of each candidate: of each part where tables are selected or asked, else each query.

    It says nothing of the parts that were asked after the first.
    """
    tables = _by_tables(settings, Q)
    if isinstance(settings, Apart) and tables:
        numbers = [candidate_count(term.workload, tables=True) for term in Q.terms]
        asked = np.repeat([i not in terms_by_part(Q)[0] for i in range(len(Q.terms))], numbers)
        bounds = np.full(len(asked), np.inf)
        bounds[~asked] = _error_bounds(parts_of(Q)[0], settings.first_alone, rounds)
        return bounds
    if isinstance(settings, MWEM | Staged) and (tables or not Q.tabular):
        return error_bounds(Q, settings.measured(Q) if tables else Q, rounds, ALPHA / 2, tables=tables)
    return np.full(int(Q.candidate_counts.sum()) if Q.tabular or tables else Q.size, np.inf)


def _by_tables(settings: Spender, Q: Workload) -> bool:
    """Whether bounds are of whole tables, with the single queries beside them: those selected, or any that Q has."""
    if rounds := rounds_in(settings):
        return rounds.tables
    return bool((parts_of(Q)[0] if isinstance(settings, Apart) else Q).whole.any())


def _hierarchies(Q: Workload, settings: Spender) -> Mapping[int, Budget]:
    """The numbers of the terms whose ranges a hierarchy has measured by themselves, and what it was given."""
    if not isinstance(settings, Apart):
        return {}
    asked, rest = settings.guarantee.budget.split(settings.share)
    budgets = {group[0]: budget for group, part, budget in later_parts(Q, asked) if serves(part)}
    if isinstance(settings.first, Halvings):
        budgets[terms_by_part(Q)[0][0]] = rest
    return budgets


def _possible(Q: Workload, found: Ends, known: Known) -> Intervals:
    """Whole numbers of records, from none to all of them."""
    n, variance = known.total
    least, most = -n if Q.family == "parities" else 0.0, np.inf if variance else n
    low, high = np.round(found.low), np.round(found.high)
    return Intervals(np.clip(low, least, most), np.clip(high, least, most), found.measured)
