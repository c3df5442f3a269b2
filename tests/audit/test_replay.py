"""The replay finds nothing in sound runs, and names what is wrong in others."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from mwem_core.algorithm import Answers
from mwem_core.audit.cases import case
from mwem_core.audit.neighbour_replay import replay_case
from mwem_core.audit.twins import ChangedAlgorithm, on_cases
from mwem_core.base import check_positive
from mwem_core.privacy import Seeded
from mwem_core.relatives import Direct
from mwem_core.systems import MeasuredBins

ONE_TURN = 34  # cases: every private system once or more


@pytest.mark.slow
def test_sound_runs_pass_and_use_their_budget():
    used = []
    for number in range(ONE_TURN):
        for result in replay_case(case(number), Seeded(number)):
            assert result.violations == ()
            used.append(result.used)
    assert 0.9 < max(used) <= 1 + 1e-9


@dataclass(frozen=True)
class Leaky(ChangedAlgorithm):
    """A histogram with one of several leaks."""

    leak: str = ""

    def rounds(self, B, Q, *, noise):
        counts, is_even = B.marginal(tuple(range(len(B.domain)))), B.total % 2 == 0
        if self.leak == "draws again if n is even" and is_even:
            noise.choose(np.array([0.0, 1.0]), 1e-9, 1.0)
        if self.leak == "checks an even n" and is_even:
            check_positive(n=B.total)
        if self.leak == "refuses an even n" and is_even:
            raise ValueError("n is even")
        (sound,) = Direct(epsilon=1.0, on="cells").rounds(B, Q, noise=noise)
        released = replace(sound, model=Answers(Q, sound.model.cells, 1.0))
        if self.leak == "another round if n is even" and is_even:
            yield released
        if self.leak == "counts in the label":
            released = replace(released, label=f"{B.total} records")
        if self.leak == "clipped at a count":
            released = replace(released, model=Answers(Q, np.minimum(sound.model.cells, counts.max()), 1.0))
        yield released


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


def test_the_replay_covers_offsets_and_finds_them_moved():
    """Cases of the audit in which offsets were measured: each run passes on neighbours, also by numbers far outside."""
    own = [each for each in map(case, range(60)) if isinstance(each.settings, MeasuredBins)]
    assert len(own) > 3
    for each in own[:4]:
        for result in replay_case(each, Seeded(each.number)):
            assert result.violations == ()
            assert result.used > 0
