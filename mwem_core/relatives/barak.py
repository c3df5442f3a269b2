"""Barak et al.: measure every Fourier coefficient of the workload's marginals once, then find a table that has them.

Unlike MWEM nothing is selected. All coefficients get the same noise, and its scale grows with their number. `Barak`
ends by multiplicative weights, as MWEM's authors ran it (Hardt, Ligett & McSherry 2012, section 3.2). `BarakLP` ends by
the linear programme of the original (Barak, Chaudhuri, Dwork, Kale, McSherry & Talwar, PODS 2007).

The coefficients of two-valued attributes are the parities; the sources have no others. Here attributes of more values
take the characters of the cyclic group. A marginal is still determined by the products of characters over the subsets
of its attributes, which are as many as its cells, and each value is still in [-1, 1]. The coefficient of the empty set
is n, which is public.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, combinations
from typing import Any

import numpy as np

from mwem_core.algorithm import OneShot, Round
from mwem_core.domain import Attrs, Table
from mwem_core.model import JunctionTree, LogLinear, Measurement, align, check_rules, possible_table, replay
from mwem_core.privacy import Accountant, NoiseSource
from mwem_core.workload import Workload

MAX_COEFFICIENTS = 2**12  # with a smaller share of the budget each, most coefficients are noise
MAX_FITTED_CELLS = 10**6
MAX_LP_CELLS = 2**12  # cells of a domain that the linear programme runs over
MAX_LP_ENTRIES = 2**19  # entries of its matrix, coefficients times cells: ten seconds
# The replay of today's MWEM. The paper's is step=0.5, sweeps=100, tolerance=0, in_order=True.
REPLAY: dict[str, Any] = {"step": 1.0, "sweeps": 60, "tolerance": 0.01, "in_order": False}


@dataclass(frozen=True, kw_only=True)
class Barak(OneShot[LogLinear]):
    """Settings: ε. ε-differential privacy under adding or removing one record, the total n public.

    One record moves the coefficients by at most `sensitivity` in L1.
    """

    epsilon: float

    def check(self, workload: Workload) -> None:
        """Refuse too many coefficients, and marginals that no model within the cell limit holds all at once."""
        sizes = workload.domain.shape
        check_rules(workload.domain)
        tree = JunctionTree.over([*coefficient_counts(workload), *workload.domain.possible], sizes)
        cells = sum(math.prod(sizes[a] for a in clique) for clique in tree.cliques)
        if cells > MAX_FITTED_CELLS:
            raise ValueError(
                f"a model of all the marginals at once has {cells:,} cells and may hold {MAX_FITTED_CELLS:,}: "
                "lower k, or leave attributes out"
            )

    def release(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[LogLinear]:
        """Measure all coefficients, and update the uniform table by them until the fit has converged."""
        q = coefficients(Q)
        account = Accountant(self.guarantee.budget, noise)
        values, scale = _measure(B, q, account)
        queries = ((S, each) for S, own in q.items() for each in own)
        measurements = [Measurement(S, value, scale, each) for (S, each), value in zip(queries, values, strict=True)]
        A = LogLinear.of(B.domain.shape, float(B.total), {}, cover=q, possible=B.domain.possible)
        return Round(1, account.ledger, replay(A, measurements, **REPLAY), label=_label(values))


@dataclass(frozen=True, kw_only=True)
class BarakLP(OneShot[LogLinear]):
    """Settings: ε. ε-differential privacy under adding or removing one record, the total n public.

    The table is non-negative and sums to n. Among all such tables, the largest distance of its coefficients from the
    measured ones is least. Most of its cells are empty. The original also rounds to whole records; this does not.
    """

    epsilon: float

    def check(self, workload: Workload) -> None:
        """Refuse a domain, or a matrix of coefficients by cells, that is too large for the programme."""
        cells = workload.domain.size
        if cells > MAX_LP_CELLS:
            raise ValueError(
                f"the linear programme has one variable per cell, {MAX_LP_CELLS:,} cells at most, and the domain has "
                "more: leave attributes out, or take the form that replays"
            )
        entries = cells * sum(coefficient_counts(workload).values())
        if entries > MAX_LP_ENTRIES:
            raise ValueError(
                f"the linear programme of {entries // cells:,} coefficients over {cells:,} cells has {entries:,} "
                f"entries, and {MAX_LP_ENTRIES:,} fit: lower k, leave attributes out, or take the form that replays"
            )

    def release(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[LogLinear]:
        """Measure all coefficients, and take the table nearest to them."""
        q, sizes = coefficients(Q), B.domain.shape
        account = Accountant(self.guarantee.budget, noise)
        values, _ = _measure(B, q, account)
        with np.errstate(divide="ignore"):  # an empty cell has log-weight -inf
            theta = np.log(nearest_table(sizes, q, values / B.total, possible_table(B.domain)))
        A = LogLinear.of(sizes, float(B.total), {tuple(range(len(sizes))): theta})
        return Round(1, account.ledger, A, label=_label(values))


def _measure(B: Table, q: dict[Attrs, np.ndarray], account: Accountant) -> tuple[np.ndarray, float]:
    """All coefficients of B, measured with all of the budget, and their noise scale."""
    tables = zip(q.values(), B.marginals(list(q)), strict=True)
    exact = np.concatenate([own.reshape(len(own), -1) @ table.ravel() for own, table in tables])
    return account.measure_together(exact, sensitivity(q))


def _label(values: np.ndarray) -> str:
    return f"{len(values):,} Fourier coefficients"


def nearest_table(
    sizes: Sequence[int], q: dict[Attrs, np.ndarray], values: np.ndarray, possible: np.ndarray | None = None
) -> np.ndarray:
    """The table p of shares that minimises b subject to |q(p) - value| <= b for all of q, Σ p = 1 and p >= 0.

    p is 0 outside of the `possible` cells: they alone are variables. By default all are.
    """
    from scipy.optimize import linprog  # takes 0.3 s to import, and only this form needs it

    possible = np.ones(sizes, bool) if possible is None else possible
    cells, everything = int(possible.sum()), tuple(range(len(sizes)))
    C = np.array([np.broadcast_to(align(each, S, everything), sizes)[possible] for S, own in q.items() for each in own])
    b = np.full((len(C), 1), -1.0)
    solution = linprog(
        np.append(np.zeros(cells), 1.0),
        A_ub=np.block([[C, b], [-C, b]]),
        b_ub=np.append(values, -values),
        A_eq=np.append(np.ones(cells), 0.0)[None],
        b_eq=[1.0],
        method="highs",
    )
    if not solution.success:
        raise ValueError(f"the linear programme was not solved ({solution.message}): take the form that replays")
    p, table = np.maximum(solution.x[:-1], 0.0), np.zeros(sizes)
    table[possible] = p / p.sum()
    return table


def characters(size: int) -> np.ndarray:
    """The cyclic group's characters, real and imaginary parts, without the trivial one: (size - 1, size).

    They are orthogonal to each other and to 1, and lie in [-1, 1]. For two values it is the sign: [[1, -1]].
    """
    turns = np.outer(np.arange(1, size // 2 + 1), np.arange(size)) % size * (2 * np.pi / size)
    return np.concatenate([np.cos(turns), np.sin(turns[: (size - 1) // 2])])


def coefficient_counts(workload: Workload) -> dict[Attrs, int]:
    """Every set of attributes within a set of the workload, with its number of coefficients, Π (size - 1).

    Those of all subsets of a set, n included, are as many as the marginal's cells. Raises ValueError for more than
    `MAX_COEFFICIENTS`.
    """
    sizes, counts, total = workload.domain.shape, {}, 0
    for S in workload.sets:
        for R in chain.from_iterable(combinations(S, order) for order in range(1, len(S) + 1)):
            if R not in counts:
                counts[R] = math.prod(sizes[a] - 1 for a in R)
                total += counts[R]
            if total > MAX_COEFFICIENTS:
                raise ValueError(
                    f"the workload's marginals have more than {MAX_COEFFICIENTS:,} Fourier coefficients, and each "
                    f"would get less than 1/{MAX_COEFFICIENTS:,} of the budget: lower k, leave attributes out, or "
                    "declare coarser bins"
                )
    return counts


def coefficients(workload: Workload) -> dict[Attrs, np.ndarray]:
    """The queries to measure, products of characters, by their set of attributes: (coefficients, *sizes)."""
    domain = workload.domain
    return {
        S: reduce(np.kron, [characters(size) for size in domain.sizes(S)]).reshape(count, *domain.sizes(S))
        for S, count in coefficient_counts(workload).items()
    }


def sensitivity(q: dict[Attrs, np.ndarray]) -> float:
    """The L1 sensitivity of all coefficients; for two-valued attributes it is their number.

    It is the sum over the sets of each set's largest L1 norm over a cell. One record attains it in all sets at once,
    as the norm of a product is the product of its factors' norms.
    """
    return sum(float(np.abs(own).sum(axis=0).max()) for own in q.values())
