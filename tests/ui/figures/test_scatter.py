"""True answers against estimated ones."""

import numpy as np

from mwem_core import Domain, parse_workload
from ui.figures.palette import STROKES
from ui.figures.scatter import MAX_DOTS, true_against_estimated


def test_a_scatter_of_many_dots_keeps_the_most_wrong():
    line = Domain.from_toml('[[attribute]]\nname = "x"\nrange = [0, 4999]\n')
    workload = parse_workload("marginals:1", line)
    truth = np.full(5000, 2e-4)
    estimate = truth + np.where(np.arange(5000) % 10 == 0, 1e-3, 1e-6)
    (chart,) = true_against_estimated(workload, np.arange(5000), truth, {"MWEM": (estimate, STROKES["mwem"])}, 5000)
    drawn = chart.figure.data[1]
    assert len(drawn.x) == MAX_DOTS
    assert (drawn.y > 1e-3).sum() >= 500
    assert "1,500 dots of 5,000" in chart.note
