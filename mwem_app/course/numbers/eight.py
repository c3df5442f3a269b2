"""Eight cells: the class survey with each of its questions cut to two answers, small enough to see whole."""

import numpy as np

from mwem_core.domain import Attribute, Domain, Records
from mwem_core.model import align
from mwem_core.values import Values
from mwem_core.workload import Workload, predicates

CUT = {"drink": "coffee", "year": "first", "sleep": "under 6 h"}  # the answer that is kept; all others are "other"
OTHER = "other"
DOMAIN = Domain(tuple(Attribute(name, Values((kept, OTHER))) for name, kept in CUT.items()))
SINGLE = tuple(f'{name} == "{kept}"' for name, kept in CUT.items())
PAIRS = tuple(f"{SINGLE[i]} and {SINGLE[j]}" for i, j in ((0, 1), (0, 2), (1, 2)))


def eight_cells(survey: Records) -> Records:
    """The records of the class survey over `DOMAIN`: coffee or not, first year or later, short sleep or longer."""
    columns = (
        survey.codes[survey.domain.names.index(name)]
        != survey.domain.attributes[survey.domain.names.index(name)].labels.index(kept)
        for name, kept in CUT.items()
    )
    return Records(DOMAIN, tuple(column.astype(np.uint8) for column in columns))


def six_questions() -> Workload:
    """How many gave each answer that was kept, and how many gave each pair of them."""
    return predicates(DOMAIN, [*SINGLE, *PAIRS])


def counted_cells(Q: Workload) -> np.ndarray:
    """q(x) of each query on each cell of the domain, row by row: (|Q|, |D|)."""
    everything = tuple(range(len(Q.domain)))
    queries = (Q.query(j)[:2] for j in range(Q.size))
    return np.array([np.broadcast_to(align(q, S, everything), Q.domain.shape).ravel() for S, q in queries])
