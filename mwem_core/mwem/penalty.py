"""What is subtracted from a table's score: what measuring it is expected to cost."""

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from mwem_core.privacy.budget import Budget

PenaltyName = Literal["none", "cells", "noise", "counts"]


class Penalty(Protocol):
    """What each cell of a table costs. It reads a released model, never the data."""

    def __call__(self, counts: np.ndarray, shares: np.ndarray | float = 1.0) -> np.ndarray:
        """The cost of each cell, in records, if the model has these counts: (cells,) -> (cells,).

        `shares`, (cells,), is what its table gets of the budget of a measurement; 1 if all get the same.
        """
        ...


@dataclass(frozen=True)
class PerCell:
    """The same for every cell."""

    amount: float

    def __call__(self, counts: np.ndarray, shares: np.ndarray | float = 1.0) -> np.ndarray:  # noqa: ARG002
        """See `Penalty`."""
        return np.full(counts.shape, self.amount)


@dataclass(frozen=True)
class PerNoise:
    """The mean noise of a measured cell."""

    measuring: Budget

    def __call__(self, counts: np.ndarray, shares: np.ndarray | float = 1.0) -> np.ndarray:
        """See `Penalty`."""
        noise = self.measuring.mean_noise / self.measuring.scale
        return np.full(counts.shape, noise * self.measuring.scale_at(shares))


@dataclass(frozen=True)
class PerCount:
    """The mean error of a noisy count, which a model cannot take below zero.

    So a large table of mostly empty cells costs half its noise, and is measured earlier.
    """

    measuring: Budget

    def __call__(self, counts: np.ndarray, shares: np.ndarray | float = 1.0) -> np.ndarray:
        """See `Penalty`."""
        return self.measuring.mean_count_error(counts, shares)


def penalty_by_name(name: PenaltyName, measuring: Budget) -> Penalty:
    """The penalty, if `measuring` is the budget of a measurement."""
    if name == "counts":
        return PerCount(measuring)
    if name == "noise":
        return PerNoise(measuring)
    return PerCell({"none": 0.0, "cells": 1.0}[name])
