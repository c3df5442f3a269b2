"""MWEM always selects: with the bundled tables, every family of questions and every ε, a round selects."""

from functools import cache
from pathlib import Path

import pytest

from mwem_core import Domain, parse_workload
from mwem_core.automatic import rounds_in
from mwem_core.systems import system
from mwem_core.workload import Workload

SAMPLES = Path(__file__).parents[2] / "sample_data"
EIGHT = ("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country")
TABLES = {  # schema, attributes, records, workloads
    "Adult": (
        "adult",
        EIGHT,
        48_842,
        ("marginals:1", "marginals:2", "marginals:3", "cuboids:2", 'where:sex == "Male"'),
    ),
    "Adult, whole numbers": (
        "adult_unbinned",
        ("capital-loss", "age", "hours-per-week"),
        48_842,
        ("marginals:1", "ranges:age:100", "ranges:capital-loss:200", "ranges:age,hours-per-week:100"),
    ),
    "Czech": (
        "czech",
        (),
        1841,
        ("marginals:1", "marginals:2", "marginals:3", "cuboids:2", "parities:2", "parities:3"),
    ),
    "Rochdale": ("rochdale", (), 665, ("marginals:1", "marginals:2", "marginals:3", "cuboids:2", "parities:2")),
    "Class survey": ("class_survey", (), 200, ("marginals:1", "marginals:2", "cuboids:2")),
}
SETTINGS = [(table, spec) for table, (*_, specs) in TABLES.items() for spec in specs]


@cache
def workload(table: str, spec: str) -> Workload:
    schema, names, *_ = TABLES[table]
    domain = Domain.from_toml((SAMPLES / f"{schema}.toml").read_text(encoding="utf-8"))
    return parse_workload(spec, domain.project(names) if names else domain)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 3.0, 10.0])
@pytest.mark.parametrize(("table", "spec"), SETTINGS)
def test_a_round_selects(table, spec, epsilon):
    Q, n = workload(table, spec), TABLES[table][2]
    settings = system("mwem").settings(Q, n=n, epsilon=epsilon)
    settings.check(Q)
    assert rounds_in(settings)
    assert settings.planned_rounds(n, Q) > settings.first_rounds(Q)
