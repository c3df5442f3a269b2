"""A public table in place of a private one: records from a fixed random model over the same domain."""

import numpy as np

from mwem_core.domain import Attribute, Domain, Records

SKEW = 1.2  # the r-th largest share of an attribute's values is proportional to r^-SKEW
SEED = 2012


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
        column = _drawn(attribute, n, rng)
        if a:
            followed = int(rng.integers(a))
            function = _drawn(attribute, domain.shape[followed], rng)
            column = np.where(rng.random(n) < shares[a], function[codes[followed]], column)
        codes.append(column)
    return Records(domain, tuple(codes))


def _drawn(attribute: Attribute, size: int, rng: np.random.Generator) -> np.ndarray:
    """Codes drawn by Zipf's law, with the ranks in random order: (size,)."""
    shares = np.arange(1.0, attribute.size + 1) ** -SKEW
    codes = rng.permutation(attribute.size).astype(np.min_scalar_type(attribute.size - 1))
    return codes[rng.choice(attribute.size, size=size, p=shares / shares.sum())]
