"""Figure 4: the rule on both of its sides."""

import pytest

from mwem_core.experiments.contingency import BARAK, FIGURE4, FLOORS, IMPROVED_MWEM, METRIC, PANELS, PLAIN, UNIFORM
from mwem_core.experiments.results import frame_of

EPSILONS = (0.1, 1.0, 10.0, 100.0)


def figure4(three, two, improved=2.0, uniform=9.0):
    """Barak et al. at each ε with parities of up to three and two; plain MWEM is at 3, improved at `improved`."""
    rows = []
    for workload, barak in zip(PANELS, (three, two), strict=True):
        lines = {BARAK: barak, PLAIN: (3.0,) * 4, IMPROVED_MWEM: (improved,) * 4, UNIFORM: (uniform,) * 4}
        lines |= dict.fromkeys(FLOORS.values(), (0.5,) * 4)
        rows += [
            {"table": "nltcs", "workload": workload, "method": m, "epsilon": e, METRIC: y}
            for m, line in lines.items()
            for e, y in zip(EPSILONS, line, strict=True)
        ]
    return frame_of(rows, FIGURE4.metrics)


@pytest.mark.parametrize(
    ("frame", "holds"),
    [
        (figure4((8, 4, 1, 1), (8, 1, 1, 1)), "holds"),
        (figure4((8, 4, 3, 3), (8, 1, 1, 1)), "holds"),  # MWEM is always closer with three
        (figure4((8, 4, 1, 1), (8, 1, 1, 3)), "holds with conditions"),  # MWEM is closer again at ε = 100
        (figure4((8, 1, 1, 1), (1, 1, 1, 1)), "does not hold"),  # Barak et al. is closer with three, at ε = 1
        (figure4((8, 4, 1, 1), (8, 4, 1, 1)), "does not hold"),  # it is not so earlier with two
        (figure4((8, 4, 1, 1), (8, 1, 1, 1), uniform=1), "does not hold"),  # uniform is closer
        (figure4((8, 4, 1, 1), (8, 2.5, 1, 1), improved=4.0), "holds"),  # plain is the better one
    ],
)
def test_figure_4(frame, holds):
    assert FIGURE4.verdict(frame).holds == holds
