from .algorithm import Round as Round
from .ask import Answer as Answer, LoadedRelease as LoadedRelease, load_release as load_release
from .automatic import (
    Apart as Apart,
    Counts as Counts,
    Halvings as Halvings,
    Nothing as Nothing,
    Planned as Planned,
    PublicStart as PublicStart,
    Staged as Staged,
    default as default,
    mwem_by_rule as mwem_by_rule,
)
from .domain import Attribute as Attribute, Domain as Domain, PublicTable as PublicTable, Records as Records
from .encoding import encode as encode, encode_unit as encode_unit, read_public_table as read_public_table
from .mwem import (
    MWEM as MWEM,
    Annealing as Annealing,
    HistogramStart as HistogramStart,
    Newest as Newest,
    Queries as Queries,
    Replay as Replay,
    Tables as Tables,
    UniformStart as UniformStart,
    figure_1 as figure_1,
    paper as paper,
)
from .output import (
    Run as Run,
    answers_csv as answers_csv,
    data_frame as data_frame,
    frame_of_rows as frame_of_rows,
    nearest_rows as nearest_rows,
    round_rows as round_rows,
    rows_csv as rows_csv,
    sample as sample,
)
from .privacy import Seeded as Seeded, Unit as Unit, Witness as Witness
from .relatives import (
    Barak as Barak,
    BarakLP as BarakLP,
    Boosting as Boosting,
    Dawa as Dawa,
    Direct as Direct,
    Hierarchical as Hierarchical,
    Net as Net,
    Planner as Planner,
    PrivBayes as PrivBayes,
    RelaxedProjection as RelaxedProjection,
    Uniform as Uniform,
    Weights as Weights,
)
from .release import make_release as make_release
from .systems import MeasuredBins as MeasuredBins, MeasuredTotal as MeasuredTotal
from .tables import read_table as read_table
from .workload import Workload as Workload, parse_workload as parse_workload
