"""The draws of a run, recorded with what they were asked for and forced on another run, and what each costs.

A draw's proof says which distance between its exact values on two tables must be within Δ:

    entries   no score, or noisy cost, moves by more than Δ. Of costs, a solution contains one that a record moves
    range     all scores move within a range of 2Δ: the mechanisms' laws do not change when all scores move alike
    L1, L2    the distance of exact values under Laplace, and under Gaussian noise"""

import math
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from mwem_core.algorithm import Algorithm, Round
from mwem_core.domain import Table
from mwem_core.privacy import Exact, NoiseSource, Real
from mwem_core.workload import Workload

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


class AnyDraw:
    """A noise source each of whose draws is one call of `draw`, with its kind. See `NoiseSource`."""

    def draw(self, kind: Kind, exact: np.ndarray, amount: Real, sensitivity: Real) -> Any:
        """A choice or noisy values; the amount is ε, or ρ."""
        raise NotImplementedError

    def choose(self, scores: np.ndarray, epsilon: Real, sensitivity: Real) -> int:
        """See `NoiseSource`."""
        return self.draw("choose", scores, epsilon, sensitivity)

    def permute_and_flip(self, scores: np.ndarray, epsilon: Real, sensitivity: Real) -> int:
        """See `NoiseSource`."""
        return self.draw("permute_and_flip", scores, epsilon, sensitivity)

    def laplace(self, exact: np.ndarray, epsilon: Real, sensitivity: Real) -> np.ndarray:
        """See `NoiseSource`."""
        return self.draw("laplace", exact, epsilon, sensitivity)

    def discrete_laplace(self, exact: np.ndarray, epsilon: Real, sensitivity: Real) -> np.ndarray:
        """See `NoiseSource`."""
        return self.draw("discrete_laplace", exact, epsilon, sensitivity)

    def gaussian(self, exact: np.ndarray, rho: Real, sensitivity: Real) -> np.ndarray:
        """See `NoiseSource`."""
        return self.draw("gaussian", exact, rho, sensitivity)


class Recorder(AnyDraw):
    """A noise source that passes every draw on to another one, and keeps it."""

    def __init__(self, source: NoiseSource):
        self._source = source
        self.draws: list[Draw] = []

    def draw(self, kind: Kind, exact: np.ndarray, amount: Real, sensitivity: Real) -> Any:
        """The source's own draw."""
        output = getattr(self._source, kind)(exact, amount, sensitivity)
        self.draws.append(Draw(kind, np.array(exact, float), amount, sensitivity, copy(output)))
        return output


class DivergedError(Exception):
    """A run does not ask for the draws that it is to repeat."""


class Repeater(AnyDraw):
    """A noise source that returns the outputs of recorded draws, in order, whatever the private values are.

    Raises `DivergedError` where a draw is of another kind than the recorded one, or there is no recorded one left.
    """

    def __init__(self, draws: Iterable[Draw]):
        self._draws = iter(draws)

    def draw(self, kind: Kind, exact: np.ndarray, amount: Real, sensitivity: Real) -> Any:  # noqa: ARG002
        """The recorded choice or values."""
        draw = next(self._draws, None)
        if draw is None:
            raise DivergedError(f"it asks for one draw more, of {kind}")
        if draw.kind != kind:
            raise DivergedError(f"it asks for {kind} where {draw.kind} was drawn")
        return copy(draw.output)


@dataclass(frozen=True, eq=False)
class Transcript:
    """All draws and all rounds of a run. `ends` has for each round the number of draws made when it was released.

    `failure` is the error that ended the run early, if one did.
    """

    draws: Sequence[Draw]
    rounds: Sequence[Round[Any]]
    ends: Sequence[int]
    failure: str = ""


def transcript(settings: Algorithm, B: Table, Q: Workload, noise: NoiseSource) -> Transcript:
    """Run to the end, or to an error: the audit must see an error that only one of two neighbours meets."""
    recorder, rounds, ends, failure = Recorder(noise), [], [], ""
    try:
        for released in settings.rounds(B, Q, noise=recorder):
            rounds.append(released)
            ends.append(len(recorder.draws))
    except Exception as problem:
        failure = f"{type(problem).__name__}: {problem}"
    return Transcript(recorder.draws, rounds, ends, failure)


