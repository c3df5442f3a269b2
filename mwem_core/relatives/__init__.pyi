from . import weights as weights
from .aim import aim as aim
from .barak import Barak as Barak, BarakLP as BarakLP
from .direct import (
    MAX_NOISY_CELLS as MAX_NOISY_CELLS,
    Direct as Direct,
    Histogram as Histogram,
    direct_error as direct_error,
)
from .mwem_pgm import mwem_pgm as mwem_pgm
from .net import Net as Net, net_preset as net_preset
from .planner import Planner as Planner
from .privbayes.network import Network as Network
from .privbayes.privbayes import PrivBayes as PrivBayes, privbayes_preset as privbayes_preset
from .privbayes.scores import SCORES as SCORES, closeness_sensitivity as closeness_sensitivity
from .projection.boosting import Boosting as Boosting, boosting_preset as boosting_preset
from .projection.convex_body import RelaxedBody as RelaxedBody, Vertex as Vertex
from .projection.parities import Parities as Parities, hadamard as hadamard
from .projection.relaxed_projection import RelaxedProjection as RelaxedProjection
from .ranges.dawa import Dawa as Dawa
from .ranges.digits import count_digits as count_digits
from .ranges.hierarchical import Hierarchical as Hierarchical
from .ranges.strata import first_of_bins as first_of_bins
from .uniform import Uniform as Uniform
from .weights import Weights as Weights
