"""The experiments by name, in the order of the paper; what others claim comes after."""

from mwem_core.experiments.decade import DECADE
from mwem_core.experiments.experiment import Experiment
from mwem_core.experiments.figure2 import FIGURE2
from mwem_core.experiments.figure3 import FIGURE3
from mwem_core.experiments.figure4 import FIGURE4
from mwem_core.experiments.figure5 import FIGURE5
from mwem_core.experiments.figure6 import FIGURE6
from mwem_core.experiments.figure7 import FIGURE7
from mwem_core.experiments.improvements import IMPROVEMENTS
from mwem_core.experiments.potential import LECTURE
from mwem_core.experiments.privbayes_rows import PRIVBAYES_ROWS
from mwem_core.experiments.projection_growth import PROJECTION_GROWTH
from mwem_core.experiments.table1 import TABLE1
from mwem_core.experiments.theorem import THEOREM

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        *(FIGURE2, TABLE1, FIGURE3, FIGURE4, FIGURE5, FIGURE6, FIGURE7, THEOREM, LECTURE),
        *(PRIVBAYES_ROWS, PROJECTION_GROWTH, IMPROVEMENTS, DECADE),
    )
}


def experiment(name: str) -> Experiment:
    """The experiment of this name. Raises ValueError if there is none."""
    if name not in EXPERIMENTS:
        raise ValueError(f"there is no experiment {name!r}: choose from {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]
