"""MWEM, one round at a time, with the paper's settings and the truth beside it. NOT PRIVATE: example data only."""

from dataclasses import dataclass

import numpy as np

from mwem_core.domain import Table
from mwem_core.judge import errors
from mwem_core.model import Measurement
from mwem_core.mwem import paper
from mwem_core.privacy import NoiseSource, Witness
from mwem_core.weighted import Model
from mwem_core.workload import Workload

EPSILON, T = 8.0, 8  # of the run on single queries that the lesson looks at


@dataclass(frozen=True, eq=False)
class Watched:
    """A run of T rounds among C candidates (the queries, or whole tables), with what it hides. NOT PRIVATE.

    `spent` holds what select and measure have used after each round, in ε.
    """

    epsilon: float
    scale: float  # of the noise, 2T/ε, in records
    answers: np.ndarray  # (T + 1, |Q|): q(A_0) .. q(A_T), in records
    gaps: np.ndarray  # (T + 1, C): |q(A_i) - q(B)|, summed over a table's cells, in records
    misplaced: np.ndarray  # (T + 1,): share of the records in a wrong cell, mean over the tables (total variation)
    spent: np.ndarray  # (T + 1, 2)
    probabilities: np.ndarray  # (T, C), of the selections
    chosen: np.ndarray  # (T,)
    measurements: tuple[Measurement, ...]
    A: Model  # of the last round

    @property
    def measured(self) -> tuple[np.ndarray, ...]:
        """The noisy answers, a number each or a table."""
        return tuple(m.value for m in self.measurements)

    @property
    def best_bets(self) -> float:
        """How many choices the best bettor foresees on average, who always names the most probable candidate."""
        return float(self.probabilities.max(axis=1).sum())


def watch(B: Table, Q: Workload, *, epsilon: float, T: int, noise: NoiseSource) -> Watched:
    """Run MWEM as in the paper's experiments (Figure 8), and keep what a round hides.

    Cuboids are chosen and measured as whole tables, other workloads query by query. ε-DP but for what is kept.
    """
    witness, truth = Witness(noise), Q.answers(B)
    rounds, probabilities = [], []
    for round_ in paper(Q, epsilon=epsilon, T=T).rounds(B, Q, noise=witness):
        rounds.append(round_)
        if round_.chosen is not None:
            probabilities.append(witness.probabilities())
    answers = np.array([round_.model.answers(Q) for round_ in rounds])
    gaps = np.abs(answers - truth)
    measurements = tuple(m for round_ in rounds for m in round_.measurements)
    return Watched(
        epsilon=epsilon,
        scale=measurements[0].scale,
        answers=answers,
        gaps=np.array([Q.sum_by_part(row) for row in gaps]) if Q.family == "cuboids" else gaps,
        misplaced=np.array([errors(Q, row, truth, B.total).mean_tv for row in answers]),
        spent=np.array([(round_.ledger.select, round_.ledger.measure) for round_ in rounds]),
        probabilities=np.array(probabilities),
        chosen=np.array([round_.chosen for round_ in rounds[1:]]),
        measurements=measurements,
        A=rounds[-1].model,
    )
