"""Tables that everybody may see: one from which a run may start, and records from a fixed random model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.records import Records

SKEW = 1.2  # the r-th largest share of an attribute's values is proportional to r^-SKEW
SEED = 2012


@dataclass(frozen=True, eq=False)
class PublicTable:
    """A table that is public, under the schema of the private one, and the name of its file.

    What reads it costs no privacy, and whoever has the file can check its digest. Equal if the digests are.
    """

    name: str
    records: Records
    count: str | None = None  # the column with the number of records of each row
    path: Path | None = None  # of the file, where that is known

    def __post_init__(self) -> None:
        if self.records.domain.unbinned:
            raise ValueError(
                "the run measures bins itself, and a public table would have to be in them before: declare the edges, "
                "or leave the public table out"
            )

    def summary(self) -> dict[str, Any]:
        """What a manifest says of it."""
        return {"table": self.name, "records": self.records.total, "digest": self.records.digest}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PublicTable) and self.records.digest == other.records.digest

    def __hash__(self) -> int:
        return hash(self.records.digest)

    def __repr__(self) -> str:
        """How a script reads it."""
        return f"read_public_table({str(self.path or self.name)!r}, domain, count={self.count!r})"


def stand_in(domain: Domain, n: int) -> Records:
    """Draw n records over the domain. Nothing else is read, and the same domain and n give the same records.

    Each attribute follows an earlier one: in a share of the records it is a function of that one, and in the
    others it is drawn by itself, with shares that fall by Zipf's law. So a few pairs of attributes depend on each other
    strongly and most weakly, as in real tables. Raises ValueError for n < 1.
    """
    if n < 1:
        raise ValueError(f"a table needs at least 1 record, got {n}")
    rng = np.random.default_rng(SEED)
    shares = rng.permutation(((np.arange(len(domain)) + 0.5) / len(domain)) ** 2)
    codes = list[np.ndarray]()
    for a, attribute in enumerate(domain.attributes):
        column = _draw_codes(attribute, n, rng)
        if a:
            followed = int(rng.integers(a))
            function = _draw_codes(attribute, domain.shape[followed], rng)
            column = np.where(rng.random(n) < shares[a], function[codes[followed]], column)
        codes.append(column)
    return Records(domain, tuple(codes))


def _draw_codes(attribute: Attribute, size: int, rng: np.random.Generator) -> np.ndarray:
    """Codes drawn by Zipf's law, with the ranks in random order: (size,)."""
    shares = np.arange(1.0, attribute.size + 1) ** -SKEW
    codes = rng.permutation(attribute.size).astype(np.min_scalar_type(attribute.size - 1))
    return codes[rng.choice(attribute.size, size=size, p=shares / shares.sum())]
