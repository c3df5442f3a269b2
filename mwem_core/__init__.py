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
paper, unless settings measure it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mwem_core.algorithm import Round
from mwem_core.domain import Attribute, Domain
from mwem_core.mechanisms import Seeded, Witness
from mwem_core.mwem import MWEM
from mwem_core.presets import default, paper
from mwem_core.records import Records
from mwem_core.release import Run, rows_csv
from mwem_core.spec import parse_workload
from mwem_core.synthesis import rounded, sample
from mwem_core.workload import Workload

if TYPE_CHECKING:
    from mwem_core.database import count_table
    from mwem_core.duck import count_file
    from mwem_core.encoding import encode
    from mwem_core.tables import read_table

__all__ = [
    "MWEM",
    "Attribute",
    "Domain",
    "Records",
    "Round",
    "Run",
    "Seeded",
    "Witness",
    "Workload",
    "count_file",
    "count_table",
    "default",
    "encode",
    "paper",
    "parse_workload",
    "read_table",
    "rounded",
    "rows_csv",
    "sample",
]

READERS = {
    "count_file": "mwem_core.duck",
    "count_table": "mwem_core.database",
    "encode": "mwem_core.encoding",
    "read_table": "mwem_core.tables",
}


def __getattr__(name: str) -> Any:
    """What reads tables needs Arrow, half of the time an import would take: only who reads one pays it."""
    if name in READERS:
        return getattr(import_module(READERS[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
