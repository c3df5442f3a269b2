"""Barak et al.: measure every Fourier coefficient of the workload's marginals once, then find a table that has them.

Unlike MWEM nothing is selected: all coefficients get the same noise, and its scale grows with their number. `Barak`
ends by multiplicative weights, as MWEM's authors ran it (Hardt, Ligett & McSherry 2012, section 3.2); `BarakLP` by
the linear programme of the original (Barak, Chaudhuri, Dwork, Kale, McSherry & Talwar, PODS 2007).

Of two-valued attributes the coefficients are the parities, which is all the sources have. Attributes of more values
take the characters of the cyclic group in their place: a marginal is still known by the products of characters over
the subsets of its attributes, as many as it has cells, and each value is still in [-1, 1]. The coefficient of no
attribute at all is n, which is public.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, combinations

import numpy as np

from mwem_core.algorithm import OneShot, Round
from mwem_core.checks import check_positive, is_whole
from mwem_core.data.table import Table
from mwem_core.domain.source import Attrs
from mwem_core.model.junction_tree import JunctionTree
from mwem_core.model.loglinear import LogLinear
from mwem_core.model.measurement import Measurement
from mwem_core.model.replay import replay
from mwem_core.model.sums import spread
from mwem_core.privacy.budget import Guarantee
from mwem_core.privacy.ledger import Ledger
from mwem_core.privacy.noise import NoiseSource
from mwem_core.workload.workload import Workload

MOST = 2**12  # coefficients: at so small a share of the budget each, few are more than noise
MOST_CELLS = 2**12  # of a domain that a linear programme runs over
MOST_ENTRIES = 2**19  # of its matrix, coefficients times cells: ten seconds


@dataclass(frozen=True, kw_only=True)
class Barak(OneShot[LogLinear]):
    """Settings: ε, and those of the replay, as MWEM has them; by default it goes on until it rests.

    The paper's own is step=0.5, sweeps=100, tolerance=0, in_order=True. ε-differential privacy under adding or
    removing one record, the total n public: a record moves the coefficients by at most `sensitivity` in L1.
    """

    epsilon: float
    step: float = 1.0  # of an update, in units of error / n
    sweeps: int = 60  # at most
    tolerance: float = 0.01  # relative change of the squared residual below which the replay stops
    in_order: bool = False  # sweep the coefficients in their order, or as the tree lies
    cell_budget: int = 10**6  # cells the model may hold

    def __post_init__(self):
        self.guarantee  # noqa: B018  (checks ε)
        check_positive(step=self.step)
        for name in ("sweeps", "cell_budget"):
            if not is_whole(value := getattr(self, name)) or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")
        if not 0 <= self.tolerance < 1:
            raise ValueError(f"tolerance must be at least 0 and less than 1, got {self.tolerance!r}")

    def check(self, workload: Workload) -> None:
        """Refuse more coefficients than `MOST`, and marginals of which no model holds all within the cell budget."""
        sizes = workload.domain.shape
        tree = JunctionTree.over(closure(workload), sizes)
        cells = sum(math.prod(sizes[a] for a in clique) for clique in tree.cliques)
        if cells > self.cell_budget:
            raise ValueError(
                f"a model of all the marginals at once has {cells:,} cells and may hold {self.cell_budget:,}: "
                "lower k, leave attributes out, or raise the cell budget"
            )

    def _round(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[LogLinear]:
        """All coefficients measured, and the uniform table updated by them until it rests."""
        q = coefficients(Q)
        values, scale, ledger = _measure(B, q, self.guarantee, noise)
        queries = ((S, each) for S, own in q.items() for each in own)
        measured = [Measurement(S, value, scale, each) for (S, each), value in zip(queries, values, strict=True)]
        A = LogLinear.of(B.domain.shape, float(B.total), {}, cover=q)
        how = {"step": self.step, "sweeps": self.sweeps, "tolerance": self.tolerance, "in_order": self.in_order}
        return Round(1, ledger, replay(A, measured, **how), label=_label(values))


@dataclass(frozen=True, kw_only=True)
class BarakLP(OneShot[LogLinear]):
    """Settings: ε. ε-differential privacy under adding or removing one record, the total n public.

    The table is non-negative, sums to n, and of all such tables its coefficients' largest distance from the measured
    ones is least. Most of its cells are empty. The original's rounding to whole records is left out.
    """

    epsilon: float

    def __post_init__(self):
        self.guarantee  # noqa: B018  (checks ε)

    def check(self, workload: Workload) -> None:
        """Refuse a domain, or a matrix of coefficients by cells, that is too large for the programme."""
        cells = workload.domain.size
        if cells > MOST_CELLS:
            raise ValueError(
                f"the linear programme has a variable a cell, and the domain more than {MOST_CELLS:,} cells, which is "
                "what fits: leave attributes out, or take the form that replays"
            )
        entries = cells * sum(closure(workload).values())
        if entries > MOST_ENTRIES:
            raise ValueError(
                f"the linear programme of {entries // cells:,} coefficients over {cells:,} cells has {entries:,} "
                f"entries, and {MOST_ENTRIES:,} fit: lower k, leave attributes out, or take the form that replays"
            )

    def _round(self, B: Table, Q: Workload, noise: NoiseSource) -> Round[LogLinear]:
        """All coefficients measured, and the table nearest to them."""
        q, sizes = coefficients(Q), B.domain.shape
        values, _, ledger = _measure(B, q, self.guarantee, noise)
        with np.errstate(divide="ignore"):  # an empty cell has log-weight -inf
            theta = np.log(nearest(sizes, q, values / B.total))
        A = LogLinear.of(sizes, float(B.total), {tuple(range(len(sizes))): theta})
        return Round(1, ledger, A, label=_label(values))

    def bound(self, workload: Workload, *, beta: float) -> float:
        """What no coefficient's error exceeds, in records, with probability at least 1 - β: 2 (Δ/ε) ln(M/β).

        Each of M Laplace draws of scale Δ/ε exceeds (Δ/ε) ln(M/β) with probability β/M. If none does, the true table
        lies within that of what was measured, so the nearest table lies no further off, on the other side at worst.
        A cell of a marginal of k bits is a mean of 2^k coefficients, ± n among them, so it errs by no more either.
        """
        q = coefficients(workload)
        return 2 * sensitivity(q) / self.epsilon * math.log(sum(map(len, q.values())) / beta)


def preset(workload: Workload, *, n: float, epsilon: float, delta: float = 0.0, T: int | None = None) -> Barak:
    """What MWEM's authors compared with, its replay the one of MWEM's default. Reads ε alone."""
    return Barak(epsilon=epsilon)


def original(workload: Workload, *, n: float, epsilon: float, delta: float = 0.0, T: int | None = None) -> BarakLP:
    """As published in 2007. Reads ε alone."""
    return BarakLP(epsilon=epsilon)


def _measure(
    B: Table, q: dict[Attrs, np.ndarray], guarantee: Guarantee, noise: NoiseSource
) -> tuple[np.ndarray, float, Ledger]:
    """All coefficients of B with all of the budget, their noise's scale, and what it cost."""
    tables = zip(q.values(), B.marginals(list(q)), strict=True)
    exact = np.concatenate([own.reshape(len(own), -1) @ table.ravel() for own, table in tables])
    part = guarantee.budget.part(1 / sensitivity(q))
    ledger = Ledger(guarantee.budget).spend(measure=guarantee.budget.amount)
    return part.measure(exact, noise), part.scale, ledger


