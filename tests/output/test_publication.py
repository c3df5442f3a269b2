"""One verdict on publishing: every known and every unknown fact that speaks against it is a reason with a remedy."""

import itertools
import math
from typing import get_args

import pytest
from messages import exactly

from mwem_core.output.run import (
    SAMPLERS,
    SCHEMA_REASONS,
    TOTAL,
    Provenance,
    provenance_of_a_release,
    publication,
)

KNOWN = {"epsilon": 1.0, "seeded": False, "provenance": "file", "total_measured": True, "runs": 1, "table_epsilon": 1.0}


def texts(**facts):
    return [reason.text for reason in publication(**KNOWN | facts).reasons]


def test_an_exploring_run_is_never_cleared_for_publication():
    """The best that can be known of it leaves the samplers, and settings that may have been chosen by the errors."""
    assert texts() == [SAMPLERS.text, "Settings chosen by looking at errors are not counted in ε"]
    for seeded, provenance, measured, runs in itertools.product(
        (True, False), get_args(Provenance), (True, False), (None, 1, 3)
    ):
        verdict = publication(
            epsilon=1.0, seeded=seeded, provenance=provenance, total_measured=measured, runs=runs, table_epsilon=runs
        )
        assert SAMPLERS in verdict.reasons
        assert verdict.headline in ("EXPLORATORY: do not publish.", "NOT PRIVATE: for teaching, tests and public data.")
        assert verdict.private is not seeded


@pytest.mark.parametrize("provenance", get_args(Provenance))
def test_a_schema_that_nobody_has_declared_is_a_reason(provenance):
    declared = provenance in ("built in", "file")
    assert any("schema" in text for text in texts(provenance=provenance)) is not declared
    assert declared or SCHEMA_REASONS[provenance].text in texts(provenance=provenance)


def test_a_seed_an_exact_total_and_other_runs_are_reasons():
    assert "Whoever knows the seed can remove the noise" in texts(seeded=True)
    assert TOTAL.text in texts(total_measured=False)
    assert any(
        text.startswith("3 runs on this table together cost ε = 2.5") for text in texts(runs=3, table_epsilon=2.5)
    )
    assert any("are not counted in ε" in text for text in texts(runs=None, table_epsilon=None))


@pytest.mark.parametrize(("runs", "table_epsilon"), [(None, None), (1, 1.0), (3, 2.5)])
def test_the_settings_of_any_number_of_runs_have_a_remedy(runs, table_epsilon):
    *_, reason = publication(**KNOWN | {"runs": runs, "table_epsilon": table_epsilon}).reasons
    assert reason.remedy == "choose settings by a public rule, or on public data, and run once"


def test_what_reads_no_data_has_no_noise_to_leak_and_what_adds_none_is_not_private():
    assert texts(epsilon=0.0) == []
    assert not publication(**KNOWN | {"epsilon": math.inf}).private


def test_the_statement_has_every_reason_with_its_remedy():
    verdict = publication(**KNOWN | {"seeded": True, "provenance": "proposed", "total_measured": False})
    assert verdict.statement.startswith(verdict.headline)
    for reason in verdict.reasons:
        assert f"{reason.text}: {reason.remedy}." in verdict.statement


def test_a_release_says_where_its_schema_comes_from_and_takes_none_that_only_the_data_knows():
    assert provenance_of_a_release("file") == provenance_of_a_release("built in") == "declared"
    assert provenance_of_a_release("proposed and edited") == "proposed from the data and edited"
    proposed = (
        "The schema was proposed from the data, so its values and ranges reveal something about the records: "
        "declare it from a public source, such as a code book"
    )
    with pytest.raises(ValueError, match=exactly(proposed)):
        provenance_of_a_release("proposed")
    unknown = "The source of the schema is not known, so it may come from the data: declare it from a public source"
    with pytest.raises(ValueError, match=exactly(unknown)):
        provenance_of_a_release("unknown")
