"""Committed trials are those of the experiments, on the tables that come with the program, and decide a verdict."""

import pytest

from mwem_core.data.digest import digest
from mwem_core.paper import results
from mwem_core.paper.catalogue import EXPERIMENTS
from mwem_core.paper.tables import SOURCES, load

COMMITTED = {name: frame for name in EXPERIMENTS if (frame := results.committed(name)) is not None}
REPETITIONS = {"figure2": 5, "figure3": 100}  # of the paper


@pytest.mark.parametrize("name", COMMITTED)
def test_every_trial_of_the_full_experiment_is_committed(name):
    frame = COMMITTED[name]
    own = frame[frame["system"] != ""]
    batches = EXPERIMENTS[name].batches(False)
    planned = {(b.table, b.workload, m, t.system, t.epsilon, t.seed) for b in batches for t, m in b.trials.items()}
    assert (
        set(zip(*(own[c] for c in ("table", "workload", "method", "system", "epsilon", "seed")), strict=True))
        == planned
    )
    assert len(own) == sum(len(batch.trials) for batch in batches)
    assert (own["problem"] == "").all()
    assert min(batch.seeds for batch in batches) >= REPETITIONS.get(name, 1)


@pytest.mark.parametrize("name", COMMITTED)
def test_committed_trials_are_of_the_tables_at_hand(name):
    tables = COMMITTED[name].attrs["tables"]
    assert tables.keys() == set(EXPERIMENTS[name].tables)
    for table, about in tables.items():
        if not SOURCES[table].fetch:
            assert about["digest"] == digest(load(table))


@pytest.mark.parametrize("name", COMMITTED)
def test_every_experiment_has_a_verdict_and_every_figure_has_points(name):
    each, frame = EXPERIMENTS[name], COMMITTED[name]
    verdict = each.verdict(frame)
    assert verdict.holds in ("holds", "holds with conditions", "does not hold")
    assert "nan" not in verdict.numbers
    for option in range(max((len(choice.options) for choice in each.choices), default=1)):
        chosen = {choice.name: choice.options[min(option, len(choice.options) - 1)] for choice in each.choices}
        plot = each.plot(frame, chosen)
        assert len(plot.points)
        assert set(plot.beside) <= set(plot.points["method"])
