"""Predicates of a mixed workload that are measured themselves, once its other terms were measured.

A predicate is one count, and a table of thousands of cells tells it with the noise of many. So a share of the budget
goes to all predicates together, and the model of the other terms is moved to what they say.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from mwem_core.algorithm import Round
from mwem_core.data.table import Table
from mwem_core.domain.source import Attrs
from mwem_core.model.average import Average, Model
from mwem_core.model.corrected import Corrected
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement
from mwem_core.model.replay import replay
from mwem_core.mwem.planned import MAX_FITTED_CELLS, Fitted, fitted_round
from mwem_core.mwem.prices import cells_with
from mwem_core.mwem.queried import noisy_counts, rows_to_tilt
from mwem_core.privacy.accountant import Accountant
from mwem_core.workload.mixture import mixture
from mwem_core.workload.workload import Workload

STEP, SWEEPS, TOLERANCE = 2.0, 400, 0.001  # of the replay that moves a model to the counts
TINY = 1e-9  # of n, spread over a table
MAX_CELLS = 2**20  # that the predicates read: to go once through all of them takes some milliseconds
LABEL = "all predicates together"


def asks_apart(Q: Workload) -> bool:
    """Whether Q has predicates beside other terms."""
    return 0 < sum(term.workload.family == "predicates" for term in Q.terms) < len(Q.terms)


def may_ask_apart(Q: Workload) -> bool:
    """Whether Q has them, beside tables or parities, and so few that a model is moved to their counts in seconds."""
    if not asks_apart(Q):
        return False
    others, predicates = apart(Q)
    return others.has_residuals and rows_to_tilt(predicates) > 0 and predicates.cells <= MAX_CELLS


@lru_cache(maxsize=4)
def apart(Q: Workload) -> tuple[Workload, Workload]:
    """A mixed workload's other terms, and all of its predicates as one workload."""
    others = [term for term in Q.terms if term.workload.family != "predicates"]
    asked = [term.workload for term in Q.terms if term.workload.family == "predicates"]
    rest = mixture([(term.workload, Fraction(term.weight)) for term in others])
    spec, name = (" + ".join(texts) for texts in zip(*((each.spec, each.name) for each in asked), strict=True))
    return rest, Workload(Q.domain, "predicates", spec, name, tuple(block for each in asked for block in each.blocks))


def asked_round(before: Round[Model], B: Table, predicates: Workload, account: Accountant) -> Round[Model]:
    """Spend this account on the predicates, and move what the round before released to their noisy counts."""
    released = before.model
    assert not isinstance(released, Average)  # `MWEM` refuses it
    counts, scale = noisy_counts(B, predicates, released.total, account)
    queries = [predicates.query(j) for j in range(predicates.size)]
    measured = tuple(Measurement(S, np.asarray(m), scale, q) for (S, q, _), m in zip(queries, counts, strict=True))
    ledger, moved = before.ledger.plus(account.ledger), with_counts(released, measured)
    return fitted_round(before.index + 1, ledger, released, moved, LABEL, measured)


def with_counts(A: Fitted, measured: Sequence[Measurement]) -> Fitted:
    """The nearest model that has these counts, as far as a distribution can.

    A log-linear one is swept over them alone: that ends at the distribution of the least KL from it. Where its tree
    cannot take the tables that the predicates read, or weighted rows answer, or tables in their place, these tables are
    moved so, each by itself, and records are drawn as before. Reads only its arguments, so it costs no privacy.
    """
    possible = [replace(m, value=np.clip(m.value, 0.0, A.total)) for m in measured]
    sets = list(dict.fromkeys(m.attrs for m in possible))
    if isinstance(A, LogLinear) and (wider := covering_all(A, sets)):
        return replay(wider, possible, step=STEP, sweeps=SWEEPS, tolerance=TOLERANCE)
    drawn, known = (A.A, A.tables) if isinstance(A, Corrected) else (A, {})
    moved = {S: moved_table(A.marginal(S), [m for m in possible if m.attrs == S]) for S in sets}
    return Corrected(drawn, {**moved, **{S: table for S, table in known.items() if S not in moved}})


def covering_all(A: LogLinear, sets: Sequence[Attrs]) -> LogLinear | None:
    """The same distribution on a tree with each of these sets in one clique; None if it would have too many cells."""
    for S in sets:
        if cells_with(A, S, MAX_FITTED_CELLS) > MAX_FITTED_CELLS:
            return None
        A = A.covering([S])
    return A


def moved_table(table: np.ndarray, measured: Sequence[Measurement]) -> np.ndarray:
    """The table of the least KL from this one in which each predicate has its count: iterative proportional fitting.

    It ends where what is left is far below the noise.
    """
    total = table.sum()
    table = table + total * TINY / table.size  # so that no predicate is without a record to scale
    for _ in range(SWEEPS):
        left = 0.0
        for m in measured:
            assert m.q is not None
            inside = float(np.vdot(m.q, table))
            outside = float(table.sum()) - inside
            left = max(left, abs(m.value - inside) / m.scale)
            if inside > 0 and outside > 0:  # else the predicate is of all cells, or of none
                table = table * np.where(m.q, m.value / inside, (total - m.value) / outside)
        if left <= TOLERANCE:
            break
    return table
