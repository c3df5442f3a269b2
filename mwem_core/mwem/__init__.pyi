from . import figures as figures
from .candidates import (
    Candidates as Candidates,
    Queries as Queries,
    Tables as Tables,
    candidate_count as candidate_count,
)
from .mwem import MWEM as MWEM, Rounds as Rounds
from .presets import (
    CLOSE_FIT as CLOSE_FIT,
    MEGABYTE as MEGABYTE,
    REPLAY as REPLAY,
    check_records as check_records,
    figure_1 as figure_1,
    is_figure_1 as is_figure_1,
    mwem_by_rule as mwem_by_rule,
    paper as paper,
    require_tables as require_tables,
    starting_from_table as starting_from_table,
)
from .public_start import started_from as started_from
from .rules import (
    round_shares as round_shares,
    rounds_apart as rounds_apart,
    rounds_by_rule as rounds_by_rule,
    rounds_in_time as rounds_in_time,
)
from .schedule import Annealed as Annealed
from .start import HistogramStart as HistogramStart, PublicStart as PublicStart, UniformStart as UniformStart
from .theorem import BETA as BETA, NAME as NAME, best_rounds as best_rounds, theorem_bound as theorem_bound
from .updates import CHANGE as CHANGE, Implicit as Implicit, Newest as Newest, Replay as Replay
