"""Most probable weights of rows, given noisy counts of single queries: rows by importance sampling, then Newton."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce

import numpy as np

from mwem_core.domain import Attrs, Source, are_possible
from mwem_core.model import LogLinear
from mwem_core.weighted.weighted_records import WeightedRecords

PLANTED_DRAWS = 30  # draws in, and outside of, each query where fewer are expected
SHARED_DRAWS = 0.1  # draws more that meet several queries together
KEPT_SHARE = 0.1  # of A's own one-way marginals, so that every value is drawn

Query = tuple[Attrs, np.ndarray]  # attributes, and 0 or 1 for each cell of their marginal


def every_cell(A: LogLinear) -> WeightedRecords:
    """All cells of D as rows, with A's records."""
    codes = tuple(code.ravel() for code in np.indices(A.sizes))
    cells = A.marginal(tuple(range(len(A.sizes)))).ravel()
    return _possible_rows(A, codes, cells, cells.size)


def drawn_rows(
    A: LogLinear, like: Source, queries: Sequence[Query], held: np.ndarray, draws: int, rng: np.random.Generator
) -> WeightedRecords:
    """Rows that stand for A, one for each draw: of independent attributes, with nearly `like`'s one-way marginals.

    In and outside of each query, `PLANTED_DRAWS` more are made where fewer are expected. A row x is weighted by A(x)
    over the expected number of draws of x, so that its answers are A's in the mean (Owen & Zhou 2000, deterministic
    mixtures). A few draws more meet several queries together, each with the chance `held`, (queries,).
    No weight counts them, as they hardly change A's answers. Reads no private data.
    """
    ones = [(a,) for a in range(len(A.sizes))]
    shares = [
        (1 - KEPT_SHARE) * one / one.sum() + KEPT_SHARE * own / own.sum()
        for one, own in zip(like.marginals(ones), A.marginals(ones), strict=True)
    ]
    together = [rng.choice(len(p), round(SHARED_DRAWS * draws), p=p) for p in shares]
    blocks, planted = [[rng.choice(len(p), draws, p=p) for p in shares]], list[tuple[Query, float]]()
    for S, q in queries:
        product = reduce(np.multiply.outer, [shares[a] for a in S])
        for side in (q, 1 - q):
            chances = side * product
            if 0 < (chance := float(chances.sum())) * draws < PLANTED_DRAWS:
                block = [rng.choice(len(p), PLANTED_DRAWS, p=p) for p in shares]
                cells = rng.choice(side.size, PLANTED_DRAWS, p=chances.ravel() / chance)
                for a, code in zip(S, np.unravel_index(cells, side.shape), strict=True):
                    block[a] = code
                blocks.append(block)
                planted.append(((S, side), chance))
    for j in rng.permutation(len(queries)):
        (S, q), rows_in = queries[j], np.flatnonzero(rng.random(len(together[0])) < held[j])
        chances = (q * reduce(np.multiply.outer, [shares[a] for a in S])).ravel()
        if len(rows_in) and chances.sum() > 0:
            cells = rng.choice(q.size, len(rows_in), p=chances / chances.sum())
            for a, code in zip(S, np.unravel_index(cells, q.shape), strict=True):
                together[a][rows_in] = code
    blocks.append(together)
    rows = tuple(np.concatenate(columns) for columns in zip(*blocks, strict=True))
    expected = np.full(len(rows[0]), float(draws))
    for (S, side), chance in planted:
        expected += side[tuple(rows[a] for a in S)] * (PLANTED_DRAWS / chance)
    for p, row in zip(shares, rows, strict=True):
        expected *= p[row]
    weights = A.probability(rows) / expected
    return _possible_rows(A, rows, weights * (A.total / weights.sum()), draws)


def _possible_rows(A: LogLinear, codes: tuple[np.ndarray, ...], weights: np.ndarray, draws: int) -> WeightedRecords:
    """The rows that A's rules leave; A has no weight in the others."""
    if possible := A.possible:
        kept = are_possible(codes, possible)
        codes, weights = tuple(column[kept] for column in codes), weights[kept]
    return WeightedRecords(A.sizes, A.total, codes, weights, A.theta, draws, possible)


SUFFICIENT = 0.1  # share of the gain that the slope promises, from which a step is taken (Armijo 1966)
SHORTEST = 1e-10  # of a step, in units of the whole: rounding alone decides below it
STEPS = 40  # at most; ten are usual


