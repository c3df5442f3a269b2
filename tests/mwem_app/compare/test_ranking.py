"""Results of trials, system by system, in a table and as bars."""

import math
from dataclasses import replace

from trial_results import result

from mwem_app.compare.curves import METRICS
from mwem_app.compare.ranking import as_table, error_bars, meaning_of_infinity, problems, ranked_systems, with_interval

TV = METRICS["Mean TV"]


def test_infinite_errors_are_shown_as_infinite_and_never_averaged():
    results = [result(0.1, seed=0, entropy=math.inf), result(0.1, seed=1, entropy=2.0)]
    assert not METRICS["Relative entropy"].values(results)
    table = as_table(results, tabular=True, first=TV)
    assert table["Relative entropy"][0] == "∞"
    assert meaning_of_infinity(table) == "∞: in some run, a cell that has records has no weight in the model."
    assert meaning_of_infinity(as_table(results[1:], tabular=True, first=TV)) == ""
    assert not ranked_systems(results, METRICS["Relative entropy"])


def test_an_interval_reads_as_a_percentage_or_as_a_factor():
    assert with_interval([0.1, 0.1, 0.1]) == with_interval([0.1]) == "0.1"
    assert with_interval([0.1, 0.102, 0.098]) == "0.1 ± 5.1%"
    assert with_interval([0.05, 0.1, 0.2]) == "0.1 ×/÷ 5.59"
    assert with_interval([]) == with_interval([None]) == "–"


def test_systems_are_ordered_by_their_geometric_mean_and_the_table_follows():
    results = [result(e, system=name, seed=i) for name, e in (("mwem", 0.3), ("laplace", 0.1)) for i in range(2)]
    assert [(s.name, s.values) for s in ranked_systems(results, TV)] == [("laplace", (0.1, 0.1)), ("mwem", (0.3, 0.3))]
    table = as_table([*results, result(0, system="aim", problem="too large")], tabular=True, first=TV)
    assert list(table["System"]) == ["Laplace", "MWEM"]
    assert list(table["Mean TV"]) == list(table["Mean TV of rows"]) == ["0.1", "0.3"]
    assert list(table["Records off per count"]) == ["15", "45"]  # of 300 records
    assert list(table["Ran"]) == ["–", "–"]
    assert list(table["Gives"]) == ["answers", "rows, answers"]
    assert list(table["Seeds"]) == ["2", "2"]


def test_a_standing_names_what_ran():
    ran = "64 cells measured once"
    (standing,) = ranked_systems([replace(result(0.1, system="automatic"), ran=ran)], TV)
    assert standing.title == f"Automatic ({ran})"


def test_each_problem_is_listed_once():
    results = [result(0, seed=seed, problem="it is too large") for seed in range(3)]
    assert problems([*results, result(0.1)]) == [("MWEM", "it is too large")]


def chart(*systems, errors=(0.1, 0.2)):
    results = [result(e * (i + 1), system=s, seed=j) for i, s in enumerate(systems) for j, e in enumerate(errors)]
    return error_bars(ranked_systems(results, TV), TV)


def test_the_smallest_error_is_on_top_with_its_interval_and_its_seeds():
    figure = chart("laplace", "mwem").figure
    seeds, dot = figure.data[:2]
    assert list(figure.layout.yaxis.ticktext) == ["Laplace", "MWEM"]
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]  # row 0 on top
    assert list(seeds.x) == [0.1, 0.2]
    assert dot.x[0] - dot.error_x.arrayminus[0] < 0.1 < 0.2 < dot.x[0] + dot.error_x.array[0]


def test_the_axis_says_0_to_1_only_if_no_seed_lies_above_1():
    titles = [chart("mwem", errors=(0.9, largest)).figure.layout.xaxis.title.text for largest in (1.0, 1.9)]
    assert titles == ["mean total variation, 0 to 1", "mean total variation; noisy answers can exceed 1"]


def test_one_seed_has_no_interval():
    one_seed = chart("mwem", errors=[0.1])
    dot = one_seed.figure.data[1]
    assert (dot.error_x.array[0], dot.error_x.arrayminus[0]) == (0, 0)
    assert (
        one_seed.alt == "Mean total variation of a marginal, geometric mean over seeds with its 95% interval: MWEM 0.1."
    )


def test_symbols_tell_what_a_system_gives_and_whether_it_is_private():
    symbols = {name: chart(name).figure.data[1].marker.symbol for name in ("mwem", "laplace", "weights")}
    assert symbols == {"mwem": "circle", "laplace": "diamond", "weights": "circle-open"}


def test_uniform_is_a_line_to_compare_with():
    assert [line.x0 for line in chart("uniform", errors=[0.3]).figure.layout.shapes] == [0.3]
    assert not chart("mwem").figure.layout.shapes
