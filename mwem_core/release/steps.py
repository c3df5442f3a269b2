"""Real numbers rounded to multiples of a step before they decide which rows are made.

Their last bits depend on the processor, which adds in an order of its own. Compared as they are, equal numbers would
differ on one processor and tie on another, and every later row would differ too. Multiples of a power of two add up
without rounding, in any order, so what is compared is the same on all of them.
"""

import numpy as np

HALF = 0.5 + 2.0**-12  # halves round up, also those whose last bits lie below: many cells of a uniform model are halves


def in_steps(values: np.ndarray, step: float) -> np.ndarray:
    """The nearest multiples of the step, a power of two.

    >>> in_steps(np.array([0.124, 0.25, 0.375 - 1e-12]), 0.25)
    array([0.  , 0.25, 0.5 ])
    """
    return np.floor(values / step + HALF) * step