@dataclass(frozen=True, eq=False)
class Tilt:
    """Weighted rows x_i, and queries whose log-weights θ tilt their weights: w_i ∝ w_i exp(Σ θ_j q_j(x_i)).

    `values` has q_j(x_i), (rows, queries), and `m` the queries' noisy counts in shares, (queries,).
    """

    rows: WeightedRecords
    queries: Sequence[Query]
    values: np.ndarray
    m: np.ndarray

    @classmethod
    def of(cls, rows: WeightedRecords, queries: Sequence[Query], counts: np.ndarray) -> "Tilt":
        """These queries on these rows, and their noisy counts, in records."""
        values = np.empty((rows.rows, len(queries)))
        for j, (S, q) in enumerate(queries):
            values[:, j] = q.ravel()[rows.cell(S)]
        return cls(rows, queries, values, counts / rows.total)

    @property
    def untilted(self) -> np.ndarray:
        """The θ of the rows as they are: zeros, (queries,)."""
        return np.zeros(len(self.queries))

    @cached_property
    def shares(self) -> np.ndarray:
        """The rows' weights, summing to 1: (rows,)."""
        return self.rows.weights / self.rows.total

    @property
    def gaps(self) -> np.ndarray:
        """m - q(rows), in records: (queries,)."""
        return self.rows.total * (self.m - self.shares @ self.values)

    def covariance(self, p: np.ndarray | None = None) -> np.ndarray:
        """The covariance of q(x) for a row x drawn with chances p, or by weight: (rows,) -> (queries, queries)."""
        p = self.shares if p is None else p
        centred = self.values - p @ self.values
        return (centred * p[:, None]).T @ centred

    def tilted(self, theta: np.ndarray) -> WeightedRecords:
        """The rows with their weights tilted by θ, (queries,)."""
        changed = dict(self.rows.theta)
        for (S, q), weight in zip(self.queries, theta.tolist(), strict=True):
            changed[S] = changed.get(S, 0.0) + weight * q
        return replace(self.rows, weights=self.rows.total * self._tilted(theta)[1], theta=changed)

    def most_probable(
        self, *, strength: float, variance: float, tolerance: float, start: np.ndarray, rows: float
    ) -> np.ndarray | None:
        """The θ whose p has the least n² Σ (m - q(p))² / 2 variance + λ KL(p || rows), between shares: (queries,).

        As in `model.most_probable`, it solves m - q(p) = κ θ with κ = λ variance / n², and is where the convex dual
        ln Z - Σ m θ + Σ κ θ² / 2 is least. `variance` is the noise's, in records². The search goes from `start` until
        the gap between both problems is at most `tolerance` times Σ 1/2. It ends with None where a step
        leaves fewer than so many `rows` in effect. Reads only its arguments, so it costs no privacy.
        """
        n, theta = self.rows.total, start
        ridge = strength * variance / n**2
        value, p = self._dual(theta, ridge)
        for _ in range(STEPS):
            gradient = p @ self.values - self.m + ridge * theta
            if n**2 * (gradient**2).sum() <= tolerance * variance * len(theta):
                break
            step, t = np.linalg.solve(self.covariance(p) + ridge * np.eye(len(theta)), -gradient), 1.0
            slope, ahead = float(gradient @ step), self._dual(theta + step, ridge)
            while ahead[0] > value + SUFFICIENT * t * slope and t > SHORTEST:
                t /= 2
                ahead = self._dual(theta + t * step, ridge)
            if ahead[0] >= value:
                break
            theta, (value, p) = theta + t * step, ahead
            if 1 / (p**2).sum() < rows:  # as many rows of equal weight have means that vary as much (Kish 1965)
                return None
        return theta

    def _dual(self, theta: np.ndarray, ridge: float) -> tuple[float, np.ndarray]:
        log_z, p = self._tilted(theta)
        return log_z - float(theta @ (self.m - ridge * theta / 2)), p

    def _tilted(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """ln Z and the tilted shares: (rows,)."""
        with np.errstate(divide="ignore"):  # cells in which A_0 has no records keep none
            logs = np.log(self.shares) + self.values @ theta
        p = np.exp(logs - logs.max())
        z = float(p.sum())
        return float(logs.max() + np.log(z)), p / z
