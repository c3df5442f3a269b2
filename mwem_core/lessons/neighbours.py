"""What a run costs a person, found by repeating its outputs on a table with one record more."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.data.table import Table
from mwem_core.domain.domain import Domain
from mwem_core.domain.source import Attrs, Source
from mwem_core.privacy.laws import laplace_scale, selection_weights
from mwem_core.privacy.noise import Seeded


@dataclass(frozen=True, eq=False)
class OneMore(Source):
    """The table B with one record more, of these codes. The total stays B's, as MWEM takes n as public."""

    B: Table
    codes: tuple[int, ...]

    @property
    def domain(self) -> Domain:
        """B's."""
        return self.B.domain

    @property
    def total(self) -> int:
        """B's."""
        return self.B.total

    def marginals(self, sets: Sequence[Attrs]) -> list[np.ndarray]:
        """B's marginals plus the record, in records."""
        tables = [table.copy() for table in self.B.marginals(sets)]
        for attrs, table in zip(sets, tables, strict=True):
            table[tuple(self.codes[a] for a in attrs)] += 1
        return tables


@dataclass(frozen=True, eq=False)
class Draw:
    """One use of the private data: `exact` is the weights of a selection, or exact answers over the noise's scale."""

    selects: bool
    exact: np.ndarray
    output: int | np.ndarray

    def cost(self, neighbour: "Draw") -> float:
        """The ε that this use spends, if no other neighbour moves `exact` further.

        Weights that move by at most w change each probability by a factor of at most e^2w. Laplace noise of scale b
        under answers that move by a in L1 changes the density by at most e^(a/b).
        """
        offered = np.isfinite(self.exact)
        moved = np.abs(np.where(offered, self.exact, 0) - np.where(offered, neighbour.exact, 0))
        return 2 * float(moved.max()) if self.selects else float(moved.sum())


class Recorded(Seeded):
    """Seeded draws of a run with δ = 0, kept with what they were drawn from."""

    def __init__(self, seed: int):
        super().__init__(seed)
        self.draws: list[Draw] = []

    def choose(self, scores: np.ndarray, epsilon: float, sensitivity: float) -> int:
        """An index by the exponential mechanism."""
        j = super().choose(scores, epsilon, sensitivity)
        self.draws.append(Draw(True, selection_weights(scores, epsilon, sensitivity), j))
        return j

    def laplace(self, exact: np.ndarray, epsilon: float, sensitivity: float) -> np.ndarray:
        """Noisy answers."""
        noisy = super().laplace(exact, epsilon, sensitivity)
        self.draws.append(Draw(False, exact / laplace_scale(epsilon, sensitivity), noisy))
        return noisy


class Repeated(Recorded):
    """The outputs of an earlier run once more, kept with what they would now be drawn from."""

    def __init__(self, draws: Iterable[Draw]):
        super().__init__(0)
        self._before = iter(draws)

    def choose(self, scores: np.ndarray, epsilon: float, sensitivity: float) -> int:
        """The index that was chosen."""
        before = next(self._before)
        self.draws.append(Draw(True, selection_weights(scores, epsilon, sensitivity), before.output))
        return int(before.output)

    def laplace(self, exact: np.ndarray, epsilon: float, sensitivity: float) -> np.ndarray:
        """The answers that were released."""
        before = next(self._before)
        self.draws.append(Draw(False, exact / laplace_scale(epsilon, sensitivity), before.output))
        return np.asarray(before.output)
