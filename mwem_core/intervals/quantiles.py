"""How many standard deviations noise stays within."""

import math


def deviations(beta: float, unit: str) -> float:
    """z such that noise of standard deviation σ exceeds zσ in size with a chance of at most `beta`, up to a half.

    `unit` is the budget's. ρ: a weighted sum of normal draws is normal, and z is exact.
    ε: a weighted sum of independent Laplace draws. z = ln(1/β) / √2 is exact for a single draw, and safe for a sum:
    the tails of a sum are lighter, so that a sum of many draws exceeds the z of β = 5% with a chance of 3.4%. The tests
    compare both.
    """
    if unit == "ε":
        return math.log(1 / beta) / math.sqrt(2)
    from scipy.special import ndtri  # imported late: it takes a fifth of a second

    return float(-ndtri(beta / 2))
