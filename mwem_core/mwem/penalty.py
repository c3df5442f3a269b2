"""What is subtracted from a table's score for each of its cells: what measuring it is expected to cost."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from mwem_core.privacy import Budget

PenaltyName = Literal["none", "cells", "noise"]


@dataclass(frozen=True)
class PerCell:
    """The same for every cell, in records."""

    amount: float

    def __call__(self, shares: np.ndarray | float = 1.0) -> np.ndarray:
        """The cost of a cell, whatever share of the budget its table gets: (cells,) -> (cells,), or of all alike."""
        return np.full(np.shape(shares), self.amount)


@dataclass(frozen=True)
class PerNoise:
    """The mean noise of a measured cell, in records."""

    measuring: Budget

    def __call__(self, shares: np.ndarray | float = 1.0) -> np.ndarray:
        """The cost of a cell whose table gets this share of the budget: (cells,) -> (cells,), or of all alike."""
        return np.asarray(self.measuring.mean_noise / self.measuring.scale * self.measuring.scale_at(shares))


Penalty = PerCell | PerNoise


def penalty_by_name(name: PenaltyName, measuring: Budget) -> Penalty:
    """The penalty, if `measuring` is the budget of a measurement."""
    return PerNoise(measuring) if name == "noise" else PerCell({"none": 0.0, "cells": 1.0}[name])
