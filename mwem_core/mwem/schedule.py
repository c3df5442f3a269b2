"""How many rounds, and at what cost each, if the run decides it: annealed noise, and T by doubling.

Both read only what rounds released, so they cost no privacy.
"""

from collections.abc import Callable, Iterator

from mwem_core.algorithm import Round
from mwem_core.model.average import Model
from mwem_core.model.loglinear import LogLinear
from mwem_core.privacy.budget import Budget

DOUBLINGS = 6  # the first of the adaptive runs gets 1/2^6 of the budget


def annealed(cost: Budget, last: Round[Model]) -> Budget | None:
    """The cost of the next round, or None after the last (McKenna et al. 2022).

    If a selected measurement moved A no further than its expected noise, the next one gets half the noise. A remainder
    too small for two rounds goes to one.
    """
    budget, share = last.ledger.budget, cost.amount / last.ledger.budget.amount
    left = 1 - last.ledger.spent / budget.amount
    if left < 1e-9:
        return None  # nothing is left but rounding in the last digits
    if last.chosen is not None and last.moved <= last.expected_noise:
        share *= 2 if budget.unit == "ε" else 4
    return budget.part(share if 2 * share <= left else left)


def doubling(
    start: Round[LogLinear],
    run: Callable[[Round[LogLinear], int, Budget], Iterator[Round[Model]]],
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
    budget = ledger.budget
    left = 1 - ledger.spent / budget.amount
    T, share = min(2, max_rounds), left / 2**DOUBLINGS
    while True:
        is_last = 2 * T > max_rounds or share > left / 2
        cost = budget.part((left if is_last else share) / T)
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
        left = 1 - ledger.spent / budget.amount
        if worthwhile < T:
            T, share = worthwhile, left  # the last run
        else:
            T, share = 2 * T, 2 * share
