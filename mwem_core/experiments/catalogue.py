"""The experiments by name, in the order of the paper; what others claim comes after."""

from mwem_core.experiments.claim import Experiment
from mwem_core.experiments.contingency import FIGURE3, FIGURE4, TABLE1
from mwem_core.experiments.cuboids import FIGURE5
from mwem_core.experiments.figure2 import FIGURE2
from mwem_core.experiments.many_attributes import FIGURE6, FIGURE7
from mwem_core.experiments.pieces import DECADE, IMPROVEMENTS
from mwem_core.experiments.privbayes_rows import PRIVBAYES_ROWS
from mwem_core.experiments.projection_growth import PROJECTION_GROWTH
from mwem_core.experiments.theorem import LECTURE, THEOREM

OF_THE_PAPER = (FIGURE2, TABLE1, FIGURE3, FIGURE4, FIGURE5, FIGURE6, FIGURE7, THEOREM, LECTURE)
OF_OTHERS = (PRIVBAYES_ROWS, PROJECTION_GROWTH, IMPROVEMENTS, DECADE)
EXPERIMENTS = {experiment.name: experiment for experiment in (*OF_THE_PAPER, *OF_OTHERS)}


def experiment(name: str) -> Experiment:
    """The experiment of this name. Raises ValueError if there is none."""
    if name not in EXPERIMENTS:
        raise ValueError(f"there is no experiment {name!r}: choose from {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]
