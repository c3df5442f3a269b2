"""The attributes chosen at first, what the page says of a workload, and the settings typed under Advanced."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from oracles import domain_of

from mwem_app.inputs.privacy import Variant
from mwem_app.inputs.query_choice import MAX_DEFAULT_PAIR_CELLS, default_attributes, example_predicates
from mwem_app.inputs.task_choice import describe
from mwem_core import parse_workload
from mwem_core.domain import Attribute, Domain
from mwem_core.values import Range

SAMPLES = sorted((Path(__file__).parents[3] / "sample_data").glob("*.toml"))
ODD = Domain.from_toml(
    """
[[attribute]]
name = "two words"
values = ['say "yes"', 'say "no"']
[[attribute]]
name = "income"
edges = [0, 1.5, 3]
"""
)


def wide(sizes):
    return Domain(tuple(Attribute(f"a{i}", Range(0, size - 1)) for i, size in enumerate(sizes)))


@pytest.mark.parametrize("sizes", [[2], [3, 4, 5], [5] * 22, [5] * 280])
def test_all_attributes_are_chosen_where_their_pairs_are_few(sizes):
    domain = wide(sizes)
    assert default_attributes(domain) == domain.names


@pytest.mark.parametrize("seed", range(5))
def test_else_the_first_ones_are_as_many_as_the_cells_of_their_pairs_allow(seed):
    sizes = np.random.default_rng(seed).integers(2, 100, size=200).tolist()
    domain = wide(sizes)
    chosen = len(default_attributes(domain))

    def cells(count):
        return sum(a * b for a, b in itertools.combinations(sizes[:count], 2))

    assert cells(chosen) <= MAX_DEFAULT_PAIR_CELLS < cells(chosen + 1)


def test_two_attributes_too_large_for_a_pair_leave_one():
    assert len(default_attributes(wide([2000, 2000]))) == 1
    assert default_attributes(domain_of([3])) == ("a",)


@pytest.mark.parametrize(
    "domain", [*(Domain.from_toml(path.read_text(encoding="utf-8")) for path in SAMPLES), ODD], ids=len
)
def test_proposed_predicates_can_be_read_on_their_domain(domain):
    predicates = example_predicates(domain)
    assert parse_workload("where:" + ";".join(predicates), domain).size == len(predicates) >= 2


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("marginals:1", "**2 marginals, 4 cells** · sensitivity 2"),
        ("cuboids:2", "**1 cuboid, 4 cells** · sensitivity 1"),
        ("parities:2", "**3 queries** over 8 cells · sensitivity 3"),
        ("where:income >= 1.5", "**1 query** over 2 cells · sensitivity 1"),
    ],
)
def test_a_workload_is_described_by_its_queries_and_its_sensitivity(spec, words):
    assert describe(parse_workload(spec, ODD)) == words


def variant(system="mwem", rounds="2", delta="0", seed="") -> Variant:
    return Variant(system, rounds, delta, seed)


@pytest.mark.parametrize(("text", "seed"), [("", None), ("0", 0), ("42", 42)])
def test_a_seed_is_a_whole_number_or_empty(text, seed):
    assert variant(seed=text).seed_number == seed


@pytest.mark.parametrize("text", ["-1", "1.5", "x", "²"])
def test_any_other_seed_is_an_error(text):
    with pytest.raises(ValueError, match="the seed must be a whole number of at least 0"):
        assert variant(seed=text).seed_number
