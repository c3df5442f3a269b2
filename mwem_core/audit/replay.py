"""Replay: the released values of a run on B, forced on a run on its neighbour, must pass as a run that paid for them.

If every draw could have returned the same on the neighbour, at the price that its mechanism states, and everything
released follows from the draws, then the whole run tells the two tables apart by no more than the sum of the prices.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from mwem_core.audit.control_flow import first_fork, traced
from mwem_core.audit.differences import difference
from mwem_core.audit.moves import Move, compared, cost
from mwem_core.audit.pairs import Case
from mwem_core.audit.tables import Neighbour
from mwem_core.audit.transcripts import Transcript, repeated, transcript
from mwem_core.privacy import NoiseSource


@dataclass(frozen=True)
class Replayed:
    """What a replay on one neighbour found: the share of ε that tells the tables apart, and each violation in words."""

    case: Case
    neighbour: Neighbour
    used: float  # at these noisy values; a draw costs its price times how far it moved, in Δ, and in ρ times the square
    violations: tuple[str, ...]


def replayed(case: Case, noise: NoiseSource) -> Iterator[Replayed]:
    """A run on the case's table, replayed on the table itself, for the path through the code, and on each neighbour."""
    ours = transcript(case.settings, case.table, case.workload, noise)
    own = [f"the run ends in an error: {ours.failure}"] if ours.failure else []
    own += overspent(ours)
    _, path = traced(lambda: repeated(case.settings, case.table, case.workload, ours))
    for neighbour in case.neighbours:
        theirs, other = traced(partial(repeated, case.settings, neighbour.table, case.workload, ours))
        moves = [
            compared(a, b, case.proof(i, a), neighbour.distance)
            for i, (a, b) in enumerate(zip(ours.draws, theirs.draws, strict=False))
        ]
        found = [f"draw {i}: {each.problem}" for i, each in enumerate(moves, 1) if each.problem]
        found += unlike(ours, theirs)
        if not found and (fork := first_fork(path, other)):
            found.append(f"the run takes another path from {fork} on")
        yield Replayed(case, neighbour, _used(ours, moves), (*own, *found))


def overspent(run: Transcript) -> Iterator[str]:
    """Rounds whose draws cost more than the ledger says, or whose ledger exceeds the budget."""
    for released, end in zip(run.rounds, run.ends, strict=True):
        ledger = released.ledger
        paid = sum((cost(draw, ledger.budget.unit) for draw in run.draws[:end]), Fraction(0))
        spent, budget = ledger.exact, ledger.budget.exact
        if paid > spent:
            unit = ledger.budget.unit
            yield f"round {released.index}: its draws cost {float(paid):.6g} {unit}, the ledger says {float(spent):.6g}"
        if spent > budget:
            yield f"round {released.index}: the ledger says {float(spent):.6g}, the budget is {float(budget):.6g}"


def unlike(ours: Transcript, theirs: Transcript) -> Iterator[str]:
    """The first difference between what two runs with the same noisy values asked for and released."""
    if theirs.failure != ours.failure:
        yield f"the run on the neighbour fails: {theirs.failure or 'only that on B does'}"
    elif len(ours.draws) != len(theirs.draws):
        yield f"{len(ours.draws)} draws on B, {len(theirs.draws)} on the neighbour"
    elif ours.ends != theirs.ends:
        yield f"{len(ours.rounds)} rounds on B, {len(theirs.rounds)} on the neighbour, or at other draws"
    elif (where := difference(ours.rounds, theirs.rounds)) is not None:
        yield f"what the rounds release differs beyond the noisy values, at {where}"


def _used(run: Transcript, moves: Sequence[Move]) -> float:
    """The share of the budget that these moves are worth."""
    if not run.rounds:
        return 0.0
    budget = run.rounds[-1].ledger.budget
    power = 1 if budget.unit == "ε" else 2
    prices = (float(cost(draw, budget.unit)) * each.share**power for draw, each in zip(run.draws, moves, strict=False))
    return sum(prices) / budget.amount
