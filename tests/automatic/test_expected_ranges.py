"""What is expected of a run on ranges: the noise of a hierarchy, or of rounds that measure every range once."""

import math
from dataclasses import replace

import pytest
from oracles import domain_of

from mwem_core import Halvings, parse_workload
from mwem_core.automatic.expected_error import best_range_plan, expected_range_error
from mwem_core.automatic.hierarchy import best_hierarchy
from mwem_core.mwem import MWEM
from mwem_core.privacy import rho_of

Q = parse_workload("ranges:a:6", domain_of((40,)))


def test_rounds_that_measure_every_range_leave_the_noise_of_a_measurement_and_fewer_say_nothing():
    settings = MWEM(epsilon=0.5, T=6, split=0.25)
    assert expected_range_error(settings, Q, 1000) == pytest.approx(math.sqrt(2) * 6 / (0.5 * 0.75))
    of_rho = rho_of(0.5, 1e-6) * 0.75 / 6
    assert expected_range_error(replace(settings, delta=1e-6), Q, 1000) == pytest.approx(1 / math.sqrt(2 * of_rho))
    assert expected_range_error(replace(settings, T=5), Q, 1000) == math.inf


def test_a_hierarchy_is_expected_to_err_as_its_levels_do():
    settings = Halvings(epsilon=0.5)
    plan = best_hierarchy(Q, settings.guarantee.budget, 1000)
    assert expected_range_error(settings, Q, 1000) == pytest.approx(math.sqrt(plan.squared_error(1000)))


def test_the_best_is_the_least_expected_error_of_all_that_are_offered_and_of_their_hierarchies():
    few = parse_workload("ranges:a:3..4", domain_of((40,)))
    for ranges, T in ((Q, 6), (few, 1)):
        offered = [MWEM(epsilon=0.5, T=T, split=split) for split in (0.5, 0.01)]
        every = [*offered, Halvings(epsilon=0.5)]
        best = best_range_plan(offered, ranges, 1000)
        assert best in every
        assert expected_range_error(best, ranges, 1000) == min(
            expected_range_error(settings, ranges, 1000) for settings in every
        )
