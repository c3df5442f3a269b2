"""More values than can be drawn: those side by side are drawn as one."""

from collections.abc import Sequence

import numpy as np


def groups(size: int, most: int) -> np.ndarray:
    """The code each group begins with, at most `most` of them: one a code, where there are no more than that."""
    return np.arange(0, size, -(-size // most))


def spans(labels: tuple[str, ...], starts: np.ndarray) -> list[str]:
    """What each group is called: "17", "18 … 21"."""
    ends = np.append(starts[1:], len(labels)) - 1
    return [labels[a] if a == b else f"{labels[a]} … {labels[b]}" for a, b in zip(starts, ends, strict=True)]


def grouped(table: np.ndarray, starts: Sequence[np.ndarray]) -> np.ndarray:
    """The table with the groups of each axis summed."""
    for axis, codes in enumerate(starts):
        table = np.add.reduceat(table, codes, axis=axis)
    return table
