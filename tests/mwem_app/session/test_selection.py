"""What is said of a selection: the likeliest candidates with the mechanism's scores and probabilities."""

import numpy as np
import pytest
from bundled_tasks import bundled_task

from mwem_app.session.steps import CANDIDATES_SHOWN, Selection
from mwem_core import Queries
from mwem_core.automatic import rounds_in
from mwem_core.privacy import Seeded, Witness, exponential, mechanisms
from mwem_core.systems import METHODS, SYSTEMS


def select(scores, epsilon=0.5, seed=0):
    witness = Witness(Seeded(seed))
    chosen = exponential(np.array(scores, float), epsilon=epsilon, sensitivity=1.0, noise=witness)
    return chosen, Selection.of(witness, chosen, lambda j: f"q{j}")


def test_the_chances_of_permute_and_flip_are_its_own():
    witness = Witness(Seeded(0))
    chosen = mechanisms.permute_and_flip(np.array([3.0, 7.0]), epsilon=0.5, sensitivity=1.0, noise=witness)
    candidates = Selection.of(witness, chosen, str).candidates
    lower = np.exp(-0.5 * 4 / 2) / 2  # it is tried first, and taken
    assert [candidate.score for candidate in candidates] == pytest.approx([7, 3])
    assert [candidate.probability for candidate in candidates] == pytest.approx([1 - lower, lower])


def test_scores_are_those_of_the_candidates_and_probabilities_those_of_the_mechanism():
    scores = [3.0, -1.0, -np.inf, 7.0]
    chosen, selection = select(scores)
    weights = np.exp(0.5 * np.array([7.0, 3.0, -1.0]) / 2)
    assert [candidate.name for candidate in selection.candidates] == ["q3", "q0", "q1"]
    assert [candidate.score for candidate in selection.candidates] == pytest.approx([7, 3, -1])
    assert [candidate.probability for candidate in selection.candidates] == pytest.approx(weights / weights.sum())
    assert [candidate.name for candidate in selection.candidates if candidate.chosen] == [f"q{chosen}"]
    assert (selection.others, selection.others_probability) == (0, pytest.approx(0))


@pytest.mark.parametrize("seed", range(8))
def test_the_chosen_one_is_listed_however_unlikely_and_the_rest_is_summed(seed):
    chosen, selection = select(np.linspace(0, 1, 40), seed=seed)
    listed = [candidate.name for candidate in selection.candidates]
    assert len(listed) == CANDIDATES_SHOWN
    assert f"q{chosen}" in listed
    assert selection.others == 30
    assert sum(candidate.probability for candidate in selection.candidates) + selection.others_probability == (
        pytest.approx(1)
    )


@pytest.mark.parametrize("name", METHODS)
def test_no_method_weighs_scores_so_that_one_record_moves_each_by_at_most_1(name):
    _, workload = bundled_task("Czech")
    rounds = rounds_in(SYSTEMS[name].settings(workload, n=1841, epsilon=1.0))
    assert (rounds is None) == (name == "automatic")  # it measures all at once here, and so scores nothing
    assert rounds is None or isinstance(rounds.candidates, Queries) or rounds.candidates.within == "workload"
