"""Where the junction tree is full, the loop goes on with weighted records: all rounds happen and all of ε is spent."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from oracles import domain_of, random_records

from mwem_core import (
    MWEM,
    Domain,
    Queries,
    Replay,
    Seeded,
    Tables,
    encode,
    mwem_by_rule,
    parse_workload,
    read_table,
)
from mwem_core.judge import errors
from mwem_core.model import LogLinear
from mwem_core.output import Run, round_rows, transcript
from mwem_core.weighted import WeightedRecords
from mwem_core.workload import families

SAMPLES = Path(__file__).parents[2] / "sample_data"
B = random_records(domain_of([4] * 6), 5000, np.random.default_rng(0))
Q = families.marginals(B.domain, 2)  # 15 pairs of 16 cells


@pytest.fixture(scope="module")
def adult_14():
    domain = Domain.from_toml((SAMPLES / "adult.toml").read_text(encoding="utf-8"))
    domain = domain.project(domain.names[:14])
    return encode(read_table(SAMPLES / "adult.parquet"), domain)


def run(seed=0, rows_from=1.0, **settings):
    update = Replay(tolerance=0.01, rows_from=rows_from)
    usual = {"epsilon": 5.0, "T": 15, "candidates": Tables(), "cell_budget": 100, "update": update}
    return list(MWEM(**usual | settings).rounds(B, Q, noise=Seeded(seed)))


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize(("candidates", "T", "cell_budget"), [(Tables(), 15, 100), (Queries(), 60, 60)], ids=str)
def test_every_round_happens_and_all_of_the_budget_is_spent(candidates, T, cell_budget, delta):
    rounds = run(candidates=candidates, T=T, cell_budget=cell_budget, delta=delta)
    ledger = rounds[-1].ledger
    assert rounds[-1].index == T
    assert ledger.spent == pytest.approx(ledger.budget.amount, rel=1e-12)
    kinds = [isinstance(entry.A, WeightedRecords) for entry in rounds]
    assert kinds == sorted(kinds)
    assert (kinds[0], kinds[-1]) == (False, True)


def test_until_the_tree_is_full_nothing_changes():
    """The rounds before are those of a run that has no more rounds; the same seed gives the same records after."""
    rounds, again = run(), run()
    first = next(entry.index for entry in rounds if isinstance(entry.A, WeightedRecords))
    tree = run(cell_budget=10**6)
    assert all(isinstance(entry.A, LogLinear) for entry in tree)
    assert first > 1
    assert (rounds[-1].A.weights == again[-1].A.weights).all()
    S = rounds[1].measurement.attrs
    assert (rounds[1].model.marginal(S) == tree[1].model.marginal(S)).all()


@pytest.mark.parametrize(("rows_from", "takes_over"), [(0.0, 5), (0.2, 5), (0.4, 6), (1.0, 6)])
def test_records_take_over_early_where_the_tree_declines_a_candidate(rows_from, takes_over):
    """The tree declines some candidates in round 5, when a third of ε is spent, and all in round 6."""
    rounds, late = run(rows_from=rows_from), run()
    assert [bool(entry.declined.count) for entry in late[1:6]] == [False] * 4 + [True]
    assert next(entry.index for entry in rounds if isinstance(entry.A, WeightedRecords)) == takes_over
    assert [entry.chosen for entry in rounds[:takes_over]] == [entry.chosen for entry in late[:takes_over]]
    assert rounds[-1].ledger.spent == pytest.approx(5.0, rel=1e-12)


def test_a_table_beyond_the_budget_is_never_measured():
    sizes = [4, 4, 4, 30]
    wide = random_records(domain_of(sizes), 500, np.random.default_rng(0))
    pairs = families.marginals(wide.domain, 2)
    settings = MWEM(epsilon=5.0, T=6, candidates=Tables(), cell_budget=60)
    *_, last = settings.rounds(wide, pairs, noise=Seeded(0))
    assert last.index == 3


def test_the_transcript_says_from_which_round_on_records_took_over():
    rounds = run()
    settings = MWEM(epsilon=5.0, T=15, candidates=Tables(), cell_budget=100)
    lines = transcript(Run(Q, settings, "default", tuple(rounds)))
    told = ["weighted_rows" in line for line in lines]
    assert told == [isinstance(entry.A, WeightedRecords) for entry in rounds]


@pytest.mark.slow
def test_a_small_tree_goes_on_to_less_error_on_fourteen_attributes_of_adult(adult_14):
    """All pairs at ε = 10 with 2,000 cells: the tree alone leaves most of ε unspent. Rows stay near the answers."""
    workload = parse_workload("marginals:2", adult_14.domain)
    settings = replace(mwem_by_rule(workload, n=adult_14.total, epsilon=10.0, T=24), cell_budget=2_000)
    truth, found = workload.answers(adult_14), {}
    for entry in settings.rounds(adult_14, workload, noise=Seeded(0)):
        found[type(entry.model)] = errors(workload, workload.answers(entry.model), truth, adult_14.total).mean_tv
        last = entry
    assert last.index == 24
    assert last.ledger.spent == pytest.approx(10.0, rel=1e-12)
    assert found[WeightedRecords] <= 0.75 * found[LogLinear]
    rows = round_rows(adult_14.domain, last.model, adult_14.total, np.random.default_rng(0))
    of_rows = errors(workload, workload.answers(rows), truth, adult_14.total).mean_tv
    assert of_rows <= 1.2 * found[WeightedRecords]
