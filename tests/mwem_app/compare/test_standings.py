"""Results of trials, system by system."""

import math
from dataclasses import replace

from trial_results import result

from mwem_app.compare.metrics import METRICS
from mwem_app.compare.standings import as_table, meaning_of_infinity, problems, standings, with_interval

TV = METRICS["Mean TV"]


def test_infinite_errors_are_shown_as_infinite_and_never_averaged():
    results = [result(0.1, seed=0, entropy=math.inf), result(0.1, seed=1, entropy=2.0)]
    assert not METRICS["Relative entropy"].values(results)
    table = as_table(results, tabular=True, first=TV)
    assert table["Relative entropy"][0] == "∞"
    assert meaning_of_infinity(table) == "∞: in some run, a cell that has records has no weight in the model."
    assert meaning_of_infinity(as_table(results[1:], tabular=True, first=TV)) == ""
    assert not standings(results, METRICS["Relative entropy"])


def test_an_interval_reads_as_a_percentage_or_as_a_factor():
    assert with_interval([0.1, 0.1, 0.1]) == with_interval([0.1]) == "0.1"
    assert with_interval([0.1, 0.102, 0.098]) == "0.1 ± 5.1%"
    assert with_interval([0.05, 0.1, 0.2]) == "0.1 ×/÷ 5.59"
    assert with_interval([]) == with_interval([None]) == "–"


def test_systems_are_ordered_by_their_geometric_mean_and_the_table_follows():
    results = [result(e, system=name, seed=i) for name, e in (("mwem", 0.3), ("laplace", 0.1)) for i in range(2)]
    assert [(s.name, s.values) for s in standings(results, TV)] == [("laplace", (0.1, 0.1)), ("mwem", (0.3, 0.3))]
    table = as_table([*results, result(0, system="aim", problem="too large")], tabular=True, first=TV)
    assert list(table["System"]) == ["Laplace", "MWEM"]
    assert list(table["Mean TV"]) == list(table["Mean TV of rows"]) == ["0.1", "0.3"]
    assert list(table["Records off per count"]) == ["15", "45"]  # of 300 records
    assert list(table["Ran"]) == ["–", "–"]
    assert list(table["Gives"]) == ["answers", "rows, answers"]
    assert list(table["Seeds"]) == ["2", "2"]


def test_a_standing_names_what_ran():
    ran = "64 cells measured once"
    (standing,) = standings([replace(result(0.1, system="automatic"), ran=ran)], TV)
    assert standing.title == f"Automatic ({ran})"


def test_each_problem_is_listed_once():
    results = [result(0, seed=seed, problem="it is too large") for seed in range(3)]
    assert problems([*results, result(0.1)]) == [("MWEM", "it is too large")]
