"""A 95% interval for the true answer to every query of a workload, from what a run released."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mwem_core.algorithm import AnswerSource, Round, Selection, Spender
from mwem_core.automatic import Apart, Halvings, Staged, later_parts, parts_of, rounds_in, serves, terms_by_part
from mwem_core.domain import Attrs
from mwem_core.intervals.pooled_estimates import ALPHA, Estimates, Intervals, deviations
from mwem_core.intervals.query_intervals import of_queries, of_tables, to_look_up
from mwem_core.intervals.range_intervals import by_halvings
from mwem_core.model import Measurement
from mwem_core.mwem import MWEM, candidate_count
from mwem_core.privacy import Budget
from mwem_core.workload import Workload

MAX_SELECTIONS = 4  # selections, the last ones: the later, the nearer was the model to the last one
MAX_LOOKED_UP = 10**4  # queries of a mixed workload's term that may be known by its measured tables: a second


class ChosenCandidate(NamedTuple):
    """A selection, which candidate it chose, and what was then measured of it, with noise of this budget's law."""

    selection: Selection
    chosen: int
    measurement: Measurement
    budget: Budget


def error_bounds(
    Q: Workload, offered: Workload, rounds: Sequence[Round[AnswerSource]], beta: float, *, tables: bool
) -> np.ndarray:
    """How far the last round's answers are from the truth in L1, for each part or else each query of Q, in records.

    A bound fails with a chance of at most `beta`; it is inf for what was not on offer lately. (parts,) if `tables` were
    selected, those of `offered`, else (|Q|,). Of a mixed workload, whose candidates are its own, (candidates,).
    """
    selections = [
        ChosenCandidate(entry.selection, entry.chosen, entry.measurement, entry.ledger.budget)
        for entry in rounds
        if entry.selection is not None and entry.chosen is not None and entry.measurement is not None
    ][-MAX_SELECTIONS:]
    last = rounds[-1].model.answers(Q)
    position = _places(Q, offered) if tables else np.arange(Q.size)
    bounds = np.full(len(position), np.inf)
    for selected in selections:
        at_most = _bounds_then(offered, selected, beta / len(selections), tables=tables)
        moved = np.abs(selected.selection.A.answers(Q) - last)
        moved = Q.sum_by_candidate(moved) if tables else moved
        found = np.where(position >= 0, at_most[position], np.inf)
        bounds = np.minimum(bounds, found + moved)
    return bounds


def _bounds_then(offered: Workload, selected: ChosenCandidate, beta: float, *, tables: bool) -> np.ndarray:
    """‖q_c(B) - q_c(A)‖₁ of each candidate when one was selected, inf for those not on offer: (candidates,).

    The chosen candidate's score is at most s, which follows from what was measured; no other's exceeds s plus the
    slack. Each of both may fail with half of `beta`.
    """
    selection, j = selected.selection, selected.chosen
    costs = offered.repeat_per_query(np.broadcast_to(selection.penalty, offered.parts))
    costs = offered.sum_by_candidate(costs) if tables else costs
    weights = np.ones(len(costs)) if selection.weights is None else selection.weights
    best = weights[j] * (_chosen_error(selected, beta / 2) - costs[j]) + selection.slack(beta / 2)
    return np.where(selection.offered(len(costs)), np.maximum(best / weights + costs, 0.0), np.inf)


def _chosen_error(selected: ChosenCandidate, beta: float) -> float:
    """An upper bound of ‖q_j(B) - q_j(A)‖₁, but for a chance of `beta`.

    With x the error and z the noise, ‖x‖₁ = Σ s (x + z) - Σ s z <= ‖x + z‖₁ - Σ s z for s the signs of x. Noise is
    symmetric, so Σ s z has the law of Σ z.
    """
    m, budget = selected.measurement, selected.budget
    deviation = np.sqrt(budget.variance_at(m.scale) * np.size(m.value))
    measured = float(np.abs(m.residual(selected.selection.A.marginal(m.attrs))).sum())
    return measured + deviations(2 * beta, budget.unit) * deviation


def _places(Q: Workload, offered: Workload) -> np.ndarray:
    """The number of the candidate over each part's attributes, -1 where there is none: (parts,)."""
    if offered is Q:
        return np.arange(int(Q.candidate_counts.sum()))
    number: dict[Attrs, int] = {S: i for i, S in enumerate(offered.sets)}
    return np.array([number.get(S, -1) for S in Q.sets])


def intervals(Q: Workload, settings: Spender, rounds: Sequence[Round[AnswerSource]]) -> Intervals:
    """An interval for every answer of Q, from the rounds of a run with these settings. Reads no private data.

    Every true answer is a whole number, so the ends are rounded to the nearest one.
    """
    known = Estimates.of(Q.domain, rounds)
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
    rounds: Sequence[Round[AnswerSource]],
    known: Estimates,
    errors: np.ndarray,
    looked_up: Sequence[int],
) -> Intervals:
    if Q.tabular:
        return of_tables(Q, rounds, known, errors)
    return of_queries(Q, settings, rounds, known, errors, looked_up)


def _error_bounds(Q: Workload, settings: Spender, rounds: Sequence[Round[AnswerSource]]) -> np.ndarray:
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


def _possible(Q: Workload, found: Intervals, known: Estimates) -> Intervals:
    """Whole numbers of records, from none to all of them."""
    n, variance = known.total
    least, most = -n if Q.family == "parities" else 0.0, np.inf if variance else n
    low, high = np.round(found.low), np.round(found.high)
    return Intervals(np.clip(low, least, most), np.clip(high, least, most), found.measured)
