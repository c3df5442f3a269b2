"""What the page says of a workload, and the predicates it proposes."""

from pathlib import Path

import pytest

from mwem_app.inputs.queries import example_predicates
from mwem_app.inputs.workload import describe
from mwem_core import Domain, parse_workload

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
