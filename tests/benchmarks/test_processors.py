"""Seeded outputs on other processors: compared number by number, and the same where the program promises it."""

import numpy as np
import pytest


@pytest.fixture
def processors():
    import processors

    return processors


def test_a_gap_is_the_largest_difference_and_infinite_between_choices(processors):
    assert processors.gap(np.array([1.0, 2.0]), np.array([1.0, 2.5])) == 0.5
    assert processors.gap("[1, 2]", "[1, 2]") == 0
    assert processors.gap("[1, 2]", "[1, 3]") == processors.gap(np.zeros(2), np.zeros(3)) == np.inf
    assert processors.gap(np.zeros(2), None) == np.inf


@pytest.mark.sweep
def test_an_older_processor_makes_the_same_choices_and_rows(processors):
    """In two processes, as a process chooses its instructions when it starts: 4 s."""
    names = ["czech · marginals:2 · uniform", "class survey · marginals:2 · mwem ·"]
    here, there = (processors.computed(v, names) for v in ({}, processors.PROCESSORS["all without AVX2"]))
    assert len(here) >= 2
    for run, outputs in here.items():
        assert there[run]["choices"] == outputs["choices"]
        assert (there[run]["rows"] == outputs["rows"]).all()
        assert there[run]["answers"] == pytest.approx(outputs["answers"], abs=processors.NEAR)
