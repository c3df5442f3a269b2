"""The two ends of each interval, before they are rounded."""

from typing import NamedTuple

import numpy as np

from mwem_core.intervals.quantiles import deviations

ALPHA = 0.05  # the chance that an interval misses the true answer
NEXT = 0.5 + 2.0**-20  # records: an end so far from a whole number is rounded to the next


class Ends(NamedTuple):
    """`low` and `high`, in records, and which intervals are `measured`: (|Q|,) each."""

    low: np.ndarray
    high: np.ndarray
    measured: np.ndarray


def of_counts(value: np.ndarray, deviation: np.ndarray | float, unit: str) -> tuple[np.ndarray, np.ndarray]:
    """The ends for counts that cannot be negative, from unbiased values and their standard deviations: (counts,) each.

    With t what noise exceeds in size with a chance of 5%, and t₁ with 10%: from max(m - t, min(m / 2, m - t₁)), at
    least 0, to max(m, 0) + t. A count of μ is missed from above by an m beyond μ + t₁ if μ <= t₁, beyond 2μ if μ <= t,
    and beyond μ + t otherwise; it is missed from below by an m below μ - t if μ > t, else never. So it is held with 95
    to 97.5%, and no interval is empty, however far below zero the noise took m (after Feldman & Cousins 1998).

    Noise may be whole. Then it is not 0 with a chance of at most its variance (Chebyshev), and where that is more than
    5%, the next whole numbers are held too.
    """
    t, t1 = deviations(ALPHA, unit) * deviation, deviations(2 * ALPHA, unit) * deviation
    t = np.where(np.square(deviation) > ALPHA, np.maximum(t, NEXT), t)
    low = np.maximum(value - t, np.minimum(value / 2, value - t1))
    return np.maximum(low, 0.0), np.maximum(value, 0.0) + t
