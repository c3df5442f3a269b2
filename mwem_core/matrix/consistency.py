"""Cleaning up noisy answers with what is public: that they are of one table, of n records, no cell below zero.

Nothing here reads the data, so it costs no privacy. The truth has what is asked for, and the nearest point of a convex
set is no farther from any point of it: cleaning up never adds to the squared error, but for how closely it is computed.
"""

import math
from collections.abc import Callable

import numpy as np

from mwem_core.matrix.gram import check_gram, gram
from mwem_core.matrix.residuals import Residuals, check_subsets
from mwem_core.model.loglinear import LogLinear
from mwem_core.workload.operators import Boxes
from mwem_core.workload.workload import Workload

MOST_CORNERS = 10**6  # cells of the ranges' attributes, and corners of the ranges: twenty seconds of steps
SWEEPS = 30  # of alternating projections: on eight attributes of Adult, three at a time, 3 s, and 3% from the limit
AGREED = 1e-6  # of their squared distance from the noisy answers, in which two projections may differ
STEPS = 1000
CLOSE = 1e-3  # of the squared distance, to which the nearest table is found


def check_clean(Q: Workload, *, non_negative: bool) -> None:
    """Raises ValueError, one sentence, for a workload too large for `least_squares`, or for `non_negative`."""
    if Q.tabular:
        check_subsets(Q, times=SWEEPS if non_negative else 1)
    elif Q.family == "predicates":
        check_gram(Q)
    elif Q.family == "ranges":
        boxes = _boxes(Q)
        if (work := Q.cells + len(boxes.low) * 2 ** len(boxes.sizes)) > MOST_CORNERS:
            raise ValueError(
                f"{Q.name} have {work:,} cells and corners, {MOST_CORNERS:,} can be cleaned up: "
                "ask fewer, or leave the noisy answers as they are"
            )


def least_squares(Q: Workload, answers: np.ndarray, n: float) -> np.ndarray:
    """The nearest to `answers`, (|Q|,) in records, that some table of total n has; its cells may be negative.

    Marginals in closed form, residual by residual; predicates by the eigenvectors of their inner products; ranges by
    scipy's LSMR. Parities are orthogonal to each other and to the total: they are as they were.
    """
    return _consistent(Q, n)(answers)


def non_negative(Q: Workload, answers: np.ndarray, n: float) -> np.ndarray:
    """The nearest that is like the answers of a table of n records with no cell below zero.

    Ranges: of such a table. Else what is consistent as `least_squares` has it, and also what each part could have
    alone: a marginal sums to n with no cell below zero, a predicate lies in [0, n], a parity in [-n, n]. This is the
    limit of Dykstra's alternating projections (Boyle & Dykstra 1986), from which the last is taken: each part is as it
    could be to the last digit, and they are consistent nearly.
    """
    if Q.family == "ranges":
        boxes = _boxes(Q)
        return boxes.answers(nearest_table(boxes, answers, n), 1)
    consistent, owed = _consistent(Q, n), np.zeros(Q.size)
    one = consistent(answers)
    for _ in range(SWEEPS):
        two = _possible(Q, one + owed, n)
        owed += one - two
        one = consistent(two)
        if ((one - two) ** 2).sum() <= AGREED * ((two - answers) ** 2).sum():
            break
    return two


def _consistent(Q: Workload, n: float) -> Callable[[np.ndarray], np.ndarray]:
    """The projection on the answers of tables of total n, whatever the sign of their cells."""
    if Q.tabular:
        residuals = Residuals.of(Q)

        def tables(answers: np.ndarray) -> np.ndarray:
            split = residuals.split(answers)
            split[0][:] = n
            return residuals.join(split)

        return tables
    if Q.family == "parities":
        return lambda answers: answers
    if Q.family == "ranges":
        return lambda answers: _nearest_ranges(_boxes(Q), answers, n)
    even = Q.answers(LogLinear.uniform(Q.domain.shape, 1.0))
    values, vectors = np.linalg.eigh(gram(Q) - np.outer(even, even))
    span = vectors[:, values > 1e-10]  # no question is of a smaller share of D than one cell in 5·10⁷
    return lambda answers: n * even + span @ (span.T @ (answers - n * even))


