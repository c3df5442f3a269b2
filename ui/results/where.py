"""Where answers are wrong: by pair of attributes, or by part of a workload."""

import numpy as np

from mwem_core.workload.workload import Workload

MOST_ATTRIBUTES = 40  # on a side of a map of pairs
GROUPS = 10


def pairs_apply(workload: Workload) -> bool:
    """Whether errors can be laid out by pair of attributes: parts of one attribute or more, none too special."""
    many = len(workload.domain) <= MOST_ATTRIBUTES and workload.parts > 1
    return many and (workload.tabular or workload.family == "parities")


def by_pairs(workload: Workload, gap: np.ndarray) -> np.ndarray:
    """(d, d), below the diagonal the mean error of the parts that ask about a pair of attributes, on it of those that
    ask about one; NaN where none does.

    `gap` is |answer - truth| in shares, (|Q|,). The error of a part is its total variation, or its mean gap where its
    queries are not the cells of a table.
    """
    d = len(workload.domain)
    sums, parts = np.zeros((d, d)), np.zeros((d, d))
    start = 0
    errors = part_errors(workload, gap)
    for block in workload.blocks:
        own = errors[start : start + len(block.sets)]
        start += len(block.sets)
        for i in range(block.sets.shape[1]):
            for j in range(i + 1):
                np.add.at(sums, (block.sets[:, i], block.sets[:, j]), own)
                np.add.at(parts, (block.sets[:, i], block.sets[:, j]), 1)
    with np.errstate(invalid="ignore"):
        return sums / parts


def part_errors(workload: Workload, gap: np.ndarray) -> np.ndarray:
    """(parts,): the total variation of a table; else the mean gap of its queries."""
    return workload.sum_by_part(gap) / (2 if workload.tabular else workload.query_counts)


def groups(workload: Workload, truth: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """Queries put in few groups, each named: one by one where they are few, else by the size of the true answer."""
    if workload.size <= 2 * GROUPS:
        return [(workload.query(j)[2], np.array([j])) for j in range(workload.size)]
    order = np.array_split(np.argsort(truth, kind="stable"), GROUPS)
    return [(f"{truth[part[0]]:.2g} to {truth[part[-1]]:.2g}", part) for part in order]
