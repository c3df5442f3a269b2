"""What was measured determines linear queries, without bias and with the variance that its noise has."""

import numpy as np
import pytest
from oracles import random_records
from workloads import MIXED

from mwem_core.ask.statistic import Block, Reading
from mwem_core.intervals import Estimates
from mwem_core.model import Measurement

B = random_records(MIXED, 500, np.random.default_rng(0))
S = (0, 2)


def known(rng=None, scale=3.0):
    """A table over S of white noise, and n with its own; both exact without an `rng`."""
    table, n = B.marginal(S), np.array(500.0)
    if rng is not None:
        table, n = table + rng.normal(0, scale, table.shape), n + rng.normal(0, scale)
    return Estimates.by(MIXED, [Measurement(S, table, scale), Measurement((), n, scale)], 1.0)


def test_exact_measurements_give_exact_answers():
    rng = np.random.default_rng(1)
    blocks = [
        Block(S, rng.normal(size=(4, *MIXED.sizes(S)))),
        Block((2,), rng.normal(size=(2, 3))),
        Block((), np.ones(1)),
    ]
    exact = [q.ravel() @ B.marginal(block.S).ravel() for block in blocks for q in block.q]
    reading = Reading.of(known(), blocks)
    assert reading.missing == ()
    assert reading.values == pytest.approx(exact)


def test_the_variance_is_that_of_many_tables_with_noise_and_of_noise_drawn_again():
    """800 draws tell a standard deviation to 2.5%, so 10% is four of its own."""
    rng = np.random.default_rng(2)
    blocks, J = [Block(S, rng.normal(size=(3, *MIXED.sizes(S))))], np.array([[1.0, -2.0, 0.5], [0.0, 0.0, 1.0]])
    claimed = np.sqrt(Reading.of(known(), blocks).variance(J))
    over_tables = np.std([J @ Reading.of(known(rng), blocks).values for _ in range(800)], axis=0)
    redrawn = np.std(Reading.of(known(), blocks).redrawn(800, rng) @ J.T, axis=0)
    assert over_tables == pytest.approx(claimed, rel=0.1)
    assert redrawn == pytest.approx(claimed, rel=0.1)


def test_residuals_that_were_not_measured_are_named_only_where_they_are_read():
    pair = Block((0, 1), np.ones((1, *MIXED.sizes((0, 1)))))
    assert Reading.of(known(), [pair]).missing == ()  # the number of records
    first = np.zeros((1, *MIXED.sizes((0, 1))))
    first[0, 0, 0] = 1.0
    assert Reading.of(known(), [Block((0, 1), first)]).missing == ((1,), (0, 1))
