from .barak import Barak as Barak, BarakLP as BarakLP
from .bayesian_network import Network as Network
from .boosting import Boosting as Boosting, boosting_preset as boosting_preset
from .dawa import Dawa as Dawa
from .direct import (
    MAX_NOISY_CELLS as MAX_NOISY_CELLS,
    Direct as Direct,
    Histogram as Histogram,
    direct_error as direct_error,
)
from .extremes import STEP as STEP, Uniform as Uniform, Weights as Weights
from .hierarchical import Hierarchical as Hierarchical
from .net import Net as Net, net_preset as net_preset
from .network_scores import SCORES as SCORES
from .number_bins import count_digits as count_digits, first_of_bins as first_of_bins
from .parity_body import Parities as Parities, RelaxedBody as RelaxedBody, Vertex as Vertex, hadamard as hadamard
from .pgm import aim as aim, mwem_pgm as mwem_pgm
from .planner import Planner as Planner
from .privbayes import PrivBayes as PrivBayes, privbayes_preset as privbayes_preset
from .relaxed_projection import RelaxedProjection as RelaxedProjection
