"""What a factored model holds, against the model itself and by hand."""

from itertools import combinations

import numpy as np
import pytest

from mwem_app.course.factored import people
from mwem_app.course.factored.factored_numbers import ROUNDS, Structure, growth_steps, ring, star
from mwem_core import Seeded
from mwem_core.model import LogLinear

SIZES = (9, 16, 7, 15, 6, 5, 2, 42)


@pytest.fixture(scope="module")
def adult():
    return people()


def some_pairs(seed, most=12):
    rng = np.random.default_rng(seed)
    pairs = list(combinations(range(8), 2))
    return [pairs[i] for i in rng.choice(len(pairs), size=rng.integers(0, most), replace=False)]


@pytest.mark.parametrize("seed", range(10))
def test_a_structure_holds_the_cells_of_the_model_that_measures_its_pairs(seed):
    pairs = some_pairs(seed)
    model = LogLinear.of(SIZES, 1.0, {}, cover=pairs)
    assert Structure.of(pairs, SIZES).cells == model.cells


@pytest.mark.parametrize("seed", range(10))
def test_cliques_hold_at_most_the_components_and_these_at_most_the_dense_table(seed):
    structure = Structure.of(some_pairs(seed), SIZES)
    assert structure.cells <= structure.component_cells <= structure.dense_cells == 38_102_400


@pytest.mark.parametrize("seed", range(30))
def test_only_a_loop_joins_pairs_that_nobody_measured(seed):
    pairs = some_pairs(seed, most=8)
    structure = Structure.of(pairs, SIZES)
    if len(pairs) == 8 - len(structure.components):  # a forest
        assert structure.added_pairs == ()
        assert sorted(structure.clique_cells) == sorted(
            [SIZES[a] * SIZES[b] for a, b in pairs] + [SIZES[a] for a in range(8) if not any(a in p for p in pairs)]
        )


def test_the_run_measures_a_new_pair_in_each_round_and_keeps_the_model_small(adult):
    steps = growth_steps(adult, Seeded(1))
    assert [len(step.structure.pairs) for step in steps] == list(range(ROUNDS + 1))
    assert all(step.pair in step.structure.pairs for step in steps[1:])
    assert steps[-1].structure.cells <= 10**5 < steps[-1].structure.component_cells == adult.domain.size
    assert steps[-1].error < 0.05 < 0.5 < steps[0].error


def test_the_ring_is_cut_by_the_diagonal_that_makes_the_smaller_largest_clique(adult):
    structure = ring(adult)
    a, b, c, d = (adult.domain.attrs(name)[0] for name in ("education", "occupation", "race", "native-country"))
    by_hand = {
        (p, q): max(SIZES[p] * SIZES[q] * SIZES[r] for r in (a, b, c, d) if r not in (p, q))
        for p, q in ((a, c), (b, d))
    }
    (diagonal,) = structure.added_pairs
    assert max(structure.clique_cells) == by_hand[diagonal] == min(by_hand.values()) == 16 * 5 * 42


def test_a_star_holds_its_pairs_and_no_more(adult):
    assert star(adult).cells == 2 * (sum(SIZES) - 2)
    assert star(adult).component_cells == adult.domain.size
