from . import weights as weights
from .barak import Barak as Barak, BarakLP as BarakLP
from .direct import (
    MAX_NOISY_CELLS as MAX_NOISY_CELLS,
    Direct as Direct,
    Histogram as Histogram,
    direct_error as direct_error,
)
from .net import Net as Net
from .planner import Planner as Planner
from .privbayes.network import Network as Network
from .privbayes.privbayes import PrivBayes as PrivBayes
from .privbayes.scores import SCORES as SCORES, closeness_sensitivity as closeness_sensitivity
from .projection.boosting import Boosting as Boosting
from .projection.convex_body import RelaxedBody as RelaxedBody, Vertex as Vertex
from .projection.parities import Parities as Parities, hadamard as hadamard
from .projection.relaxed_projection import RelaxedProjection as RelaxedProjection
from .ranges.dawa import Dawa as Dawa
from .ranges.digits import count_digits as count_digits
from .ranges.hierarchical import Hierarchical as Hierarchical
from .ranges.strata import first_of_bins as first_of_bins
from .uniform import Uniform as Uniform
from .weights import Weights as Weights
