from . import figures as figures
from .candidates import (
    Candidates as Candidates,
    Queries as Queries,
    Tables as Tables,
    candidate_count as candidate_count,
)
from .mwem import (
    MWEM as MWEM,
    Rounds as Rounds,
    figure_1 as figure_1,
    is_figure_1 as is_figure_1,
    paper as paper,
)
from .schedule import Annealing as Annealing
from .start import HistogramStart as HistogramStart, Start as Start, UniformStart as UniformStart
from .theorem import BETA as BETA, NAME as NAME, best_rounds as best_rounds, theorem_bound as theorem_bound
from .updates import (
    REPLAY as REPLAY,
    Newest as Newest,
    Replay as Replay,
)
