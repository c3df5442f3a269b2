"""Errors of rows, or of a model's answers, against the truth: one definition for every system."""

from collections.abc import Callable, Sequence

import numpy as np

Attrs = tuple[int, ...]
Shares = Callable[[Attrs], np.ndarray]  # a marginal's flat cells, as shares


def errors(
    sets: Sequence[Attrs], ranges: Sequence[tuple[int, int]], truth: Shares, estimate: Shares
) -> dict[str, float]:
    """|true - estimate| over all cells of the marginals, or over ranges of the first attribute, both ends included.

    Each side is a share of its own records. Total variation is half the L1 norm of a marginal's error: `mean_tv` is its
    average over the marginals, `max_tv` its maximum.
    """
    largest, total, cells, variations = 0.0, 0.0, 0, []
    for S in sets or [(0,)]:
        gap = truth(S) - estimate(S)
        gap = np.abs(_sums(gap, np.array(ranges)) if ranges else gap)
        largest, total, cells = max(largest, float(gap.max())), total + float(gap.sum()), cells + gap.size
        variations.append(float(gap.sum()) / 2)
    of_queries = {"max": largest, "mean": total / cells}
    return of_queries if ranges else {**of_queries, "mean_tv": float(np.mean(variations)), "max_tv": max(variations)}


def of_rows(columns: Sequence[np.ndarray], sizes: Sequence[int]) -> Shares:
    """Marginals of rows, which are given as one array of codes per attribute."""

    def shares(S: Attrs) -> np.ndarray:
        cell = np.ravel_multi_index([columns[a].astype(np.intp) for a in S], [sizes[a] for a in S])
        return np.bincount(cell, minlength=_cells(S, sizes)) / len(cell)

    return shares


def of_answers(flat: np.ndarray, sets: Sequence[Attrs], sizes: Sequence[int]) -> Shares:
    """Marginals in shares, which are given one after the other in a flat array."""
    ends = np.cumsum([_cells(S, sizes) for S in sets or [(0,)]])
    tables = dict(zip(sets or [(0,)], np.split(flat, ends[:-1]), strict=True))
    return tables.__getitem__


def _cells(S: Attrs, sizes: Sequence[int]) -> int:
    return int(np.prod([sizes[a] for a in S]))


def _sums(cells: np.ndarray, ranges: np.ndarray) -> np.ndarray:
    running = np.concatenate([[0.0], np.cumsum(cells)])
    return running[ranges[:, 1] + 1] - running[ranges[:, 0]]
