"""Weighted rows that stand for one model, drawn by another that has more of what is asked: importance sampling."""

from collections.abc import Sequence
from functools import reduce

import numpy as np

from mwem_core.domain import Attrs, Source, are_possible
from mwem_core.model import LogLinear
from mwem_core.weighted.weighted_records import WeightedRecords

PLANTED = 30  # draws in, and outside of, each query where fewer are expected
SHARED_DRAWS = 0.1  # draws more that meet several queries together
KEPT = 0.1  # of A's own one-way marginals, so that every value is drawn

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

    In and outside of each query, `PLANTED` draws more are made where fewer are expected. A row x is weighted by A(x)
    over the expected number of draws of x, so that its answers are A's in the mean (Owen & Zhou 2000, deterministic
    mixtures). A few draws more meet several queries together, each with the chance `held`, (queries,).
    No weight counts them, as they hardly change A's answers. Reads no private data.
    """
    ones = [(a,) for a in range(len(A.sizes))]
    shares = [
        (1 - KEPT) * one / one.sum() + KEPT * own / own.sum()
        for one, own in zip(like.marginals(ones), A.marginals(ones), strict=True)
    ]
    together = [rng.choice(len(p), round(SHARED_DRAWS * draws), p=p) for p in shares]
    blocks, planted = [[rng.choice(len(p), draws, p=p) for p in shares]], list[tuple[Query, float]]()
    for S, q in queries:
        product = reduce(np.multiply.outer, [shares[a] for a in S])
        for side in (q, 1 - q):
            chances = side * product
            if 0 < (chance := float(chances.sum())) * draws < PLANTED:
                block = [rng.choice(len(p), PLANTED, p=p) for p in shares]
                cells = rng.choice(side.size, PLANTED, p=chances.ravel() / chance)
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
        expected += side[tuple(rows[a] for a in S)] * (PLANTED / chance)
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
