"""What a classifier predicts: an attribute's value, or whether the value is one of some."""

from dataclasses import dataclass

import numpy as np

from mwem_core.base import hint
from mwem_core.domain import Domain, Records

MAX_CLASSES = 50  # a classifier's time grows with them


@dataclass(frozen=True)
class Target:
    """What to predict: an attribute's value or, given `yes`, whether the value is one of these."""

    attribute: str
    yes: tuple[str, ...] = ()

    def classes(self, domain: Domain) -> tuple[str, ...]:
        """Names of the classes. Raises ValueError where the domain lacks this target, or it has too many classes."""
        (a,) = domain.attrs(self.attribute)
        attribute = domain.attributes[a]
        if len(domain) == 1:
            raise ValueError(f"there is nothing to predict {self.attribute} from: keep another attribute")
        if not self.yes:
            if attribute.size > MAX_CLASSES:
                raise ValueError(
                    f"{self.attribute} has {attribute.size:,} values, and at most {MAX_CLASSES} classes are allowed: "
                    "choose the values that count as yes"
                )
            return attribute.labels
        if unknown := [value for value in self.yes if value not in attribute.labels]:
            raise ValueError(f"{self.attribute} has no value {unknown[0]!r}{hint(unknown[0], attribute.labels)}")
        if len(set(self.yes)) == attribute.size:
            raise ValueError(f"every value of {self.attribute} counts as yes: leave at least one out")
        return (f"not {self.yes[0]}", self.yes[0]) if len(self.yes) == 1 else ("no", "yes")

    def of(self, rows: Records) -> np.ndarray:
        """Each row's class, as an index into `classes`: (m,)."""
        (a,) = rows.domain.attrs(self.attribute)
        if not self.yes:
            return rows.codes[a]
        return np.isin(rows.domain.attributes[a].labels, self.yes).astype(np.uint8)[rows.codes[a]]
