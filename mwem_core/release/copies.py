"""Copies: further tables of rows for users of other software, and what is said of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import stdtrit

from mwem_core.ask import copied, note
from mwem_core.domain import Domain
from mwem_core.intervals import Estimates
from mwem_core.output import copies_csv, copy_column

MAX_COPIED = 2 * 10**6  # rows of all copies: about 100 MB of eight attributes
SHOWN = 10  # pairs that are named


@dataclass(frozen=True, eq=False)
class Copies:
    """m copies of so many rows, as one file, with the attributes and pairs of attributes of which nothing was measured.

    Each copy is of a fit to the measurements with their noise drawn again, without shrinkage, so copies differ as
    releases of the same table would. `columns` are those of the file, the number of the copy first. They and `content`
    are empty where no attribute was measured.
    """

    m: int
    rows: int
    columns: tuple[str, ...]
    content: bytes
    left_out: tuple[str, ...]
    unmeasured: tuple[str, ...]
    incomplete: tuple[str, ...]  # columns that may lack a value, or a number

    @classmethod
    def of(
        cls, known: Estimates, domain: Domain, m: int, rows: int, rng: np.random.Generator, *, decimal: str
    ) -> Copies:
        """Made from what is known, by draws of `rng`. Reads what was released, so it costs no privacy."""
        rows, attrs = min(rows, MAX_COPIED // m), range(len(domain))
        kept = [a for a in attrs if (a,) in known.residuals]
        names = [domain.names[a] for a in kept]
        made = copied(known, names, m, "table", rows=rows, rng=rng) if kept else ()
        pairs = [domain.label(S) for S in combinations(kept, 2) if S not in known.residuals]
        return cls(
            m,
            rows,
            (copy_column(domain.project(names)), *names) if kept else (),
            copies_csv(made, rng, decimal=decimal) if kept else b"",
            tuple(domain.names[a] for a in attrs if a not in kept),
            tuple(pairs),
            tuple(domain.names[a] for a in kept if note(domain, (), (a,))),
        )

    @property
    def quantile(self) -> float:
        """The .975 quantile of Student's t of a degree of freedom fewer than copies."""
        return float(stdtrit(self.m - 1, 0.975))

    @property
    def unmeasured_in_words(self) -> str:
        """The pairs of which nothing was measured, the first of many."""
        more = len(self.unmeasured) - SHOWN
        return "; ".join(self.unmeasured[:SHOWN]) + (f"; and {more:,} more" if more > 0 else "")
