"""The parities that determine a workload of bits, and a convex body that contains those of every record.

The exact body K is the convex hull of ± the parities of every cell; maximising over it means trying all 2^d cells. L
contains K and is easy to maximise over for any number of bits: in L the parity of s △ t is the product ⟨u_s, v_t⟩ of
unit vectors, one for each set s of at most ⌈k/2⌉ and each set t of at most ⌊k/2⌋ attributes. A cell is the case of
vectors in one dimension, ±1. If several pairs (s, t) make the same parity, it is their mean (Dwork, Nikolov & Talwar
2014, section 4).
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mwem_core.workload import Workload, parities

MAX_MASK_BITS = 62  # up to this many attributes, each has its own bit in a key
MAX_PAIRS = 4 * 10**6  # of s and t
MAX_ALTERNATIONS, MIN_GAIN = 60, 1e-4  # alternate until one alternation gains no more than this share
MIN_DUAL = 1e-9  # the least dual variable, as a share of the largest it can be


@dataclass(frozen=True, eq=False)
class Parities:
    """All M parities of 1 to k of a domain's bits, at the places 1 .. M. Place 0 is the empty parity, the total.

    A set of attributes has a key, the exclusive or of its attributes' keys, so that the key of s △ t is that of s
    xor that of t. Raises ValueError for an attribute that is not a bit, or for too many parities.
    """

    workload: Workload

    @classmethod
    def behind(cls, Q: Workload) -> "Parities":
        """The parities of which `Q`, parities or marginals, is a linear function; ValueError for another workload."""
        for attribute in Q.domain.attributes:
            if attribute.size != 2:
                raise ValueError(
                    f"parities need attributes of two values, {attribute.name!r} has {attribute.size:,}: "
                    "leave it out, or choose a system that takes any table"
                )
        if Q.terms or not Q.has_residuals:
            raise ValueError(f"parities answer marginals and parities, not {Q.families}: choose another workload")
        return cls(parities(Q.domain, max(block.sets.shape[1] for block in Q.blocks)))

    @property
    def d(self) -> int:
        """The number of attributes."""
        return len(self.workload.domain)

    @property
    def k(self) -> int:
        """The highest order."""
        return self.workload.blocks[-1].sets.shape[1]

    @property
    def size(self) -> int:
        """M."""
        return self.workload.size

    @cached_property
    def keys(self) -> np.ndarray:
        """The keys of the sets at the places 0 .. M: bit masks, or for many attributes random keys of a fixed seed."""
        has_masks = self.d <= MAX_MASK_BITS
        bit = 1 << np.arange(self.d) if has_masks else np.random.default_rng(0).integers(1, 2**MAX_MASK_BITS, self.d)
        blocks = [np.bitwise_xor.reduce(bit[block.sets], axis=1) for block in self.workload.blocks]
        return np.concatenate([[0], *blocks])

    def places(self, keys: np.ndarray) -> np.ndarray:
        """The places of the sets with these keys, in an array of the same shape."""
        order = self.keys.argsort()
        return order[np.searchsorted(self.keys, keys, sorter=order)]

    def up_to(self, order: int) -> np.ndarray:
        """The keys of the sets of at most this many attributes."""
        return self.keys[: 1 + sum(len(block.sets) for block in self.workload.blocks[:order])]

    def weights(self, Q: Workload) -> np.ndarray:
        """(M,) shares w: the sum of Q's squared errors is proportional to Σ w (the parity's error)².

        A marginal's squared errors sum to 2^-|S| times those of the parities of its subsets (Parseval), so a parity
        counts for each marginal whose set contains its own.
        """
        if Q.family == "parities":
            return np.full(self.size, 1 / self.size)
        total = np.zeros(self.size + 1)
        for places in self._subsets(Q):
            total += np.bincount(places.ravel(), minlength=len(total)) / places.shape[1]
        return total[1:] / total[1:].sum()

    def answers(self, Q: Workload, values: np.ndarray, n: float) -> np.ndarray:
        """Q's answers from the (M,) parities' values and the total n.

        marginal_S(x) = 2^-|S| Σ_{R ⊆ S} (-1)^(x·R) parity_R. Cells are clipped to [0, n] and parities to [-n, n], which
        can only bring them closer to the truth.
        """
        if Q.family == "parities":
            return np.clip(values, -n, n)
        with_total = np.append(n, values)
        cells = [hadamard(with_total[places]) / places.shape[1] for places in self._subsets(Q)]
        return np.clip(np.concatenate([table.ravel() for table in cells]), 0, n)

    def _subsets(self, Q: Workload) -> list[np.ndarray]:
        """The places of all subsets of each part's attributes: per block (parts, 2^|S|), ordered as cells are."""
        blocks = []
        for block in Q.blocks:
            keys = np.zeros((len(block.sets), 1), np.int64)
            for attributes in block.sets.T:
                own = self.keys[1 + attributes][:, None]  # single attributes come first, in order
                keys = np.stack([keys, keys ^ own], axis=2).reshape(len(keys), -1)
            blocks.append(self.places(keys))
        return blocks


def hadamard(rows: np.ndarray) -> np.ndarray:
    """The Walsh-Hadamard transform of each row: (m, 2^j) -> (m, 2^j), Σ_R (-1)^(x·R) row[R] at x."""
    for _ in range(rows.shape[1].bit_length() - 1):  # each pass transforms the last bit and puts it first
        even, odd = rows[:, ::2], rows[:, 1::2]
        rows = np.concatenate([even + odd, even - odd], axis=1)
    return rows


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