def _label(values: np.ndarray) -> str:
    return f"{len(values):,} Fourier coefficients"


def nearest(sizes: Sequence[int], q: dict[Attrs, np.ndarray], values: np.ndarray) -> np.ndarray:
    """The table p of shares that minimises b subject to |q(p) - value| <= b for all of q, Σ p = 1 and p >= 0."""
    from scipy.optimize import linprog  # 0.3 s: only this form pays it

    cells, everything = math.prod(sizes), tuple(range(len(sizes)))
    C = np.array([np.broadcast_to(spread(each, S, everything), sizes).ravel() for S, own in q.items() for each in own])
    b = np.full((len(C), 1), -1.0)
    found = linprog(
        np.append(np.zeros(cells), 1.0),
        A_ub=np.block([[C, b], [-C, b]]),
        b_ub=np.append(values, -values),
        A_eq=np.append(np.ones(cells), 0.0)[None],
        b_eq=[1.0],
        method="highs",
    )
    if not found.success:
        raise ValueError(f"the linear programme was not solved ({found.message}): take the form that replays")
    p = np.maximum(found.x[:-1], 0.0)
    return (p / p.sum()).reshape(sizes)


def characters(size: int) -> np.ndarray:
    """The cyclic group's characters, real and imaginary parts, without the trivial one: (size - 1, size).

    Orthogonal to each other and to 1, in [-1, 1]; of two values the sign: [[1, -1]].
    """
    turns = np.outer(np.arange(1, size // 2 + 1), np.arange(size)) % size * (2 * np.pi / size)
    return np.concatenate([np.cos(turns), np.sin(turns[: (size - 1) // 2])])


def closure(workload: Workload) -> dict[Attrs, int]:
    """Every set of attributes within one the workload asks about, with how many coefficients it has of its own.

    Π (size - 1) over the set, so that those of all its subsets, n included, are as many as the marginal has cells.
    Raises ValueError where there are more than `MOST`.
    """
    sizes, found, many = workload.domain.shape, {}, 0
    for S in workload.sets:
        for R in chain.from_iterable(combinations(S, order) for order in range(1, len(S) + 1)):
            if R not in found:
                found[R] = math.prod(sizes[a] - 1 for a in R)
                many += found[R]
            if many > MOST:
                raise ValueError(
                    f"the workload's marginals have more than {MOST:,} Fourier coefficients, and each would get "
                    f"less than 1/{MOST:,} of the budget: lower k, leave attributes out, or declare coarser bins"
                )
    return found


def coefficients(workload: Workload) -> dict[Attrs, np.ndarray]:
    """The queries to measure, products of characters: each set of attributes' own, (coefficients, *sizes)."""
    domain = workload.domain
    return {
        S: reduce(np.kron, [characters(size) for size in domain.sizes(S)]).reshape(many, *domain.sizes(S))
        for S, many in closure(workload).items()
    }


def sensitivity(q: dict[Attrs, np.ndarray]) -> float:
    """The most that one record adds up to over all the coefficients: their number, if all attributes have two values.

    The sum over sets of each set's own most, which one record attains: of a product, factor by factor.
    """
    return sum(float(np.abs(own).sum(axis=0).max()) for own in q.values())
