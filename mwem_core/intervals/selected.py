"""What a selection says of candidates that it did not choose: none was much worse than the chosen one.

The bound of AIM (McKenna, Mullins, Sheldon & Miklau 2022, section 5), for any penalty and weights.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mwem_core.algorithm import Answering, Round, Selection
from mwem_core.domain import Attrs
from mwem_core.intervals.quantiles import deviations
from mwem_core.model import Measurement
from mwem_core.privacy import Budget
from mwem_core.workload import Workload

READ = 4  # selections, the last ones: the later, the nearer was the model to the last one


class Selected(NamedTuple):
    """A selection, which candidate it chose, and what was then measured of it, with noise of this budget's law."""

    selection: Selection
    chosen: int
    measurement: Measurement
    budget: Budget


def error_bounds(
    Q: Workload, offered: Workload, rounds: Sequence[Round[Answering]], beta: float, *, tables: bool
) -> np.ndarray:
    """How far the last round's answers are from the truth in L1, for each part or else each query of Q, in records.

    A bound fails with a chance of at most `beta`; it is inf for what was not on offer lately. (parts,) if `tables` were
    selected, those of `offered`, else (|Q|,). Of a mixed workload, whose candidates are its own, (candidates,).
    """
    selections = [
        Selected(entry.selection, entry.chosen, entry.measurement, entry.ledger.budget)
        for entry in rounds
        if entry.selection is not None and entry.chosen is not None and entry.measurement is not None
    ][-READ:]
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


def _bounds_then(offered: Workload, selected: Selected, beta: float, *, tables: bool) -> np.ndarray:
    """‖q_c(B) - q_c(A)‖₁ of each candidate when one was selected, inf for those not on offer: (candidates,).

    The chosen candidate's score is at most s, which follows from what was measured; no other's exceeds s plus the
    slack. Each of both may fail with half of `beta`.
    """
    selection, j = selected.selection, selected.chosen
    shares = 1.0 if selection.shares is None else offered.repeat_per_query(selection.shares)
    costs = np.full(offered.size, selection.penalty(shares))
    costs = offered.sum_by_candidate(costs) if tables else costs
    weights = np.ones(len(costs)) if selection.weights is None else selection.weights
    best = weights[j] * (_chosen_error(selected, beta / 2) - costs[j]) + selection.slack(beta / 2)
    return np.where(selection.offered(len(costs)), np.maximum(best / weights + costs, 0.0), np.inf)


def _chosen_error(selected: Selected, beta: float) -> float:
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
