"""Project noisy answers on the answers that a table of n records, with no cell below zero, could give.

Nothing here reads the data, so it costs no privacy. The truth satisfies these constraints, and they are convex, so an
exact projection never increases the squared error. The projections here are iterative, and stop close to it.
"""

import math
from collections.abc import Callable

import numpy as np

from mwem_core.model import LogLinear
from mwem_core.workload.gram_matrix import check_gram, gram
from mwem_core.workload.operators import Boxes
from mwem_core.workload.residuals import Residuals, check_subsets
from mwem_core.workload.workload import Workload

MAX_CELLS_AND_CORNERS = 10**6  # of the ranges' marginal, and of the ranges: twenty seconds of gradient steps
MAX_SWEEPS = 30  # of alternating projections: a few seconds, and a few percent from the limit
SWEEP_TOLERANCE = 1e-6  # squared distance between the two projections, relative to that from the noisy answers
MAX_GRADIENT_STEPS = 1000  # of projected gradients
GAP_TOLERANCE = 1e-3  # excess over the least squared error, relative to the squared error


def check_non_negative(Q: Workload) -> None:
    """Raise ValueError where `Q` is too large for `non_negative`, or of several families."""
    if Q.terms:
        raise ValueError(
            "noisy answers are cleaned up for one family at a time: leave them as they are, or ask for one"
        )
    if Q.tabular:
        check_subsets(Q, times=MAX_SWEEPS)
    elif Q.family == "predicates":
        check_gram(Q)
    elif Q.family == "ranges":
        boxes = _boxes(Q)
        if (work := Q.cells + len(boxes.low) * 2 ** len(boxes.sizes)) > MAX_CELLS_AND_CORNERS:
            raise ValueError(
                f"{Q.name} have {work:,} cells and corners, but at most {MAX_CELLS_AND_CORNERS:,} can be cleaned up: "
                "choose fewer ranges, or leave the noisy answers as they are"
            )


def non_negative(Q: Workload, answers: np.ndarray, n: float) -> np.ndarray:
    """Project noisy answers, (|Q|,) in records, on those of tables of n records with no cell below zero: (|Q|,).

    Ranges: exactly this, by `nearest_table`. Other families: on answers that are consistent, and where each part alone
    is possible. A marginal then sums to n with no cell below zero, a predicate lies in [0, n], a parity in [-n, n].
    Dykstra's alternating projections (Boyle & Dykstra 1986) converge to this projection. The last one is onto the
    possible parts: each part is possible to the last digit, and together they are nearly consistent.
    """
    if Q.family == "ranges":
        boxes = _boxes(Q)
        return boxes.answers(nearest_table(boxes, answers, n), 1)
    project, correction = consistent_projection(Q, n), np.zeros(Q.size)
    consistent = project(answers)
    for _ in range(MAX_SWEEPS):
        possible = nearest_possible(Q, consistent + correction, n)
        correction += consistent - possible
        consistent = project(possible)
        if ((consistent - possible) ** 2).sum() <= SWEEP_TOLERANCE * ((possible - answers) ** 2).sum():
            break
    return possible


def consistent_projection(Q: Workload, n: float) -> Callable[[np.ndarray], np.ndarray]:
    """The projection of answers, (|Q|,) -> (|Q|,), on those of tables of total n whose cells may be negative.

    For all families but ranges. Marginals: in closed form, by residuals. Parities are orthogonal to each other and to
    the total, so they stay as they are. Predicates: by the eigenvectors of their Gram matrix.
    """
    if Q.tabular:
        residuals = Residuals.of(Q)

        def project(answers: np.ndarray) -> np.ndarray:
            tables = residuals.decompose(answers)
            tables[0][:] = n
            return residuals.reconstruct(tables)

        return project
    if Q.family == "parities":
        return lambda answers: answers
    uniform = Q.answers(LogLinear.uniform(Q.domain.shape, 1.0))
    values, vectors = np.linalg.eigh(gram(Q) - np.outer(uniform, uniform))
    span = vectors[:, values > 1e-10]  # above rounding; a predicate's share of D is at least 1/(5·10⁷)
    return lambda answers: n * uniform + span @ (span.T @ (answers - n * uniform))


def nearest_possible(Q: Workload, answers: np.ndarray, n: float) -> np.ndarray:
    """The nearest answers where each part alone is possible in a table of n records."""
    if not Q.tabular:
        return np.clip(answers, -n if Q.family == "parities" else 0, n)
    nearest = np.empty(Q.size)
    for size in np.unique(Q.query_counts):
        cells = Q.offsets[:-1][Q.query_counts == size][:, None] + np.arange(size)
        nearest[cells] = to_simplex(answers[cells], n)
    return nearest


def to_simplex(tables: np.ndarray, n: float) -> np.ndarray:
    """Project each row of (m, cells), in squared error, on the tables that sum to n with no cell below zero.

    Subtract one number from all cells of a row, and replace negative cells by zero (Held, Wolfe & Crowder 1974).
    """
    descending = -np.sort(-tables, axis=1)
    excess = (descending.cumsum(axis=1) - n) / np.arange(1, tables.shape[1] + 1)
    last = (descending > excess).sum(axis=1) - 1
    return np.maximum(tables - excess[np.arange(len(tables)), last][:, None], 0.0)


def nearest_table(boxes: Boxes, answers: np.ndarray, n: float) -> np.ndarray:
    """The table t of n records, (cells,), with no cell below zero, whose ranges W t are nearest to `answers`.

    Projected gradients with momentum, reset where it leads uphill (Beck & Teboulle 2009; O'Donoghue & Candès 2015).
    The step is 1/L, with L the largest entry of WᵀW 1. WᵀW has no negative entry, so L is at least its largest
    eigenvalue. Let f = ½‖W t - answers‖² and g its gradient at t: f exceeds its minimum by at most g·t - n min g. The
    steps end where this gap is at most `GAP_TOLERANCE` of f, or after `MAX_GRADIENT_STEPS`.
    """
    cells = math.prod(boxes.sizes)
    L = float(boxes.transpose(boxes.answers(np.ones(cells), 1)).max())
    t = ahead = np.full(cells, n / cells)  # ahead: t plus its momentum
    momentum = 1.0
    for _ in range(MAX_GRADIENT_STEPS):
        errors = boxes.answers(ahead, 1) - answers
        g = boxes.transpose(errors)
        if g @ ahead - n * g.min() <= GAP_TOLERANCE * (errors @ errors) / 2 and ahead.min() >= 0:
            return ahead
        previous, t = t, to_simplex((ahead - g / L)[None], n)[0]
        if (ahead - t) @ (t - previous) > 0:
            momentum = 1.0
        next_momentum = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        ahead = t + (momentum - 1) / next_momentum * (t - previous)
        momentum = next_momentum
    return t


def _boxes(Q: Workload) -> Boxes:
    """The operator of a workload of ranges, which has one part."""
    operator = Q.blocks[0].operator
    assert isinstance(operator, Boxes)
    return operator
