"""Merging neighbouring values of an attribute where there are more than can be drawn."""

from collections.abc import Sequence

import numpy as np


def merge_starts(size: int, max_values: int) -> np.ndarray:
    """The code at which each merged value begins: at most `max_values` of them, and every code if they suffice."""
    return np.arange(0, size, -(-size // max_values))


def merged_labels(labels: tuple[str, ...], starts: np.ndarray) -> list[str]:
    """The label of each merged value: "17", "18 … 21"."""
    ends = np.append(starts[1:], len(labels)) - 1
    return [labels[a] if a == b else f"{labels[a]} … {labels[b]}" for a, b in zip(starts, ends, strict=True)]


def merged(table: np.ndarray, starts: Sequence[np.ndarray]) -> np.ndarray:
    """The table with the merged values of each axis summed; `starts` has one array per axis."""
    for axis, codes in enumerate(starts):
        table = np.add.reduceat(table, codes, axis=axis)
    return table
