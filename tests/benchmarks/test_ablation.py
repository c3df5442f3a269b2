"""The ablation benchmark: every version runs on a small table, and the report divides by the whole."""

import math

import pytest

from mwem_core import parse_workload

STAGED = "one-way marginals alone, where Automatic goes on to select"


@pytest.fixture
def czech():
    from frontier import BUNDLED

    return next(table for table in BUNDLED if table.name == "czech").load()


def test_every_version_of_automatic_runs_on_a_small_table(czech):
    import ablation
    from ablation_versions import EQUAL, KNOWN

    Q = parse_workload("marginals:2", czech.domain)
    for version in set(ablation.VERSIONS) - {STAGED, EQUAL, KNOWN}:
        record = ablation.run(czech, Q, {"system": version, "epsilon": 1.0, "delta": 0.0, "seed": 0}, 0)
        assert 0 < record["mean_tv"] < 0.3, version


def test_a_version_that_does_not_serve_a_setting_has_no_error_there(czech):
    import ablation
    from ablation_versions import EQUAL, KNOWN

    Q = parse_workload("marginals:1", czech.domain)
    for version in ("Automatic's plan, without a prior", EQUAL, KNOWN, STAGED):
        key = {"system": version, "epsilon": 0.001, "delta": 0.0, "seed": 0}
        assert ablation.run(czech, Q, key, 0) == {"problem": "not at this setting"}


def test_where_rounds_follow_one_way_marginals_these_alone_are_a_version():
    import ablation
    from ablation_versions import WHOLE
    from frontier import BUNDLED

    adult = next(table for table in BUNDLED if table.name == "adult").load()
    key = {"epsilon": 0.03, "delta": 0.0, "seed": 0}
    Q = parse_workload("marginals:3", adult.domain)
    alone, whole = (ablation.run(adult, Q, key | {"system": each}, 0) for each in (STAGED, WHOLE))
    assert alone["mean_tv"] > 1.05 * whole["mean_tv"]


def test_rounds_that_cost_by_cells_are_compared_with_as_many_that_cost_the_same():
    import ablation
    from ablation_versions import EQUAL, WHOLE
    from frontier import BUNDLED

    adult = next(table for table in BUNDLED if table.name == "adult").load()
    key = {"epsilon": 0.3, "delta": 0.0, "seed": 0}
    Q = parse_workload("marginals:2", adult.domain)
    equal, whole = (ablation.run(adult, Q, key | {"system": each}, 0) for each in (EQUAL, WHOLE))
    assert equal["mean_tv"] != whole["mean_tv"]


def test_answers_halfway_to_the_rows_are_compared_with_the_corrected_tables_alone():
    import ablation
    from ablation_versions import KNOWN, WHOLE
    from frontier import BUNDLED

    adult = next(table for table in BUNDLED if table.name == "adult").load()
    key = {"epsilon": 10.0, "delta": 1e-9, "seed": 0}
    Q = parse_workload("marginals:3", adult.domain)
    alone, whole = (ablation.run(adult, Q, key | {"system": each}, 0) for each in (KNOWN, WHOLE))
    assert alone["mean_tv"] > 1.03 * whole["mean_tv"]


def test_the_report_divides_by_the_whole_at_the_same_setting():
    import ablation
    from ablation_versions import WHOLE

    def record(version, epsilon, seed, tv):
        at = {"table": "czech", "workload": "marginals:2", "epsilon": epsilon, "delta": 0.0, "seed": seed, "n": 1000}
        return at | {"system": version, "mean_tv": tv, "nearest": tv, "one": 2 * tv}

    runs = [record(WHOLE, 1.0, 0, 0.1), record(WHOLE, 1.0, 1, 0.3), record("with both", 1.0, 0, 0.6)]
    runs += [record(WHOLE, 10.0, 0, 0.1), record("with both", 10.0, 0, 0.2), record("with both", 0.1, 0, 9.0)]
    lines = {line.split(" | ")[0].strip("| "): line.split(" | ")[1:3] for line in ablation.report(runs).splitlines()}
    assert lines["with both"] == ["2", f"{math.sqrt(3 * 2):.2f}"]
    assert lines["rows, one rounding"] == ["2", "2.00"]
