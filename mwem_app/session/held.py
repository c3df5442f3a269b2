"""How much memory a thing holds in NumPy's arrays. Nothing here knows Streamlit."""

from types import FunctionType, ModuleType
from typing import Any

import numpy as np


def bytes_held(thing: Any, counted: set[int]) -> int:
    """The bytes of the arrays that `thing` leads to, but for what has been `counted`, by identity.

    What it leads to is added to `counted`: keep the thing as long as that is used.
    """
    total, left = 0, [thing]
    while left:
        each = left.pop()
        if id(each) in counted or isinstance(each, type | ModuleType | FunctionType):
            continue
        counted.add(id(each))
        if isinstance(each, np.ndarray):
            total += each.nbytes if each.base is None else 0
            left.append(each.base)
        elif isinstance(each, dict):
            left += each.values()
        elif isinstance(each, list | tuple | set | frozenset):
            left += each
        else:
            left += getattr(each, "__dict__", {}).values()
    return total
