"""The grid that public real numbers are rounded to before they meet private counts, so that scores are exact.

A selection compares whole counts q(B) with what is public: a model's answers, penalties, candidates' answers. If these
are multiples of 2⁻¹⁰ records, so are the scores |q(B) - q(A)|, and their sums. float64 adds such multiples without any
rounding as long as the sums stay below 2⁴³, in whatever order. So a record moves a score by its stated sensitivity at
most, to the last digit, and an exact sampler takes a score as a whole number of steps.

The scores are then those of a model that is off by at most half a step in each answer, which is public.
"""

import numpy as np

STEP = 2.0**-10  # in records
EXACT = 2.0**43  # below it, float64 adds multiples of the step without rounding


def on_grid(values: np.ndarray) -> np.ndarray:
    """The nearest multiples of the step, in records.

    >>> on_grid(np.array([0.1, -2.0])) * 1024
    array([  102., -2048.])
    """
    return np.rint(values / STEP) * STEP
