"""Tables of bits: independent ones, and the values of other attributes in binary."""

import numpy as np

from mwem_core.data.records import Records
from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import BITS

MISSING = "?"


def independent(records: int, d: int, *, share: float, seed: int) -> Records:
    """So many records of d independent bits, each 1 with probability `share`."""
    rng = np.random.default_rng(seed)
    return _named({f"bit {i}": rng.random(records) < share for i in range(d)})


def in_binary(B: Records) -> Records:
    """The records without missing values, each value's number among the known ones in ⌈log₂⌉ bits, lowest first."""
    times = 1 if B.weights is None else B.weights
    rows = [np.repeat(column, times) for column in B.codes]
    known = [np.array([label != MISSING for label in attribute.labels]) for attribute in B.domain.attributes]
    complete = np.logical_and.reduce([mask[column] for mask, column in zip(known, rows, strict=True)])
    bits = {}
    for name, mask, column in zip(B.domain.names, known, rows, strict=True):
        number = (np.cumsum(mask) - 1)[column[complete]]
        width = (int(mask.sum()) - 1).bit_length()
        bits |= {f"{name} bit {i}": number >> i & 1 for i in range(width)}
    return _named(bits)


def beside(B: Records, C: Records) -> Records:
    """The attributes of both, for as many records each."""
    return Records(Domain(B.domain.attributes + C.domain.attributes), B.codes + C.codes)


def _named(columns: dict[str, np.ndarray]) -> Records:
    attributes = tuple(Attribute(name, BITS) for name in columns)
    return Records(Domain(attributes), tuple(column.astype(np.uint8) for column in columns.values()))
