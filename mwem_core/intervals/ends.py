"""The two ends of each interval, before they are rounded."""

from typing import NamedTuple

import numpy as np

ALPHA = 0.05  # the chance that an interval misses the true answer


class Ends(NamedTuple):
    """`low` and `high`, in records, and which intervals are `measured`: (|Q|,) each."""

    low: np.ndarray
    high: np.ndarray
    measured: np.ndarray
