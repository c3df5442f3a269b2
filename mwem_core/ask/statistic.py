"""A statistic: functions of linear queries, which any estimate of their answers gives values of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mwem_core.ask.conditions import Feature
from mwem_core.ask.measured import Block
from mwem_core.domain import Attrs, Source

STEP = 1e-6  # of a difference quotient: of the number of records times a query's largest value

Scale = Literal["plain", "log", "atanh"]


@dataclass(frozen=True, eq=False, repr=False)
class Statistic:
    """p numbers, by `names`, that `function` makes of the answers to all queries of `blocks`: (..., K) -> (..., p).

    Answers are in records, and the function stays the same if all are multiplied by one number. It gives NaN where the
    statistic is not defined. Intervals are symmetric on the `scale` of its values. `derivative` is (p, K) at answers
    (K,); without it, difference quotients are taken.

    Values are possible from `least` to `most`: (p,), or one for all. Where `spans`, the function gives p values more
    with each number at the least that its bin allows, and p with the most. Where `whole`, the values are shares that
    add up to 1. `needs` are, for each value, groups that must not be empty. `note` says what a reader has to know.
    """

    names: tuple[str, ...]
    blocks: tuple[Block, ...]
    function: Callable[[np.ndarray], np.ndarray]
    scale: Scale = "plain"
    derivative: Callable[[np.ndarray], np.ndarray] | None = None
    least: np.ndarray | float = -np.inf
    most: np.ndarray | float = np.inf
    spans: bool = False
    whole: bool = False
    needs: tuple[tuple[Feature, ...], ...] = ()
    note: str = ""

    @property
    def attrs(self) -> Attrs:
        """All attributes that its queries read."""
        return tuple(sorted({a for block in self.blocks for a in block.S}))

    def of(self, source: Source) -> np.ndarray:
        """Its values of a source, such as records, on the scale of answers: (p,). NaN where it is not defined."""
        with np.errstate(all="ignore"):
            values = self.function(np.concatenate([block.answers(source) for block in self.blocks]))[: len(self.names)]
        return {"log": np.exp, "atanh": np.tanh}.get(self.scale, np.asarray)(values)

    def derivatives(self, answers: np.ndarray, n: float) -> np.ndarray:
        """∂ value / ∂ answer at these answers, about n records: (K,) -> (p, K)."""
        if self.derivative is not None:
            return self.derivative(answers)
        largest = [np.abs(block.q).reshape(len(block.q), -1).max(axis=1, initial=0.0) for block in self.blocks]
        steps = STEP * n * np.maximum(np.concatenate(largest), 1e-12)
        moved = np.diag(steps)
        return ((self.function(answers + moved) - self.function(answers - moved)) / (2 * steps)[:, None]).T
