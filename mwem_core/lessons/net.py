"""The net mechanism on eight cells: what the lesson on choosing a whole table shows and verifies."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mwem_core.data.records import Records
from mwem_core.lessons.check import Check
from mwem_core.lessons.eight import DOMAIN, eight_cells, six_questions
from mwem_core.lessons.neighbours import OneMore
from mwem_core.privacy.noise import NoiseSource
from mwem_core.relatives.net import Net

NET_RECORDS = 8  # m, the records of a table of the net
BIN = 10  # records; the width of a bin of errors
ROUNDING = 1e-9  # of a ratio of probabilities
QUESTIONS = six_questions()


@dataclass(frozen=True, eq=False)
class NetTable:
    """The net mechanism on eight cells at several ε. Errors are the largest over the questions, in records.

    `counts`, (bins,): how many candidates err by at least `lowest` of the bin and less than `lowest + BIN`.
    `probabilities`, (ε, bins): of choosing one of them. `chosen`, (ε, 8): a table drawn at each ε, scaled to n, and its
    `error`, (ε,).
    """

    lowest: np.ndarray
    counts: np.ndarray
    probabilities: np.ndarray
    chosen: np.ndarray
    error: np.ndarray
    truth: np.ndarray


def net_table(survey: Records, epsilons: Sequence[float], noise: NoiseSource) -> NetTable:
    """Score all tables of `NET_RECORDS` records on the six questions; at each ε, draw one by the net mechanism."""
    B, Q = eight_cells(survey), QUESTIONS
    nets = [Net(epsilon=epsilon, m=NET_RECORDS).mechanism(Q) for epsilon in epsilons]
    errors = -nets[0].score(B)
    bins = (errors // BIN).astype(int)
    tables = np.array([net.choose(B, noise=noise) for net in nets])
    candidates = [bytes(candidate) for candidate in nets[0].candidates]
    return NetTable(
        lowest=BIN * np.arange(bins.max() + 1),
        counts=np.bincount(bins),
        probabilities=np.array([np.bincount(bins, net.probabilities(B)) for net in nets]),
        chosen=np.array([np.bincount(table, minlength=DOMAIN.size) for table in tables]) * B.total / NET_RECORDS,
        error=np.array([errors[candidates.index(bytes(table))] for table in tables]),
        truth=B.marginal((0, 1, 2)).ravel(),
    )


def check(survey: Records, *, epsilon: float) -> Check:
    """The probabilities of all candidates, with one student more in each cell in turn, against those without.

    `measured` is the largest ratio of a candidate's probability on two neighbours, one way or the other. ε-DP allows
    e^ε.
    """
    B, net = eight_cells(survey), Net(epsilon=epsilon, m=NET_RECORDS).mechanism(QUESTIONS)
    here = np.log(net.probabilities(B))
    more = [OneMore(B, tuple(int(code) for code in np.unravel_index(x, DOMAIN.shape))) for x in range(DOMAIN.size)]
    largest = max(float(np.abs(np.log(net.probabilities(there)) - here).max()) for there in more)
    return Check(math.exp(largest), math.exp(epsilon) * (1 + ROUNDING))