def forced_transcript(settings: Algorithm, neighbour: Table, Q: Workload, ours: Transcript) -> Transcript:
    """The run on a neighbour, with the outputs of every draw forced to be those of our run."""
    return transcript(settings, neighbour, Q, Repeater(ours.draws))


Proof = Literal["entries", "range", "L1", "L2"]
ROUNDING = 1e-12  # relative, of sums in float64; values on the grid are exact, and get none
GRID = 2.0**-10


@dataclass(frozen=True)
class Move:
    """How far the neighbour moved a draw, as a share of what it pays for, and in words what it does not pay for."""

    share: float
    problem: str = ""


def compare_draws(ours: Draw, theirs: Draw, proof: Proof, distance: int) -> Move:
    """A draw on B and the same draw on a table at this distance: `distance` times Δ is paid for."""
    if ours.kind != theirs.kind:
        return Move(0.0, f"{ours.kind} on B, {theirs.kind} on the neighbour")
    if ours.exact.shape != theirs.exact.shape:
        return Move(0.0, f"{ours.exact.size} values on B, {theirs.exact.size} on the neighbour")
    if (ours.amount, ours.sensitivity) != (theirs.amount, theirs.sensitivity):
        asked = [f"{float(d.amount):.6g} for Δ = {d.sensitivity:.6g}" for d in (ours, theirs)]
        return Move(0.0, f"the price is {asked[0]} on B, {asked[1]} on the neighbour")
    if (np.isneginf(ours.exact) != np.isneginf(theirs.exact)).any():
        return Move(0.0, "other candidates are on offer on the neighbour")
    moved, Δ = move(ours, theirs, proof) / distance, ours.sensitivity
    share = moved / Δ
    if not moved <= Δ + rounding(ours, theirs) / distance:
        return Move(share, f"one record moves {ours.kind} by {moved:.6g} ({proof}), more than its Δ = {Δ:.6g}")
    return Move(share)


def usual_proof(draw: Draw) -> Proof:
    """The proof of a mechanism, where an algorithm has no proof of its own."""
    return "entries" if draw.selects else "L2" if draw.kind == "gaussian" else "L1"


def move(ours: Draw, theirs: Draw, proof: Proof) -> float:
    """The distance between what two runs gave to a draw, by its proof. NaN where a value is NaN on one side."""
    offered = ~np.isneginf(ours.exact)
    gap = theirs.exact[offered] - ours.exact[offered]
    if not gap.size:
        return 0.0
    if proof == "range":
        return float(gap.max() - gap.min()) / 2
    if proof == "L2":
        return math.sqrt(float((gap**2).sum()))
    return float(np.abs(gap).sum() if proof == "L1" else np.abs(gap).max())


def rounding(ours: Draw, theirs: Draw) -> float:
    """By how much a distance may exceed Δ for float64's rounding: not at all if all values are on the grid."""
    values = np.concatenate([ours.exact.ravel(), theirs.exact.ravel()])
    values = values[np.isfinite(values)]
    if not np.mod(values, GRID).any():
        return 0.0
    return ROUNDING * max(1.0, ours.sensitivity, float(np.abs(values).max())) * max(1.0, math.sqrt(ours.exact.size))


def cost(draw: Draw, unit: str) -> Exact:
    """What a draw costs, in ε or in ρ, exactly; infinite for Gaussian noise under pure ε.

    In ρ, a selection by the exponential mechanism costs ε²/8 (Cesar & Rogers 2021), and whatever else is ε-DP costs
    ε²/2 (Bun & Steinke 2016). A choice among equal scores is a public die and costs nothing.
    """
    if draw.selects and not np.ptp(draw.exact):
        return Fraction(0)
    if unit == "ε":
        return math.inf if draw.kind == "gaussian" else Fraction(draw.amount)
    if draw.kind == "gaussian":
        return Fraction(draw.amount)
    return Fraction(draw.amount) ** 2 / (8 if draw.kind == "choose" else 2)
