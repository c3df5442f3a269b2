"""L, a convex body that contains the parities of every record and is easy to maximise over, for any number of bits.

The exact body K is the convex hull of ± the parities of every cell; maximising over it means trying all 2^d cells. L
contains K: in L the parity of s △ t is the product ⟨u_s, v_t⟩ of unit vectors, one for each set s of at most ⌈k/2⌉ and
each set t of at most ⌊k/2⌋ attributes. A cell is the case of vectors in one dimension, ±1. If several pairs (s, t) make
the same parity, it is their mean (Dwork, Nikolov & Talwar 2014, section 4).
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mwem_core.relatives.projection.parities import Parities

MAX_PAIRS = 4 * 10**6  # of s and t
MAX_ALTERNATIONS, MIN_GAIN = 60, 1e-4  # alternate until one alternation gains no more than this share
MIN_DUAL = 1e-9  # the least dual variable, as a share of the largest it can be


@dataclass(frozen=True, eq=False)
class Vertex:
    """A point of a body, (M,), and the vectors that make it; the search for the next vertex starts from them."""

    x: np.ndarray
    U: np.ndarray
    V: np.ndarray


@dataclass(frozen=True, eq=False)
class RelaxedBody:
    """L: a convex set in R^M, symmetric about 0, within [-1, 1]. Raises ValueError for too many pairs (s, t).

    With A_st the share of a that the pair (s, t) makes, ⟨a, x⟩ = Σ A_st ⟨u_s, v_t⟩: a semidefinite programme. For N
    vectors, √(2N) dimensions are as good as any number (Barvinok 1995, Pataki 1998).
    """

    queries: Parities

    def __post_init__(self):
        halves = [
            sum(math.comb(self.queries.d, order) for order in range(half + 1))
            for half in (-(-self.queries.k // 2), self.queries.k // 2)
        ]
        if math.prod(halves) > MAX_PAIRS:
            raise ValueError(
                f"the relaxed body of order {self.queries.k} has {math.prod(halves):,} pairs of vectors, "
                f"{MAX_PAIRS:,} fit: lower k, or leave an attribute out"
            )

    @cached_property
    def places(self) -> np.ndarray:
        """The place of the parity of s △ t, for all s and t."""
        s, t = self.queries.up_to(-(-self.queries.k // 2)), self.queries.up_to(self.queries.k // 2)
        return self.queries.places(s[:, None] ^ t)

    @cached_property
    def pairs(self) -> np.ndarray:
        """The number of pairs that make each parity: (M + 1,)."""
        return np.bincount(self.places.ravel(), minlength=self.queries.size + 1).astype(float)

    @property
    def dimension(self) -> int:
        """The dimension of the vectors."""
        return math.ceil(math.sqrt(2 * sum(self.places.shape)))

    @property
    def work(self) -> float:
        """Multiplications in one alternation of the linear step: two products of matrices."""
        return 2.0 * self.places.size * self.dimension

    def furthest(self, a: np.ndarray, near: Vertex | None = None) -> Vertex:
        """The linear step: an x in L with a large ⟨a, x⟩, searched from `near`.

        Alternates u_s <- Σ_t A_st v_t and v_t <- Σ_s A_st u_s, each normalised: ⟨a, x⟩ never falls.
        """
        A = self._matrix(a)
        V = np.random.default_rng(0).normal(size=(A.shape[1], self.dimension)) if near is None else near.V
        U, value = V, -1.0
        for _ in range(MAX_ALTERNATIONS):
            U = A @ V
            U /= _norms(U)
            V = A.T @ U
            norms = _norms(V)
            V /= norms
            before, value = value, float(norms.sum())
            if value - before <= MIN_GAIN * value:
                break
        sums = np.bincount(self.places.ravel(), (U @ V.T).ravel(), minlength=len(self.pairs))
        return Vertex((sums / self.pairs)[1:], U, V)

    def bound(self, a: np.ndarray, vertex: Vertex) -> float:
        """An upper bound on ⟨a, x⟩ over L, whatever `vertex` is; it is close if `vertex` is the furthest point.

        It is ½ (Σ λ_s + Σ μ_t) for any λ, μ with [[diag λ, -A], [-Aᵀ, diag μ]] >= 0: with w = (U, V), the trace of
        wᵀ [...] w is Σ λ_s + Σ μ_t - 2 Σ A_st ⟨u_s, v_t⟩, and not negative. At the furthest point λ_s = |Σ_t A_st v_t|
        and μ_t = |Σ_s A_st u_s|. Elsewhere these are multiplied by the largest singular value of diag(λ)^-½ A
        diag(μ)^-½.
        """
        A = self._matrix(a)
        unit = np.abs(A).max()
        if not unit:
            return float(np.abs(a).sum())
        A = A / unit
        rows, columns = _norms(A @ vertex.V).ravel(), _norms(A.T @ vertex.U).ravel()
        lam, mu = (np.maximum(norms, MIN_DUAL * A.shape[1]) for norms in (rows, columns))
        scaled = A / np.sqrt(np.outer(lam, mu))
        largest = math.sqrt(np.linalg.eigvalsh(scaled.T @ scaled)[-1])
        return float(unit * largest * (lam.sum() + mu.sum()) / 2)

    def _matrix(self, a: np.ndarray) -> np.ndarray:
        """A."""
        return (np.append(0.0, a) / self.pairs)[self.places]


def _norms(vectors: np.ndarray) -> np.ndarray:
    """The lengths of the rows, (m, 1), and a tiny number for rows of length 0."""
    return np.maximum(np.sqrt((vectors**2).sum(axis=1, keepdims=True)), 1e-300)
