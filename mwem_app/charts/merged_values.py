"""Merging values of an attribute where there are more than can be drawn: neighbours, or all but the largest."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.domain import Attribute


@dataclass(frozen=True)
class Groups:
    """The values that are drawn: the label of each, and the one that each code of the attribute belongs to, (size,)."""

    labels: list[str]
    of_code: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)


def groups(attribute: Attribute, marginal: np.ndarray, max_values: int) -> Groups:
    """At most `max_values` values to draw; each code by itself if they suffice.

    Values with an order are merged with their neighbours. Of other values, those with the largest counts in `marginal`,
    (size,), stand alone, and the last group holds all others.
    """
    size, labels = attribute.size, attribute.labels
    if size <= max_values or attribute.ordered:
        special = np.arange(attribute.value_set.size, size)  # missing and the catch-all have no neighbours
        starts = np.append(merge_starts(attribute.value_set.size, max_values - len(special)), special)
        return Groups(merged_labels(labels, starts), np.searchsorted(starts, np.arange(size), side="right") - 1)
    alone = np.sort(np.argsort(-marginal, kind="stable")[: max_values - 1])
    of_code = np.full(size, len(alone))
    of_code[alone] = np.arange(len(alone))
    return Groups([*(labels[code] for code in alone), f"{size - len(alone):,} others"], of_code)


def sum_groups(table: np.ndarray, by_axis: Sequence[Groups]) -> np.ndarray:
    """The table with the codes of each axis summed by group."""
    orders = [np.argsort(side.of_code, kind="stable") for side in by_axis]
    starts = [
        np.searchsorted(side.of_code[order], np.arange(len(side))) for side, order in zip(by_axis, orders, strict=True)
    ]
    return sum_merged(table[np.ix_(*orders)], starts)


def merge_starts(size: int, max_values: int) -> np.ndarray:
    """The code at which each merged value begins: at most `max_values` of them, and every code if they suffice."""
    return np.arange(0, size, -(-size // max_values))


def merged_labels(labels: tuple[str, ...], starts: np.ndarray) -> list[str]:
    """The label of each merged value, from the first and last label in it: "17", "18 … 21", "[0, 30)"."""
    ends = np.append(starts[1:], len(labels)) - 1
    return [labels[a] if a == b else _span(labels[a], labels[b]) for a, b in zip(starts, ends, strict=True)]


def _span(first: str, last: str) -> str:
    if first.startswith("[") and last.endswith((")", "]")):  # bins
        return f"{first.split(', ')[0]}, {last.split(', ')[1]}"
    if ".." in first and ".." in last:  # cells of a range
        return f"{first.split('..')[0]}..{last.split('..')[1]}"
    return f"{first} … {last}"


def widths(attribute: Attribute, starts: np.ndarray) -> np.ndarray:
    """How wide each merged value is beside the mean one; what stands beside the values has no width."""
    own = starts[starts < attribute.value_set.size]
    if not attribute.ordered or len(own) == 1:
        return np.ones(len(own))
    low, high, _ = attribute.value_set.cells()  # type: ignore[union-attr] # as all value sets with an order have
    found = np.diff(low[own], append=high[-1] + (low[1] - high[0]))
    return found / found.mean()


def low_end(label: str) -> str:
    """The smallest number in the label of ordered values: 17 for "17", "17 … 20" and "[17, 21)". Else the label."""
    return label.split(" … ")[0].split("..")[0].split(", ")[0].removeprefix("[")


def sum_merged(table: np.ndarray, starts: Sequence[np.ndarray]) -> np.ndarray:
    """The table with the merged values of each axis summed; `starts` has one array per axis."""
    for axis, codes in enumerate(starts):
        table = np.add.reduceat(table, codes, axis=axis)
    return table
