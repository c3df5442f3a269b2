"""Errors by pair of attributes, or by group of queries."""

import numpy as np

from mwem_core.workload import Workload

MAX_MAP_ATTRIBUTES = 40  # on each side of a map of pairs
QUERY_GROUPS = 10


def has_pair_map(workload: Workload) -> bool:
    """Whether errors can be shown by pair of attributes: several parts, and each part is about attributes alone."""
    fits = len(workload.domain) <= MAX_MAP_ATTRIBUTES and workload.parts > 1
    return fits and workload.has_residuals and not workload.terms


def error_by_pair(workload: Workload, gap: np.ndarray) -> np.ndarray:
    """Mean error of the parts that hold a pair of attributes, (d, d): pairs below the diagonal, NaN where no part is.

    On the diagonal: of all parts that hold the attribute. `gap` is |answer - truth| in shares, (|Q|,).
    """
    d = len(workload.domain)
    sums, parts = np.zeros((d, d)), np.zeros((d, d))
    start = 0
    errors = part_errors(workload, gap)
    for block in workload.blocks:
        block_errors = errors[start : start + len(block.sets)]
        start += len(block.sets)
        for i in range(block.sets.shape[1]):
            for j in range(i + 1):
                np.add.at(sums, (block.sets[:, i], block.sets[:, j]), block_errors)
                np.add.at(parts, (block.sets[:, i], block.sets[:, j]), 1)
    with np.errstate(invalid="ignore"):
        return sums / parts


def part_errors(workload: Workload, gap: np.ndarray) -> np.ndarray:
    """Total variation of each marginal, else the mean gap of each part's queries: (|Q|,) -> (parts,)."""
    return workload.sum_by_part(gap) / np.where(workload.whole, 2, workload.query_counts)


def query_groups(workload: Workload, truth: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """(label, indices of queries) of each group: single queries if there are few, else by size of the true answer."""
    if workload.size <= 2 * QUERY_GROUPS:
        return [(workload.query(j)[2], np.array([j])) for j in range(workload.size)]
    groups = np.array_split(np.argsort(truth, kind="stable"), QUERY_GROUPS)
    return [(f"{truth[group[0]]:.2g} to {truth[group[-1]]:.2g}", group) for group in groups]
