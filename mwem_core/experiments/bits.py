"""Tables of bits: independent ones, those of a few classes, and the values of other attributes in binary."""

import numpy as np

from mwem_core.domain import Attribute, Domain, Records
from mwem_core.values import BITS

MISSING = "?"
CLASSES, CONCENTRATION = 4, 0.5


def independent(records: int, d: int, *, share: float, seed: int) -> Records:
    """So many records of d independent bits, each 1 with probability `share`."""
    rng = np.random.default_rng(seed)
    return _named({f"bit {i}": rng.random(records) < share for i in range(d)})


def in_classes(records: int, d: int, *, seed: int) -> Records:
    """So many records of d bits that are independent within each of four classes of equal probability.

    A bit's share of ones in a class is drawn from Beta(½, ½). More bits leave the first ones as they are.
    """
    rng = np.random.default_rng(seed)
    classes = rng.integers(CLASSES, size=records)
    columns = {}
    for i in range(d):
        shares = rng.beta(CONCENTRATION, CONCENTRATION, size=CLASSES)
        columns[f"bit {i}"] = rng.random(records) < shares[classes]
    return _named(columns)


def in_binary(B: Records) -> Records:
    """The records without missing values, each value's number among the known ones in ⌈log₂⌉ bits, lowest first."""
    rows = one_by_one(B)
    known = [np.array([label != MISSING for label in attribute.labels]) for attribute in B.domain.attributes]
    complete = np.logical_and.reduce([mask[column] for mask, column in zip(known, rows, strict=True)])
    bits = {}
    for name, mask, column in zip(B.domain.names, known, rows, strict=True):
        number = (np.cumsum(mask) - 1)[column[complete]]
        width = (int(mask.sum()) - 1).bit_length()
        bits |= {f"{name} bit {i}": number >> i & 1 for i in range(width)}
    return _named(bits)


def part(B: Records, records: int, *, seed: int) -> Records:
    """So many of the records, drawn without replacement; of one seed, fewer are among more."""
    chosen = np.random.default_rng(seed).permutation(round(B.total))[:records]
    return Records(B.domain, tuple(column[chosen] for column in one_by_one(B))).distinct()


def one_by_one(B: Records) -> list[np.ndarray]:
    """The columns with a row for every record: (n,) each."""
    times = 1 if B.weights is None else B.weights
    return [np.repeat(column, times) for column in B.codes]


def beside(B: Records, C: Records) -> Records:
    """The attributes of both, for as many records each."""
    return Records(Domain(B.domain.attributes + C.domain.attributes), B.codes + C.codes)


def _named(columns: dict[str, np.ndarray]) -> Records:
    attributes = tuple(Attribute(name, BITS) for name in columns)
    return Records(Domain(attributes), tuple(column.astype(np.uint8) for column in columns.values()))
