"""Coordinates of a table in an orthonormal basis of products, where every residual has its own coordinates.

Each attribute has orthonormal functions of its values, the constant first. Their products over a table's attributes
are an orthonormal basis of the table. The residual over A is what the products say that are constant in the attributes
outside of A, and not in those of A.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from mwem_core.domain import Attrs
from mwem_core.model.triangulation import Clique

MAX_FACTOR = 16  # values of attributes that one matrix product transforms together


@dataclass(frozen=True, eq=False)
class AttributeBasis:
    """Orthonormal functions of an attribute's n values, (n, n), one in each row, and their mean squares: (n,)."""

    functions: np.ndarray
    mean_squares: np.ndarray

    @classmethod
    def of(cls, shares: np.ndarray) -> "AttributeBasis":
        """The constant, then functions of mean 0 whose products have mean 0 under the shares, (n,), all positive.

        So a rare value has a function of its own.
        """
        n = len(shares)
        away = np.eye(n) - 1 / n  # takes the mean away
        values, functions = np.linalg.eigh(away * shares @ away - 1 / n)  # the constant has the least eigenvalue, -1
        functions = functions.T * np.sign(functions.sum(axis=0)[0])
        return cls(functions, np.concatenate([[1 / n], values[1:]]))


def residual_coordinates(residual: np.ndarray, bases: Sequence[AttributeBasis]) -> np.ndarray:
    """A residual, centred along every axis -> its coordinates, a table with one value less along every axis."""
    for basis in bases:
        residual = np.tensordot(residual, basis.functions[1:], axes=(0, 1))
    return residual


def residual_table(coordinates: np.ndarray, bases: Sequence[AttributeBasis]) -> np.ndarray:
    """The residual that has these coordinates."""
    for basis in bases:
        coordinates = np.tensordot(coordinates, basis.functions[1:], axes=(0, 0))
    return coordinates


def mean_squares(bases: Sequence[AttributeBasis]) -> np.ndarray:
    """The mean square of each product of functions, were the attributes independent: as `residual_coordinates`."""
    return reduce(np.multiply.outer, [basis.mean_squares[1:] for basis in bases])


@dataclass(frozen=True, eq=False)
class CliqueCoordinates:
    """Some residuals' coordinates, (k,) end to end, within those of a table over a clique.

    `index` and `spread` are (k,): the place of each among the table's coordinates, and √(the cells outside of A).
    """

    shape: tuple[int, ...]
    factors: tuple[np.ndarray, ...]  # products of the attributes' functions, of a few attributes each
    index: np.ndarray
    spread: np.ndarray

    @classmethod
    def of(cls, clique: Clique, bases: Mapping[int, AttributeBasis], residuals: Sequence[Attrs]) -> "CliqueCoordinates":
        """The coordinates of the residuals over these sets, all within the clique."""
        shape = tuple(len(bases[a].functions) for a in clique)
        strides = {a: math.prod(shape[i + 1 :]) for i, a in enumerate(clique)}
        index, spread = [np.zeros(0, np.intp)], [np.zeros(0)]
        for A in residuals:
            steps = [strides[a] * np.arange(1, len(bases[a].functions)) for a in A]
            index.append(reduce(np.add.outer, steps).ravel())
            cells = math.prod(len(bases[a].functions) for a in A)
            spread.append(np.full(index[-1].size, math.sqrt(math.prod(shape) / cells)))
        factors: list[np.ndarray] = []
        for a in clique:
            functions = bases[a].functions
            if factors and len(factors[-1]) * len(functions) <= MAX_FACTOR:
                factors[-1] = np.kron(factors[-1], functions)
            else:
                factors.append(functions)
        return cls(shape, tuple(factors), np.concatenate(index), np.concatenate(spread))

    def marginals(self, table: np.ndarray) -> np.ndarray:
        """The residuals of the table's marginals: (k,)."""
        for factor in self.factors:  # each pass transforms the first axes and puts them last
            table = table.reshape(len(factor), -1).T @ factor.T
        return table.ravel()[self.index] * self.spread

    def table(self, coordinates: np.ndarray) -> np.ndarray:
        """The sum of the residuals, each the same for all values of the attributes outside of it."""
        table = np.zeros(math.prod(self.shape))
        table[self.index] = coordinates * self.spread
        for factor in self.factors:
            table = table.reshape(len(factor), -1).T @ factor
        return table.reshape(self.shape)
