"""A 95% interval for the true answer to every query of a workload, from what a run released."""

from collections.abc import Mapping, Sequence

import numpy as np

from mwem_core.algorithm import AnswerSource, Round, Spender
from mwem_core.automatic import Apart, Halvings, later_parts, serves, terms_by_part
from mwem_core.intervals.pooled_estimates import ALPHA, Estimates, Intervals, deviations
from mwem_core.intervals.query_intervals import of_queries, to_look_up
from mwem_core.intervals.range_intervals import by_halvings
from mwem_core.mwem import MWEM
from mwem_core.privacy import Budget
from mwem_core.workload import Workload

MAX_SELECTIONS = 4  # selections, the last ones: the later, the nearer was the model to the last one
MAX_LOOKED_UP = 10**4  # queries of a mixed workload's term that may be known by its measured tables: a second


def error_bounds(Q: Workload, rounds: Sequence[Round[AnswerSource]], beta: float) -> np.ndarray:
    """How far the last answers to single queries are from the truth, by the last selections of one: (|Q|,), in records.

    A bound fails with a chance of at most `beta`; it is inf for what was not on offer lately. The chosen query's score
    is at most what its measurement allows: with x its error and z the noise, |x| <= |x + z| - s z for s the sign of x,
    and s z has the law of z. No other score exceeds it by more than the slack. Each of both may fail with half of a
    selection's share of `beta`.
    """
    selections = [
        (entry.selection, entry.chosen, entry.measurement, entry.ledger.budget)
        for entry in rounds
        if entry.selection is not None and entry.chosen is not None and entry.measurement is not None
    ][-MAX_SELECTIONS:]
    last, bounds = rounds[-1].model.answers(Q), np.full(Q.size, np.inf)
    for selection, j, m, budget in selections:
        half = beta / len(selections) / 2
        noise = deviations(2 * half, budget.unit) * budget.variance_at(m.scale) ** 0.5
        error = float(np.abs(m.residual(selection.A.marginal(m.attrs)))) + noise
        costs = Q.repeat_per_query(np.broadcast_to(selection.penalty, Q.parts))
        weights = np.ones(Q.size) if selection.weights is None else selection.weights
        errors = np.maximum((weights[j] * (error - costs[j]) + selection.slack(half)) / weights + costs, 0.0)
        moved = np.abs(selection.A.answers(Q) - last)
        bounds = np.minimum(bounds, np.where(selection.offered(Q.size), errors + moved, np.inf))
    return bounds


def intervals(Q: Workload, settings: Spender, rounds: Sequence[Round[AnswerSource]]) -> Intervals:
    """An interval for every answer of Q, from the rounds of a run with these settings. Reads no private data.

    Every true answer is a whole number, so the ends are rounded to the nearest one.
    """
    known = Estimates.of(Q.domain, rounds)
    if isinstance(settings, Halvings):
        return _possible(Q, by_halvings(Q, rounds[0].ledger.left, rounds, known), known)
    of_single_queries = isinstance(settings, MWEM) and not settings.tables and not Q.tabular
    errors = error_bounds(Q, rounds, ALPHA / 2) if of_single_queries else np.full(Q.size, np.inf)
    if not Q.terms:
        return _possible(Q, of_queries(Q, settings, rounds, known, errors, to_look_up(Q, rounds, known)), known)
    found, hierarchies = [], _hierarchies(Q, settings)
    for i, (term, queries) in enumerate(zip(Q.terms, Q.term_queries, strict=True)):
        own = term.workload
        if i in hierarchies:
            ends = by_halvings(own, hierarchies[i], rounds, known)
        else:
            ends = of_queries(own, settings, rounds, known, errors[queries], range(min(own.size, MAX_LOOKED_UP)))
        found.append(_possible(own, ends, known))
    return Intervals(*(np.concatenate([getattr(each, name) for each in found]) for name in ("low", "high", "measured")))


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
