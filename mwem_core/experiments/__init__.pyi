from . import results as results
from .bits import independent as independent
from .catalogue import EXPERIMENTS as EXPERIMENTS, experiment as experiment
from .claim import Batch as Batch, Experiment as Experiment, Plot as Plot, Verdict as Verdict
from .contingency import FIGURE3 as FIGURE3
from .figure2 import FIGURE2 as FIGURE2
from .many_attributes import FIGURE6 as FIGURE6
from .points import Frame as Frame
from .results import Row as Row, difference as difference
from .running import Run as Run
from .tables import SOURCES as SOURCES
