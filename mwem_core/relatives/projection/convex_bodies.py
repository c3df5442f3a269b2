"""The convex bodies in which the parities of a table of bits lie, for one record: what is possible, and what is easy.

K, the convex hull of ± the parities of every cell, is what is possible; a linear function on it is maximised by trying
all 2^d cells. L holds K and is easy at any d: the parity of s △ t is the product ⟨u_s, v_t⟩ of unit vectors, one for
each set s of at most ⌈k/2⌉ and t of at most ⌊k/2⌋ attributes (±1 for a cell: a vector of one dimension). Where several
pairs make the same parity, it is their mean (Dwork, Nikolov & Talwar 2014, section 4).
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from mwem_core.relatives.projection.parities import Parities, hadamard

MOST_PAIRS = 4 * 10**6  # of s and t
MOST_BITS = 20  # of a domain whose cells are all tried
SWEEPS, GAIN = 60, 1e-4  # alternate so often at most, or until a sweep gains no more than this share
SMALLEST = 1e-9  # a dual variable, beside the most it can be


@dataclass(frozen=True, eq=False)
class Vertex:
    """A point of a body, (M,), and the vectors it was made of: where the search for the next one starts."""

    x: np.ndarray
    U: np.ndarray | None = None
    V: np.ndarray | None = None


class Body(Protocol):
    """A convex set in R^M, symmetric about 0, within [-1, 1]."""

    @property
    def work(self) -> float:
        """Of a pass of the linear step, in multiplications."""
        ...

    def furthest(self, a: np.ndarray, near: Vertex | None = None) -> Vertex:
        """The linear step: an x in the body with ⟨a, x⟩ as large as it finds, started from `near`."""
        ...

    def bound(self, a: np.ndarray, vertex: Vertex) -> float:
        """No x in the body has a larger ⟨a, x⟩, however `vertex` was found; close where it is the furthest."""
        ...


@dataclass(frozen=True, eq=False)
class Exact:
    """K. Raises ValueError for more than 20 bits."""

    queries: Parities

    def __post_init__(self):
        if self.queries.d > MOST_BITS:
            raise ValueError(
                f"the exact body tries all 2^{self.queries.d} cells, 2^{MOST_BITS} fit: choose the relaxed one"
            )

    @property
    def work(self) -> float:
        """d additions a cell, each as slow as ten multiplications inside a product of matrices."""
        return 10 * self.queries.d * 2.0**self.queries.d

    def furthest(self, a: np.ndarray, near: Vertex | None = None) -> Vertex:
        """The best cell of all, or its opposite."""
        masks = self.queries.keys[1:]
        table = np.zeros((1, 2**self.queries.d))
        table[0, masks] = a
        values = hadamard(table)[0]
        cell = int(np.abs(values).argmax())
        return Vertex(np.sign(values[cell]) * (-1.0) ** np.bitwise_count(masks & cell))

    def bound(self, a: np.ndarray, vertex: Vertex) -> float:
        """⟨a, vertex⟩: it was the best of all."""
        return float(a @ vertex.x)


@dataclass(frozen=True, eq=False)
class Relaxed:
    """L. Raises ValueError where there are too many pairs (s, t).

    With A_st the share of a that the pair makes, ⟨a, x⟩ = Σ A_st ⟨u_s, v_t⟩: a semidefinite programme. Vectors of
    √(2N) dimensions, for N of them, are as good as any (Barvinok 1995, Pataki 1998).
    """

    queries: Parities

    def __post_init__(self):
        halves = [
            sum(math.comb(self.queries.d, order) for order in range(half + 1))
            for half in (-(-self.queries.k // 2), self.queries.k // 2)
        ]
        if math.prod(halves) > MOST_PAIRS:
            raise ValueError(
                f"the relaxed body of order {self.queries.k} has {math.prod(halves):,} pairs of vectors, "
                f"{MOST_PAIRS:,} fit: lower k, or leave an attribute out"
            )

    @cached_property
    def places(self) -> np.ndarray:
        """Where the parity of s △ t stands, for all s and t."""
        s, t = self.queries.upto(-(-self.queries.k // 2)), self.queries.upto(self.queries.k // 2)
        return self.queries.places(s[:, None] ^ t)

    @cached_property
    def pairs(self) -> np.ndarray:
        """How many pairs make each parity: (M + 1,)."""
        return np.bincount(self.places.ravel(), minlength=self.queries.size + 1).astype(float)

    @property
    def dimension(self) -> int:
        """Of the vectors."""
        return math.ceil(math.sqrt(2 * sum(self.places.shape)))

    @property
    def work(self) -> float:
        """Two products of matrices."""
        return 2.0 * self.places.size * self.dimension

    def furthest(self, a: np.ndarray, near: Vertex | None = None) -> Vertex:
        """Alternate u_s <- Σ_t A_st v_t and v_t <- Σ_s A_st u_s, each made a unit vector: ⟨a, x⟩ never falls."""
        A = self._matrix(a)
        if near is None or near.V is None:
            V = np.random.default_rng(0).normal(size=(A.shape[1], self.dimension))
        else:
            V = near.V
        U, value = V, -1.0
        for _ in range(SWEEPS):
            U = A @ V
            U /= _norms(U)
            V = A.T @ U
            norms = _norms(V)
            V /= norms
            before, value = value, float(norms.sum())
            if value - before <= GAIN * value:
                break
        sums = np.bincount(self.places.ravel(), (U @ V.T).ravel(), minlength=len(self.pairs))
        return Vertex((sums / self.pairs)[1:], U, V)

    def bound(self, a: np.ndarray, vertex: Vertex) -> float:
        """½ (Σ λ_s + Σ μ_t) for any λ, μ with [[diag λ, -A], [-Aᵀ, diag μ]] >= 0, which says so of every U, V.

        For w = (U, V), the trace of wᵀ [...] w is Σ λ_s + Σ μ_t - 2 Σ A_st ⟨u_s, v_t⟩, and not negative. At the
        furthest point λ_s = |Σ_t A_st v_t| and μ_t = |Σ_s A_st u_s|; elsewhere these, times the largest singular value
        of diag(λ)^-½ A diag(μ)^-½, will do.
        """
        A = self._matrix(a)
        unit = np.abs(A).max()
        if not unit or vertex.U is None or vertex.V is None:
            return float(np.abs(a).sum())
        A = A / unit
        rows, columns = _norms(A @ vertex.V).ravel(), _norms(A.T @ vertex.U).ravel()
        lam, mu = (np.maximum(norms, SMALLEST * A.shape[1]) for norms in (rows, columns))
        scaled = A / np.sqrt(np.outer(lam, mu))
        largest = math.sqrt(np.linalg.eigvalsh(scaled.T @ scaled)[-1])
        return float(unit * largest * (lam.sum() + mu.sum()) / 2)

    def _matrix(self, a: np.ndarray) -> np.ndarray:
        """A."""
        return (np.append(0.0, a) / self.pairs)[self.places]


def _norms(vectors: np.ndarray) -> np.ndarray:
    """(m, 1) lengths, and a number too small to see for those that have none."""
    return np.maximum(np.sqrt((vectors**2).sum(axis=1, keepdims=True)), 1e-300)
