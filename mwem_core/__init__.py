"""MWEM: differentially private data release by Multiplicative Weights and the Exponential Mechanism.

Hardt, Ligett & McSherry, "A Simple and Practical Algorithm for Differentially Private Data Release", NIPS 2012.
Names in the code are the paper's:

    D   domain: product of the attributes' value sets        |D|  number of cells
    B   private data as counts over D                        n    number of records
    A   the approximation, weights over D summing to n       A_i  after round i
    q   linear query: q(A) = Σ_x q(x) A(x), q(x) in [-1, 1]  Q    workload, |Q| queries
    m   a noisy measurement of q(B)                          T    rounds
    S   a set of attributes, a sorted tuple of indices       ε, δ, ρ  privacy parameters

Neighbours: tables are neighbours when one is the other with one record added or removed. Under it a query has
sensitivity 1, a whole marginal has L1 and L2 sensitivity 1, a ±1 parity 1. The total n is taken as public, as in the
paper, unless a run measures it first.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mwem_core.algorithm import Round
from mwem_core.automatic.composed.apart import Apart
from mwem_core.automatic.composed.staged import Staged
from mwem_core.automatic.default import default
from mwem_core.automatic.planned.counts import Counts
from mwem_core.automatic.planned.nothing import Nothing
from mwem_core.automatic.planned.planned import Planned
from mwem_core.automatic.planned.refining import Halvings
from mwem_core.data.records import Records
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.mwem.candidates import Queries, Tables
from mwem_core.mwem.mwem import MWEM
from mwem_core.mwem.presets import figure_1, mwem_by_rule, paper
from mwem_core.mwem.schedule import Annealed
from mwem_core.mwem.start import HistogramStart, PublicStart, UniformStart
from mwem_core.mwem.updates import Implicit, Newest, Replay
from mwem_core.privacy.noise import Seeded, Witness
from mwem_core.privacy.unit import Unit
from mwem_core.release.files import answers_csv, data_frame, rows_csv
from mwem_core.release.run import Run
from mwem_core.release.synthesis import nearest_rows, rounded, sample
from mwem_core.workload.spec import parse_workload
from mwem_core.workload.workload import Workload

if TYPE_CHECKING:
    from mwem_core.asking.answers import Answer
    from mwem_core.asking.reading import load_release
    from mwem_core.asking.release import LoadedRelease
    from mwem_core.data.encoding import encode
    from mwem_core.data.files import read_table
    from mwem_core.data.persons import encode_unit
    from mwem_core.data.public_table import PublicTable
    from mwem_core.database.duckdb_files import count_file
    from mwem_core.database.ibis_tables import count_table
    from mwem_core.measured_bins import MeasuredBins
    from mwem_core.measured_total import MeasuredTotal
    from mwem_core.relatives.barak import Barak, BarakLP
    from mwem_core.relatives.direct import Direct
    from mwem_core.relatives.net import Net
    from mwem_core.relatives.planner import Planner
    from mwem_core.relatives.privbayes.privbayes import PrivBayes
    from mwem_core.relatives.projection.boosting import Boosting
    from mwem_core.relatives.projection.relaxed_projection import RelaxedProjection
    from mwem_core.relatives.ranges.dawa import Dawa
    from mwem_core.relatives.ranges.hierarchical import Hierarchical
    from mwem_core.relatives.uniform import Uniform
    from mwem_core.relatives.weights import Weights
    from mwem_core.release.frames import frame_of_rows
    from mwem_core.releasing.making import make_release

__all__ = [
    "MWEM",
    "Annealed",
    "Answer",
    "Apart",
    "Attribute",
    "Barak",
    "BarakLP",
    "Boosting",
    "Counts",
    "Dawa",
    "Direct",
    "Domain",
    "Halvings",
    "Hierarchical",
    "HistogramStart",
    "Implicit",
    "LoadedRelease",
    "MeasuredBins",
    "MeasuredTotal",
    "Net",
    "Newest",
    "Nothing",
    "Planned",
    "Planner",
    "PrivBayes",
    "PublicStart",
    "PublicTable",
    "Queries",
    "Records",
    "RelaxedProjection",
    "Replay",
    "Round",
    "Run",
    "Seeded",
    "Staged",
    "Tables",
    "Uniform",
    "UniformStart",
    "Unit",
    "Weights",
    "Witness",
    "Workload",
    "answers_csv",
    "count_file",
    "count_table",
    "data_frame",
    "default",
    "encode",
    "encode_unit",
    "figure_1",
    "frame_of_rows",
    "load_release",
    "make_release",
    "mwem_by_rule",
    "nearest_rows",
    "paper",
    "parse_workload",
    "read_table",
    "rounded",
    "rows_csv",
    "sample",
]

# Imported when first asked for: readers of tables load Arrow, which takes a third as long as all the rest, and each
# relative is loaded only by those who run it.
LAZY = {
    "Barak": "relatives.barak",
    "BarakLP": "relatives.barak",
    "Boosting": "relatives.projection.boosting",
    "Dawa": "relatives.ranges.dawa",
    "Direct": "relatives.direct",
    "Hierarchical": "relatives.ranges.hierarchical",
    "MeasuredBins": "measured_bins",
    "MeasuredTotal": "measured_total",
    "Net": "relatives.net",
    "Planner": "relatives.planner",
    "PrivBayes": "relatives.privbayes.privbayes",
    "PublicTable": "data.public_table",
    "RelaxedProjection": "relatives.projection.relaxed_projection",
    "Uniform": "relatives.uniform",
    "Weights": "relatives.weights",
    "count_file": "database.duckdb_files",
    "count_table": "database.ibis_tables",
    "encode": "data.encoding",
    "encode_unit": "data.persons",
    "frame_of_rows": "release.frames",
    "Answer": "asking.answers",
    "LoadedRelease": "asking.release",
    "load_release": "asking.reading",
    "make_release": "releasing.making",
    "read_table": "data.files",
}


def __getattr__(name: str) -> Any:
    """A public name of `LAZY`."""
    if name in LAZY:
        return getattr(import_module(f"mwem_core.{LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