def _possible(Q: Workload, answers: np.ndarray, n: float) -> np.ndarray:
    """The nearest that each part could have alone, in a table of n records."""
    if not Q.tabular:
        return np.clip(answers, -n if Q.family == "parities" else 0, n)
    nearest = np.empty(Q.size)
    for cells in np.unique(Q.counts):
        at = Q.offsets[:-1][Q.counts == cells][:, None] + np.arange(cells)
        nearest[at] = to_simplex(answers[at], n)
    return nearest


def to_simplex(tables: np.ndarray, n: float) -> np.ndarray:
    """The nearest to each row of (m, cells), in squared error, that sums to n and has nothing below zero.

    All cells less one number, cut off at zero (Held, Wolfe & Crowder 1974).
    """
    falling = -np.sort(-tables, axis=1)
    excess = (falling.cumsum(axis=1) - n) / np.arange(1, tables.shape[1] + 1)
    last = (falling > excess).sum(axis=1) - 1
    return np.maximum(tables - excess[np.arange(len(tables)), last][:, None], 0.0)


def nearest_table(boxes: Boxes, answers: np.ndarray, n: float) -> np.ndarray:
    """A table of n records, (cells,), no cell below zero, whose ranges W t are nearest to `answers`.

    Projected gradients with momentum, restarted where it leads uphill (Beck & Teboulle 2009; O'Donoghue & Candès 2015).
    The step is 1/L, L the largest entry of WᵀW 1, no less than WᵀW's largest eigenvalue as none of its entries is
    negative. With g the gradient at t, f = ½‖W t - answers‖² is at most g·t - n min g above its least: it rests where
    that is no more than `CLOSE` of f, or after `STEPS`.
    """
    cells = math.prod(boxes.sizes)
    L = float(boxes.over(boxes.answers(np.ones(cells), 1)).max())
    t = ahead = np.full(cells, n / cells)
    momentum = 1.0
    for _ in range(STEPS):
        miss = boxes.answers(ahead, 1) - answers
        g = boxes.over(miss)
        if g @ ahead - n * g.min() <= CLOSE * (miss @ miss) / 2 and ahead.min() >= 0:
            return ahead
        before, t = t, to_simplex((ahead - g / L)[None], n)[0]
        if (ahead - t) @ (t - before) > 0:
            momentum = 1.0
        more = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        ahead = t + (momentum - 1) / more * (t - before)
        momentum = more
    return t


def _nearest_ranges(boxes: Boxes, answers: np.ndarray, n: float) -> np.ndarray:
    """W t nearest to `answers` over all t that sum to n: t is n spread evenly and what sums to zero."""
    from scipy.sparse.linalg import LinearOperator, lsmr

    class W(LinearOperator):
        def _matvec(self, x: np.ndarray) -> np.ndarray:
            return boxes.answers(_less_mean(x), 1)

        def _rmatvec(self, x: np.ndarray) -> np.ndarray:
            return _less_mean(boxes.over(x))

    cells = math.prod(boxes.sizes)
    even = boxes.answers(np.full(cells, n / cells), 1)
    operator = W(float, (len(boxes.low), cells))
    return even + operator @ lsmr(operator, answers - even, atol=1e-9, btol=1e-9, maxiter=5 * STEPS)[0]


def _less_mean(t: np.ndarray) -> np.ndarray:
    return t - t.mean()


def _boxes(Q: Workload) -> Boxes:
    """The ranges of a workload, which are one part."""
    operator = Q.blocks[0].operator
    assert isinstance(operator, Boxes)
    return operator
