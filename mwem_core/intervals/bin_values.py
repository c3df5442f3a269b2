"""What bins of numbers count as: their means, from the sums of offsets that were measured, and how far off they may be.

An offset is how far a number is from the middle m of its bin, in widths W of it. The sum c of n records' offsets has
noise of variance V, so c / n has v = V / n². From the numbers of records in the bins around it one expects an offset e
(`values.inside`); real tables differ from it by about τ, `TYPICAL`. So a bin counts as m + W (w c / n + (1 - w) e) with
w = τ² / (τ² + v): the nearest to its mean, by squares. What w leaves out is a doubt of τ widths: numbers gather at the
lower ends of bins, so the doubts of several bins point one way and add up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mwem_core.domain import Attrs, Domain
from mwem_core.encoding import attrs_in_bins, points_of, spans
from mwem_core.intervals.pooled_estimates import Estimates
from mwem_core.model import Measurement
from mwem_core.values import places_by_rows

TYPICAL = 0.25  # widths: τ


@dataclass(frozen=True, eq=False)
class BinValues:
    """What each code of an attribute with numbers in bins counts as, with what a question has to know: (size,) each.

    `widths` are those of the bins. `noise` is the standard deviation of the means by the noise of the measurement, and
    `doubts` how far off they may be besides. All are 0 for a code without numbers.
    """

    means: np.ndarray
    widths: np.ndarray
    noise: np.ndarray
    doubts: np.ndarray


def bin_values(
    domain: Domain,
    known: Estimates,
    offsets: Sequence[Measurement],
    unit_variance: float,
    marginal: Callable[[Attrs], np.ndarray],
) -> Mapping[int, BinValues]:
    """Of each attribute with numbers in bins, whether offsets were measured or not.

    `unit_variance` is that of noise of scale 1. The records of a bin are those that are known, or a model's `marginal`.
    """
    measured, found = {m.attrs[0]: m for m in offsets}, {}
    for a in attrs_in_bins(domain):
        attribute = replace(domain.attributes[a], means=())
        middle, low, high = np.nan_to_num(spans(attribute))
        if a not in measured:
            found[a] = BinValues(middle, high - low, np.zeros(len(low)), (high - low) * TYPICAL)
            continue
        variance = unit_variance * measured[a].scale ** 2
        bins = len(measured[a].value)
        sums = np.pad(measured[a].value, (0, len(low) - bins))
        n = np.maximum(known.table((a,))[0] if known.knows((a,)) else marginal((a,)), 0.0)
        gain, width = TYPICAL**2 * n / ((TYPICAL * n) ** 2 + variance), high - low  # w / n
        points = points_of(attribute)
        apart = np.where(points > 1, width * points / np.maximum(points - 1, 1), 0.0)  # from a bin's start to the next
        expected = np.pad(places_by_rows(apart[:bins], n[:bins]) - 0.5, (0, len(low) - bins))
        offset = np.clip(gain * sums + (1 - gain * n) * expected, -0.5, 0.5)
        means = np.where(width > 0, (low + high) / 2 + width * offset, middle)
        found[a] = BinValues(means, width, width * gain * variance**0.5, width * (1 - gain * n) * TYPICAL)
    return found


def with_means(domain: Domain, values: Mapping[int, BinValues]) -> Domain:
    """The domain whose bins count as these means."""
    means = {
        domain.names[a]: tuple(own.means[: domain.attributes[a].value_set.size].tolist()) for a, own in values.items()
    }
    each = (replace(attribute, means=means.get(attribute.name, ())) for attribute in domain.attributes)
    return replace(domain, attributes=tuple(each))
