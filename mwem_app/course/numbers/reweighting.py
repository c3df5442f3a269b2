"""Reweighting: multiplicative weights on eight cells, push by push, with exact and with noisy measurements.

The potential Ψ = Σ (B/n) ln(B/A), in nats, is how far A is from B. One update by the query q and its measurement m
lowers Ψ by at least ((q(A) - q(B)) / 2n)² - ((m - q(B)) / 2n)² (Hardt & Rothblum 2010; the second term is 0 for an
exact m). Ψ is never negative, so large errors must end.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

import numpy as np

from mwem_core.domain import Records
from mwem_core.judge import least_fall, relative_entropy
from mwem_core.model import LogLinear, Measurement, update
from mwem_core.privacy import NoiseSource, mechanisms
from mwem_core.relatives import STEP
from mwem_core.workload import Workload


@dataclass(frozen=True, eq=False)
class State:
    """A after some updates, and what the last one promised and did; counts in records, Ψ in nats.

    `cells`, (|D|,), and `answers`, (|Q|,), are those of A. `query` was chosen with the error q(A) - q(B), and measured
    with `noise` m - q(B). At the start `query` is None, and nothing was promised.
    """

    A: LogLinear
    cells: np.ndarray
    answers: np.ndarray
    potential: float
    query: int | None = None
    error: float = 0.0
    noise: float = 0.0
    promise: float = 0.0


def start(B: Records, Q: Workload) -> State:
    """A_0, the uniform table."""
    return _state(LogLinear.uniform(B.domain.shape, B.total), B, Q)


def updated(
    state: State, j: int, B: Records, Q: Workload, *, epsilon: float = math.inf, noise: NoiseSource | None = None
) -> State:
    """Measure query j with ε, exactly at ε = ∞, and reweight: A(x) ∝ A(x) exp(q(x) (m - q(A)) / 2n)."""
    attrs, q, _ = Q.query(j)
    exact = np.asarray(Q.answers(B)[j])
    m = exact if noise is None else mechanisms.laplace(exact, epsilon=epsilon, sensitivity=1, noise=noise)[0]
    A = update(state.A, Measurement(attrs, m, 1 / epsilon, q), STEP)
    error, missed = float(state.answers[j] - exact), float(m - exact)
    return _state(A, B, Q, query=j, error=error, noise=missed, promise=least_fall(error, B.total, noise=missed))


def by_hand(B: Records, Q: Workload, picks: Iterable[int]) -> list[State]:
    """The start, and the state after each exact update by a query that was picked."""
    states = [start(B, Q)]
    for j in picks:
        states.append(updated(states[-1], j, B, Q))
    return states


def course(B: Records, Q: Workload, T: int, *, epsilon: float, noise: NoiseSource | None) -> list[State]:
    """The start, and T updates by the query of the largest error, each measured with ε. The choice is NOT private."""
    return list(islice(_by_the_worst(B, Q, epsilon, noise), T + 1))


def halving(B: Records, Q: Workload) -> tuple[float, int, int]:
    """The largest error of A_0, in records, how many exact updates by the worst query halve it, and the most that may.

    An update that meets an error above half of the first lowers Ψ by more than `least_fall` of that half. Ψ is never
    negative, so there are at most so many. A course that has not halved the error by then is followed no further.
    """
    states = _by_the_worst(B, Q, math.inf, None)
    errors = (float(np.abs(state.answers - Q.answers(B)).max()) for state in states)
    first = next(errors)
    most = int(start(B, Q).potential // least_fall(first / 2, B.total))
    return first, 1 + sum(1 for _ in takewhile(lambda error: error > first / 2, islice(errors, most))), most


def _by_the_worst(B: Records, Q: Workload, epsilon: float, noise: NoiseSource | None) -> Iterator[State]:
    """The start, and the state after each update by the query of the largest error, without an end."""
    state = start(B, Q)
    while True:
        yield state
        worst = int(np.abs(state.answers - Q.answers(B)).argmax())
        state = updated(state, worst, B, Q, epsilon=epsilon, noise=noise)


@dataclass(frozen=True, eq=False)
class Pushes:
    """One query's update with the paper's exponent times each multiple, from A_0.

    `factors`, (multiples,), multiply the cells where q is 1, before all are scaled to n. `cells`, (multiples, |D|),
    and `answers`, (multiples,), are A's, in records; `potentials`, (multiples,), in nats.
    """

    factors: np.ndarray
    cells: np.ndarray
    answers: np.ndarray
    potentials: np.ndarray


def pushes(B: Records, Q: Workload, j: int, multiples: Sequence[float]) -> Pushes:
    """Push A_0 towards the exact answer to query j, too little and too much."""
    attrs, q, _ = Q.query(j)
    A, exact = start(B, Q), np.asarray(Q.answers(B)[j])
    m = Measurement(attrs, exact, 0.0, q)
    states = [_state(update(A.A, m, multiple * STEP), B, Q) for multiple in multiples]
    return Pushes(
        factors=np.exp(np.array(multiples) * STEP * (exact - A.answers[j]) / B.total),
        cells=np.array([state.cells for state in states]),
        answers=np.array([state.answers[j] for state in states]),
        potentials=np.array([state.potential for state in states]),
    )


def _state(A: LogLinear, B: Records, Q: Workload, **update) -> State:
    cells = A.marginal(tuple(range(len(B.domain)))).ravel()
    return State(A, cells, Q.answers(A), relative_entropy(B, A), **update)
