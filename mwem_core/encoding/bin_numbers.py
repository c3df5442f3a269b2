"""The numbers of bins: what a bin counts as, and how far a file's numbers are from its middle.

A bin from its first number to its last one has a middle m and a width W. The offset of a number x in it is (x - m) / W,
at most a half in size; a number outside, such as 24.7 where whole ones are declared and 24 is the last, counts as the
end that is nearer. So a record adds at most a half to the sum of offsets of one bin, and nothing to others.
"""

from __future__ import annotations

import numpy as np

from mwem_core.domain import Attribute, Domain, Records
from mwem_core.values import FINE, BinsToMeasure, Edges, tilted_variances

UNITS = 1000  # of an offset: it is rounded, so that sums are whole numbers and an exact sampler takes them


def spans(attribute: Attribute) -> np.ndarray:
    """The number that each code counts as, the least that it may be, and the most: (3, size). NaN without a number.

    A code counts as the mean of its numbers that was measured, or else as that of its numbers of the declared decimals;
    without these, bins with whole edges count as bins of whole numbers, though their numbers may lie anywhere between
    the edges.
    """
    kind = attribute.number_set
    assert kind is not None
    low, high, closed = (np.asarray(each, float) for each in kind.cells())
    middle = (low + high) / 2
    if isinstance(kind, Edges) and kind.inside:
        low, high = map(kind.inside.floats, kind.inside.grid(kind.edges))
        middle = (low + high) / 2
    elif isinstance(kind, Edges) and all(isinstance(edge, int) for edge in kind.edges):
        middle = (low + high - (1 - closed)) / 2
    middle = np.array(attribute.means) if attribute.means else middle
    return np.pad([middle, low, high], ((0, 0), (0, attribute.size - len(low))), constant_values=np.nan)


def squares(attribute: Attribute) -> np.ndarray:
    """The square that each code counts as, and by how much it may be off: (2, size). NaN without a number.

    It is that of the mean, and the variance of the tilted law of this mean (`values.inside`), which is off by at most
    .04 of the squared width or so: numbers may gather at ends of a bin, or in its middle.
    """
    (mean, low, high), points = spans(attribute), points_of(attribute)
    width = high - low
    place = np.nan_to_num((mean - low) / np.where(width > 0, width, 1.0), nan=0.5)
    within = tilted_variances(np.clip(place, 0.0, 1.0), points)
    return np.array([mean**2 + width**2 * within, 0.04 * width**2 * (points > 2)])


def points_of(attribute: Attribute) -> np.ndarray:
    """How many numbers each code may stand for, `FINE` where they are real: (size,)."""
    kind, (_, low, high) = attribute.number_set, np.nan_to_num(spans(attribute))
    if isinstance(kind, Edges) and not kind.inside:
        return np.full(len(low), float(FINE))
    return np.rint((high - low) / float(kind.inside.unit if isinstance(kind, Edges) and kind.inside else 1)) + 1


def attrs_in_bins(domain: Domain) -> tuple[int, ...]:
    """The attributes whose numbers, or dates, are in bins of several, declared or to be measured."""
    return tuple(
        a
        for a, attribute in enumerate(domain.attributes)
        if isinstance(attribute.value_set, BinsToMeasure)
        or (attribute.number_set and np.nanmax(np.ptp(spans(attribute)[1:], axis=0)) > 0)
    )


def offset_sums(records: Records, a: int) -> np.ndarray:
    """The sums of the offsets of all numbers in each bin, (bins,), whole numbers of 1/`UNITS`: private.

    A record without its own number counts as the middle of its bin.
    """
    attribute = records.domain.attributes[a]
    bins = attribute.value_set.size
    _, low, high = spans(attribute)[:, :bins]
    sums, x = np.zeros(bins), records.numbers.get(attribute.name)
    if x is None:
        return sums
    own = (records.codes[a] < bins) & np.isfinite(x)
    code, x = records.codes[a][own], x[own]
    width = np.where(high > low, high - low, np.inf)
    offset = np.rint(UNITS * np.clip((x - (low + high)[code] / 2) / width[code], -0.5, 0.5))
    weights = 1 if records.weights is None else records.weights[own]
    return np.bincount(code, offset * weights, bins)
