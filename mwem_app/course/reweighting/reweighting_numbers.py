"""Reweighting: multiplicative weights on eight cells, push by push, with exact and with noisy measurements.

The potential Ψ = Σ (B/n) ln(B/A), in nats, is how far A is from B. One update by the query q and its measurement m
lowers Ψ by at least ((q(A) - q(B)) / 2n)² - ((m - q(B)) / 2n)² (Hardt & Rothblum 2010; the second term is 0 for an
exact m). Ψ is never negative, so large errors must end.

The eight cells are the class survey with each of its questions cut to two answers, small enough to see whole.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

import numpy as np

from mwem_core.domain import Attribute, Domain, Records
from mwem_core.judge import least_fall, relative_entropy
from mwem_core.model import LogLinear, Measurement, align, update
from mwem_core.privacy import NoiseSource, mechanisms
from mwem_core.relatives import STEP
from mwem_core.values import Values
from mwem_core.workload import Workload, predicates

CUT = {"drink": "coffee", "year": "first", "sleep": "under 6 h"}  # the answer that is kept; all others are "other"
OTHER = "other"
DOMAIN = Domain(tuple(Attribute(name, Values((kept, OTHER))) for name, kept in CUT.items()))
SINGLE = tuple(f'{name} == "{kept}"' for name, kept in CUT.items())
PAIRS = tuple(f"{SINGLE[i]} and {SINGLE[j]}" for i, j in ((0, 1), (0, 2), (1, 2)))


def eight_cells(survey: Records) -> Records:
    """The records of the class survey over `DOMAIN`: coffee or not, first year or later, short sleep or longer."""
    columns = (
        survey.codes[survey.domain.names.index(name)]
        != survey.domain.attributes[survey.domain.names.index(name)].labels.index(kept)
        for name, kept in CUT.items()
    )
    return Records(DOMAIN, tuple(column.astype(np.uint8) for column in columns))


def six_questions() -> Workload:
    """How many gave each answer that was kept, and how many gave each pair of them."""
    return predicates(DOMAIN, [*SINGLE, *PAIRS])


def counted_cells(Q: Workload) -> np.ndarray:
    """q(x) of each query on each cell of the domain, row by row: (|Q|, |D|)."""
    everything = tuple(range(len(Q.domain)))
    queries = (Q.query(j)[:2] for j in range(Q.size))
    return np.array([np.broadcast_to(align(q, S, everything), Q.domain.shape).ravel() for S, q in queries])


ROWS = "coffee", "no coffee"
COLUMNS = "first year, short sleep", "first year, longer", "later year, short sleep", "later year, longer"
QUESTIONS = (
    "coffee",
    "first year",
    "short sleep",
    "coffee, first year",
    "coffee, short sleep",
    "first year, short sleep",
)


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


def uniform_state(B: Records, Q: Workload) -> State:
    """A_0, the uniform table."""
    return _state(LogLinear.uniform(B.domain.shape, B.total), B, Q)


def update_state(
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
    states = [uniform_state(B, Q)]
    for j in picks:
        states.append(update_state(states[-1], j, B, Q))
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
    most = int(uniform_state(B, Q).potential // least_fall(first / 2, B.total))
    return first, 1 + sum(1 for _ in takewhile(lambda error: error > first / 2, islice(errors, most))), most


def _by_the_worst(B: Records, Q: Workload, epsilon: float, noise: NoiseSource | None) -> Iterator[State]:
    """The start, and the state after each update by the query of the largest error, without an end."""
    state = uniform_state(B, Q)
    while True:
        yield state
        worst = int(np.abs(state.answers - Q.answers(B)).argmax())
        state = update_state(state, worst, B, Q, epsilon=epsilon, noise=noise)


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
    A, exact = uniform_state(B, Q), np.asarray(Q.answers(B)[j])
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
