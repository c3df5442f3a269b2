"""The model nearest to another one among those with given tables and counts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from mwem_core.automatic.plan_fit import FittedModel
from mwem_core.automatic.refinement import with_marginal
from mwem_core.domain import Attrs
from mwem_core.model import LogLinear, Measurement, replay
from mwem_core.prior import MAX_FITTED_CELLS
from mwem_core.weighted import CorrectedModel, Margin, WeightedRecords, rake, with_planted_rows

STEP, SWEEPS, TOLERANCE = 2.0, 400, 0.001  # of the replay that moves a tree; raking ends at this share of the noise
TINY = 1e-9  # of n, spread over a table


def move_to(A: FittedModel, tables: Mapping[Attrs, np.ndarray], counts: Sequence[Measurement]) -> FittedModel:
    """The model nearest to A, in KL, with these tables and these noisy counts of predicates, as far as there is one.

    A predicate whose attributes are all in one table moves that table first, because its own count has less noise. A
    log-linear model is then swept over the tables and the counts. If its junction tree would be too large, the tree
    takes as many of them as fit, and corrected tables answer the rest. The weights of weighted rows are raked, and
    corrected tables answer beside them. Reads only its arguments, so it costs no privacy.
    """
    possible = [replace(m, value=np.clip(m.value, 0.0, A.total)) for m in counts]
    scale = min((m.scale for m in possible), default=1.0)
    known = {
        S: move_table(table, [extend_query(S, m, A.sizes) for m in possible if set(m.attrs) <= set(S)])
        for S, table in tables.items()
    }
    told = [
        *(Measurement(S, table, scale) for S, table in known.items()),
        *(m for m in possible if not any(set(m.attrs) <= set(S) for S in known)),
    ]
    if isinstance(A, LogLinear):
        wider = cover(A, [m.attrs for m in told])
        held = [m for m in told if wider.covers(m.attrs)]
        A = sweep_to(wider, held)
        if len(held) == len(told):
            return A
        drawn, before = A, {}
    else:
        drawn, before = (A.A, A.tables) if isinstance(A, CorrectedModel) else (A, {})
        drawn = rake_rows(drawn, told) if isinstance(drawn, WeightedRecords) else drawn
    read = dict.fromkeys(m.attrs for m in told if not m.whole)
    known |= {S: move_table(A.marginal(S), [m for m in told if m.attrs == S]) for S in read}
    return CorrectedModel(drawn, known | {S: table for S, table in before.items() if S not in known})


def sweep_to(A: LogLinear, told: Sequence[Measurement]) -> LogLinear:
    """A, whose tree holds all attributes of what is told, moved to the whole tables first, then to all measurements."""
    for m in told:
        if m.whole:
            A = with_marginal(A, m.attrs, m.value / A.total)
    return replay(A, told, step=STEP, sweeps=SWEEPS, tolerance=TOLERANCE) if told else A


def rake_rows(A: WeightedRecords, told: Sequence[Measurement]) -> WeightedRecords:
    """A with its weights raked to what is told. Cells of a table with records, but without a row of A, get new rows.

    The result is no longer a sample of a log-linear model.
    """
    A = with_planted_rows(A, told, np.random.default_rng(0))
    margins = [_margin(m, A.total, A.cell(m.attrs)) for m in told]
    tolerance = TOLERANCE * min(m.scale for m in told)
    return replace(A, weights=rake(A.weights, margins, tolerance=tolerance), theta={}, draws=0)


def _margin(m: Measurement, total: float, cell: np.ndarray) -> Margin:
    """The groups of weights in these cells, and their sums: each cell of a table, or in- and outside of a predicate."""
    if m.q is None:
        return cell, m.value.ravel()
    return m.q.ravel().astype(int)[cell], np.array([total - m.value, m.value])


def extend_query(S: Attrs, m: Measurement, sizes: Sequence[int]) -> Measurement:
    """The measurement of a query as one over S, which holds its attributes."""
    assert m.q is not None
    q = m.q.reshape([sizes[a] if a in m.attrs else 1 for a in S])
    return replace(m, attrs=S, q=np.broadcast_to(q, [sizes[a] for a in S]).copy())


def cover(A: LogLinear, sets: Sequence[Attrs]) -> LogLinear:
    """The same distribution on a tree with a clique around each of these sets, in order, as far as its cells allow."""
    for S in dict.fromkeys(sets):
        if A.cells_with(S, MAX_FITTED_CELLS) <= MAX_FITTED_CELLS:
            A = A.covering([S])
    return A


def move_table(table: np.ndarray, measured: Sequence[Measurement]) -> np.ndarray:
    """The table nearest to this one, in KL, with these counts of predicates over all of its attributes.

    The counts are met to within a thousandth of their noise.
    """
    if not measured:
        return table
    table = table + table.sum() * TINY / table.size  # so that no predicate is without a record to scale
    margins = [_margin(m, float(table.sum()), np.arange(table.size)) for m in measured]
    return rake(table.ravel(), margins, tolerance=TOLERANCE * measured[0].scale).reshape(table.shape)
