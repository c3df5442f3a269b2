"""The replay finds nothing in sound runs, and names what is wrong in others."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from mwem_core.algorithm import Answers, Round
from mwem_core.audit.catching import on_cases
from mwem_core.audit.pairs import case
from mwem_core.audit.replay import replayed
from mwem_core.audit.twins import Changed
from mwem_core.checks import check_positive
from mwem_core.privacy.ledger import Ledger
from mwem_core.privacy.noise import Seeded

ONE_TURN = 34  # cases: every private system once or more


def test_sound_runs_pass_and_use_their_budget():
    used = []
    for number in range(ONE_TURN):
        for result in replayed(case(number), Seeded(number)):
            assert result.violations == ()
            used.append(result.used)
    assert 0.9 < max(used) <= 1 + 1e-9


@dataclass(frozen=True)
class Leaky(Changed):
    """A histogram with one of several leaks."""

    leak: str = ""

    def rounds(self, B, Q, *, noise):
        budget, everything = self.guarantee.budget, tuple(range(len(B.domain)))
        counts = B.marginal(everything)
        if self.leak == "draws again if n is even" and B.total % 2 == 0:
            noise.choose(np.array([0.0, 1.0]), 1e-9, 1.0)
        noisy = budget.measure(counts, noise)
        if self.leak == "checks an even n" and B.total % 2 == 0:
            check_positive(n=B.total)
        if self.leak == "another round if n is even" and B.total % 2 == 0:
            yield self._round(0, Q, noisy)
        if self.leak == "counts in the label":
            yield self._round(1, Q, noisy, label=f"{B.total} records")
        elif self.leak == "clipped at a count":
            yield self._round(1, Q, np.minimum(noisy, counts.max()))
        elif self.leak == "refuses an even n" and B.total % 2 == 0:
            raise ValueError("n is even")
        else:
            yield self._round(1, Q, noisy)

    def _round(self, index, Q, noisy, label=""):
        budget = self.guarantee.budget
        ledger = Ledger(budget).spend(measure=budget.amount)
        return Round(index, ledger, Answers(Q, noisy, 1.0), label=label)


FOUND = {
    "": "",
    "draws again if n is even": "where laplace was drawn",
    "another round if n is even": "rounds on B",
    "counts in the label": "differs beyond the noisy values, at 0.label",
    "clipped at a count": "differs beyond the noisy values, at 0.model.values",
    "refuses an even n": "the run on the neighbour fails",
    "checks an even n": "the run takes another path from ",
}


@pytest.mark.parametrize("leak", FOUND)
def test_each_leak_is_named(leak):
    found = on_cases(lambda c: replace(c, settings=Leaky(c.settings, leak)))
    assert bool(found) == bool(leak)
    assert FOUND[leak] in found
