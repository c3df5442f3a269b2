"""Where two released results differ: a comparison of every field of every object in them, to the last bit."""

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def difference(ours: Any, theirs: Any, path: str = "") -> str | None:
    """The path of the first field that differs, such as `ledger.spent`; None if nothing does.

    Compares dataclasses by their fields, other objects by their attributes, arrays by type, shape and every value (a
    NaN equals a NaN).
    """
    if ours is theirs:
        return None
    if type(ours) is not type(theirs):
        return path
    if isinstance(ours, np.ndarray):
        same = ours.dtype == theirs.dtype and np.array_equal(ours, theirs, equal_nan=ours.dtype.kind == "f")
        return None if same else path
    if isinstance(ours, float):
        return None if ours == theirs or (math.isnan(ours) and math.isnan(theirs)) else path
    if isinstance(ours, Mapping):
        return path if list(ours) != list(theirs) else _first(ours, theirs, path)
    if isinstance(ours, list | tuple):
        return path if len(ours) != len(theirs) else _first(dict(enumerate(ours)), dict(enumerate(theirs)), path)
    if is_dataclass(ours):
        names = [field.name for field in fields(ours)]
        return _first({n: getattr(ours, n) for n in names}, {n: getattr(theirs, n) for n in names}, path)
    if hasattr(ours, "__dict__"):
        return path if list(vars(ours)) != list(vars(theirs)) else _first(vars(ours), vars(theirs), path)
    return None if ours == theirs else path


def _first(ours: Mapping[Any, Any], theirs: Mapping[Any, Any], path: str) -> str | None:
    for key, value in ours.items():
        found = difference(value, theirs[key], f"{path}.{key}" if path else str(key))
        if found is not None:
            return found
    return None
