from . import results as results
from .claim import Batch as Batch, Experiment as Experiment, Frame as Frame, Plot as Plot, Verdict as Verdict
from .contingency import FIGURE3 as FIGURE3
from .experiment_tables import SOURCES as SOURCES, independent_bits as independent_bits
from .figure2 import FIGURE2 as FIGURE2
from .many_attributes import FIGURE6 as FIGURE6
from .results import Row as Row, difference as difference
from .runs import EXPERIMENTS as EXPERIMENTS, Run as Run, experiment as experiment
