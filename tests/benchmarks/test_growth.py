"""The exponents of power laws."""

import math

import pytest


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
def test_the_exponent_of_an_exact_power_law_is_found_without_error(power):
    from growth import exponent

    x = [10, 100, 1000, 10_000]
    assert exponent(x, [3 * size**power for size in x]) == pytest.approx((power, 0.0), abs=1e-9)


def test_the_standard_error_of_an_exponent_is_that_of_least_squares():
    from growth import exponent

    stats = pytest.importorskip("scipy.stats")
    x, seconds = [1, 3, 10, 30, 100], [2.0, 5.0, 22.0, 51.0, 230.0]
    line = stats.linregress([math.log(size) for size in x], [math.log(s) for s in seconds])
    assert exponent(x, seconds) == pytest.approx((line.slope, line.stderr))
