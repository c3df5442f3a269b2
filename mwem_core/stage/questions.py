"""What a run says of a condition after each round, and how near the condition is to what the workload asks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np

from mwem_core.algorithm import Answering, Round
from mwem_core.ask import condition_on
from mwem_core.domain import Attrs, Predicate, Source
from mwem_core.stage.tables import marginals
from mwem_core.workload import Workload

Place = Literal["inside", "next", "far"]


def estimates(rounds: Iterable[Round[Answering]], predicate: Predicate) -> np.ndarray:
    """How many records satisfy the condition, by the model of each of these rounds: (rounds,) in records.

    Raises ValueError for answers without a table of the condition's attributes.
    """
    return np.array([count(each.model, predicate) for each in rounds])


def count(source: Answering | Source, predicate: Predicate) -> float:
    """How many records satisfy the condition: the truth of records (NOT PRIVATE), or a model's estimate."""
    return float(marginals(source, [predicate.attrs])[0][predicate.mask].sum())


def examples_of(workload: Workload) -> tuple[str, ...]:
    """Questions inside the workload, next to it and far from it, as far as the schema has them; of the schema alone."""
    domain = workload.domain
    S = max(workload.sets, key=lambda attrs: (len(attrs) < 3, len(attrs), -domain.cells(attrs)))
    others = [a for a in workload.reads if a not in S]
    others += [a for a in range(len(domain)) if a not in (*S, *others)]
    sets = [S, (*S, *others[:1]), (*S, *others[:2])]
    return tuple(dict.fromkeys(" and ".join(condition_on(domain.attributes[a]) for a in attrs) for attrs in sets))


def place_of(attrs: Attrs, workload: Workload) -> Place:
    """How near a question about these attributes is to the workload.

    Inside: a table of the workload has them all. Next: the workload reads each of them, and a table has all but one.
    Far: anything else, where an estimate follows from the model's assumptions alone.
    """
    asked, reads = set(attrs), set(workload.reads)
    missing = min(len(asked - set(S)) for S in workload.sets)
    if not missing:
        return "inside"
    return "next" if missing == 1 and asked <= reads else "far"
