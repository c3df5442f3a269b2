"""The draws of a run, recorded with what they were asked for, and forced on another run."""

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from mwem_core.privacy import NoiseSource, Real

Kind = Literal["choose", "permute_and_flip", "laplace", "discrete_laplace", "gaussian"]  # the noise source's methods


@dataclass(frozen=True, eq=False)
class Draw:
    """One use of the private data: what the noise source was asked for, and what it returned.

    `exact` is private: the scores of a selection, or the exact values of a measurement. `amount` is ε, or the ρ of a
    Gaussian draw. One record should move `exact` by no more than `sensitivity`.
    """

    kind: Kind
    exact: np.ndarray
    amount: Real
    sensitivity: Real
    output: int | np.ndarray

    @property
    def selects(self) -> bool:
        """Whether it chose one of several candidates."""
        return self.kind in ("choose", "permute_and_flip")


class Recorder:
    """A noise source that passes every draw on to another one, and keeps it."""

    def __init__(self, source: NoiseSource):
        self._source = source
        self.draws: list[Draw] = []

    def choose(self, scores: np.ndarray, epsilon: Real, sensitivity: Real) -> int:
        """See `NoiseSource`."""
        output = self._source.choose(scores, epsilon, sensitivity)
        self._keep("choose", scores, epsilon, sensitivity, output)
        return output

    def permute_and_flip(self, scores: np.ndarray, epsilon: Real, sensitivity: Real) -> int:
        """See `NoiseSource`."""
        output = self._source.permute_and_flip(scores, epsilon, sensitivity)
        self._keep("permute_and_flip", scores, epsilon, sensitivity, output)
        return output

    def laplace(self, exact: np.ndarray, epsilon: Real, sensitivity: Real) -> np.ndarray:
        """See `NoiseSource`."""
        output = self._source.laplace(exact, epsilon, sensitivity)
        self._keep("laplace", exact, epsilon, sensitivity, output)
        return output

    def discrete_laplace(self, exact: np.ndarray, epsilon: Real, sensitivity: Real) -> np.ndarray:
        """See `NoiseSource`."""
        output = self._source.discrete_laplace(exact, epsilon, sensitivity)
        self._keep("discrete_laplace", exact, epsilon, sensitivity, output)
        return output

    def gaussian(self, exact: np.ndarray, rho: Real, sensitivity: Real) -> np.ndarray:
        """See `NoiseSource`."""
        output = self._source.gaussian(exact, rho, sensitivity)
        self._keep("gaussian", exact, rho, sensitivity, output)
        return output

    def _keep(self, kind: Kind, exact: np.ndarray, amount: Real, sensitivity: Real, output: int | np.ndarray) -> None:
        self.draws.append(Draw(kind, np.array(exact, float), amount, sensitivity, copy(output)))


class DivergedError(Exception):
    """A run does not ask for the draws that it is to repeat."""


class Repeater:
    """A noise source that returns the outputs of recorded draws, in order, whatever the private values are.

    Raises `DivergedError` where a draw is of another kind than the recorded one, or there is no recorded one left.
    """

    def __init__(self, draws: Iterable[Draw]):
        self._draws = iter(draws)

    def choose(self, scores: np.ndarray, epsilon: Real, sensitivity: Real) -> int:  # noqa: ARG002
        """The recorded choice."""
        return self._next("choose")

    def permute_and_flip(self, scores: np.ndarray, epsilon: Real, sensitivity: Real) -> int:  # noqa: ARG002
        """The recorded choice."""
        return self._next("permute_and_flip")

    def laplace(self, exact: np.ndarray, epsilon: Real, sensitivity: Real) -> np.ndarray:  # noqa: ARG002
        """The recorded values."""
        return self._next("laplace")

    def discrete_laplace(self, exact: np.ndarray, epsilon: Real, sensitivity: Real) -> np.ndarray:  # noqa: ARG002
        """The recorded values."""
        return self._next("discrete_laplace")

    def gaussian(self, exact: np.ndarray, rho: Real, sensitivity: Real) -> np.ndarray:  # noqa: ARG002
        """The recorded values."""
        return self._next("gaussian")

    def _next(self, kind: Kind) -> Any:
        draw = next(self._draws, None)
        if draw is None:
            raise DivergedError(f"it asks for one draw more, of {kind}")
        if draw.kind != kind:
            raise DivergedError(f"it asks for {kind} where {draw.kind} was drawn")
        return copy(draw.output)
