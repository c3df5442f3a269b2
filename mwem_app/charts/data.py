"""The data of a drawing as a browser takes them."""

from collections.abc import Mapping
from typing import Any

import numpy as np


def as_lists(value: Any) -> Any:
    """The same data with NumPy's arrays and numbers as lists and numbers of Python.

    >>> as_lists({"a": np.arange(2), "b": (np.float64(0.5), None)})
    {'a': [0, 1], 'b': [0.5, None]}
    """
    if isinstance(value, Mapping):
        return {name: as_lists(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [as_lists(each) for each in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
