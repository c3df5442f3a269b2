"""What the selection mechanism saw when it chose. All of it is private: for exploring only."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mwem_core.privacy import Witness

CANDIDATES_SHOWN = 10


@dataclass(frozen=True)
class Candidate:
    """A query or a marginal that could be chosen; its score in records."""

    name: str
    score: float
    probability: float
    chosen: bool


@dataclass(frozen=True)
class Selection:
    """The most probable candidates of a selection, the most probable first; the chosen one is always among them.

    `others` candidates were offered too, with `others_probability` together.
    """

    candidates: tuple[Candidate, ...]
    others: int
    others_probability: float

    @property
    def probability(self) -> float:
        """Of the candidate that was chosen."""
        return next(candidate.probability for candidate in self.candidates if candidate.chosen)

    @classmethod
    def of(cls, witness: Witness, chosen: int, name_of: Callable[[int], str]) -> "Selection":
        """The last selection that a noise source saw."""
        p, scores = witness.probabilities(), witness.scores
        assert scores is not None
        shown = min(CANDIDATES_SHOWN, int(np.isfinite(scores).sum()))
        likely = np.argpartition(-scores, shown - 1)[:shown]
        if chosen not in likely:
            likely = np.append(likely[np.argsort(-scores[likely])][: shown - 1], chosen)
        likely = likely[np.argsort(-scores[likely], kind="stable")]
        candidates = tuple(Candidate(name_of(j), float(scores[j]), float(p[j]), j == chosen) for j in map(int, likely))
        rest = max(0.0, 1 - sum(candidate.probability for candidate in candidates))
        return cls(candidates, int(np.isfinite(scores).sum()) - shown, rest)
