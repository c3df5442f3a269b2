"""Systems side by side."""

from trial_results import result

from mwem_app.compare.metrics import METRICS
from mwem_app.compare.standings import standings
from mwem_app.compare.system_charts import error_bars

TV = METRICS["Mean TV"]


def chart(*systems, errors=(0.1, 0.2)):
    results = [result(e * (i + 1), system=s, seed=j) for i, s in enumerate(systems) for j, e in enumerate(errors)]
    return error_bars(standings(results, TV), TV)


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
