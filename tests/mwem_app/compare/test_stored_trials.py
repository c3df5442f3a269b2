"""The committed results are those of this version on the bundled tables, and of no other table."""

from dataclasses import replace

import numpy as np
import pytest

from mwem_app.compare.stored_trials import read_stored
from mwem_app.inputs import SAMPLE
from mwem_core import Domain, Records, encode, parse_workload, read_table
from mwem_core.base import SAMPLES
from mwem_core.judge import Errors, Trial, run_trial

QUICK = "mwem", "automatic", "uniform"


def opened(title: str) -> Records:
    """A bundled table on the attributes that are chosen at first."""
    sample = SAMPLE[title]
    domain = Domain.from_toml((SAMPLES / sample.schema).read_text(encoding="utf-8"))
    chosen = sample.attributes or domain.names
    return encode(read_table(SAMPLES / sample.file), domain, count=sample.count).project(
        [name for name in domain.names if name in chosen]
    )


def spec(title: str) -> str:
    return "ranges:age:2000@0" if SAMPLE[title].family == "Ranges" else "marginals:2"


def numbers(errors: Errors | None) -> dict[str, float]:
    """The errors that the workload has."""
    return {name: error for name, error in vars(errors).items() if error is not None}


@pytest.mark.parametrize("title", SAMPLE)
def test_committed_results_are_computed_again_exactly(title):
    """Another processor may round a sum otherwise, hence 1e-9."""
    B = opened(title)
    Q = parse_workload(spec(title), B.domain)
    stored = read_stored(B, Q.spec)
    assert stored is not None
    assert not any(result.problem for result in stored.results.values())
    for name in QUICK:
        trial = Trial(system=name, epsilon=1.0, seed=1)
        again, before = run_trial(B.distinct(), Q, trial), stored.results[trial]
        assert (again.rounds, again.ran, again.workload, again.n) == (before.rounds, before.ran, Q.spec, before.n)
        for now, then in ((again.answers, before.answers), (again.rows, before.rows)):
            assert numbers(now) == pytest.approx(numbers(then), rel=1e-9)
        assert again.relative_entropy == pytest.approx(before.relative_entropy, rel=1e-9)


def test_a_table_with_one_other_value_has_no_committed_results():
    B = opened("Class survey")
    assert read_stored(B, "marginals:2")
    column = B.codes[0].copy()
    column[7] = (column[7] + 1) % B.domain.shape[0]
    assert read_stored(replace(B, codes=(column, *B.codes[1:])), "marginals:2") is None
    assert read_stored(replace(B, codes=tuple(np.roll(column, 1) for column in B.codes)), "marginals:2") is None


def test_a_table_of_cells_with_one_other_count_has_no_committed_results():
    B = opened("Czech car workers")
    assert B.weights is not None
    moved = B.weights.copy()
    moved[:2] = moved[1], moved[0]  # the same n
    assert (moved != B.weights).any()
    assert read_stored(B, "marginals:2")
    assert read_stored(replace(B, weights=moved), "marginals:2") is None


def test_another_workload_or_fewer_attributes_have_no_committed_results(tmp_path):
    B = opened("Class survey")
    assert read_stored(B, "marginals:1") is None
    assert read_stored(B.project(B.domain.names[:2]), "marginals:2") is None
    assert read_stored(B, "marginals:2", tmp_path) is None
