"""How many rounds, and at what cost each, if the run decides it: annealed noise, and T by doubling.

Both read only what rounds released, so they cost no privacy.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from mwem_core.algorithm import Round
from mwem_core.base import is_whole
from mwem_core.privacy import Budget
from mwem_core.weighted import Model, Single

DOUBLINGS = 6  # the first of the adaptive runs gets 1/2^6 of the budget


@dataclass(frozen=True)
class Annealing:
    """T that the run decides: the first rounds cost as one of `T` would, and later ones less (`annealed_cost`)."""

    T: int

    def __post_init__(self):
        if not is_whole(self.T) or self.T < 1:
            raise ValueError(f"rounds must be a whole number of at least 1, got {self.T!r}")


def annealed_cost(cost: Budget, last: Round[Model]) -> Budget | None:
    """The cost of the next round, or None after the last (McKenna et al. 2022).

    If a selected measurement moved A no further than its expected noise, the next one gets half the noise. A remainder
    too small for two rounds goes to one.
    """
    left = last.ledger.left
    if last.ledger.is_spent:
        return None
    if last.chosen is not None and last.moved <= last.expected_noise:
        cost = cost.part(2 if cost.unit == "ε" else 4)
    return cost if 2 * cost.exact <= left.exact else left


def doubling(
    start: Round[Single],
    run: Callable[[Round[Single], int, Budget], Iterator[Round[Model]]],
    *,
    max_rounds: int,
) -> Iterator[Round[Model]]:
    """Section 2.3.3: T doubles, and a run's share of the budget with it, until the signal drops below the noise.

    `run(start, T, cost)` makes T rounds from A_0 at this cost each. A run of T rounds costs twice the one before, so
    that a round costs the same in each, and the last run gets at least half of the total. If a measured residual is no
    more than its expected noise, more rounds at this noise would teach nothing: all that is left of the budget goes to
    one last run, of as many rounds as were worth their noise.
    """
    ledger, index = start.ledger, start.index
    T, part = min(2, max_rounds), ledger.left.part(Fraction(1, 2**DOUBLINGS))
    while True:
        is_last = 2 * T > max_rounds or 2 * part.exact > ledger.left.exact
        cost = (ledger.left if is_last else part).part(Fraction(1, T))
        worthwhile = T
        restart = Round(index, ledger, start.model)
        for last in run(restart, T, cost):
            yield last
            index, ledger = last.index, last.ledger
            if not is_last and last.residual <= last.expected_noise:
                worthwhile = max(1, index - restart.index - 1)
                break
        if is_last:
            return
        if worthwhile < T:
            T, part = worthwhile, ledger.left  # the last run
        else:
            T, part = 2 * T, part.part(2)
