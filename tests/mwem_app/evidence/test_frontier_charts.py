"""Automatic beside the best other private system, setting by setting."""

from dataclasses import replace

from mwem_app.evidence.frontier import Setting
from mwem_app.evidence.frontier_charts import ratios_by_table

CZECH = Setting("czech", "fitted on", "marginals:2", 0.1, 0.0, 1.0, "AIM")
SETTINGS = [
    replace(CZECH, table="earnings", group="watched", ratio=2.0),
    replace(CZECH, table="wages", group="judged on", ratio=4.0),
    CZECH,
    replace(CZECH, epsilon=1.0, delta=1e-9, ratio=1.05),
    replace(CZECH, epsilon=10.0, ratio=0.5, best="Uniform"),
]


def test_tables_are_rows_by_group_and_epsilon_grows_downwards():
    chart = ratios_by_table({"0.4": SETTINGS})
    axis, (points,) = chart.figure.layout.yaxis, chart.figure.data
    assert axis.ticktext == ("czech", "wages (judged)", "earnings (watched)")
    assert axis.range[0] > axis.range[1]  # rows count downwards
    of_earnings, of_wages, *of_czech = points.y
    assert [round(y) for y in of_czech] == [0, 0, 0]
    assert (round(of_wages), round(of_earnings)) == (1, 2)
    assert of_czech == sorted(of_czech)
    assert points.marker.symbol == ("circle", "circle", "circle", "circle-open", "circle")
    assert "czech, 2-way, ε = 10<br>best other: Uniform" in points.text
    assert points.x == (2.0, 4.0, 1.0, 1.05, 0.5)


def test_the_title_counts_settings_within_a_twentieth_of_the_best_and_names_the_first_version():
    title = "Automatic errs at most 5% more than the best other private system in 60% of 5 settings"
    assert ratios_by_table({"0.4": SETTINGS}).title == title
    chart = ratios_by_table({"0.3": SETTINGS[1:3], "0.4": SETTINGS})
    assert chart.title == f"{title}; that of 0.3 in 50%"
    assert [trace.name for trace in chart.figure.data] == ["0.3", "0.4"]
    assert chart.figure.data[0].marker.color != chart.figure.data[1].marker.color


def test_the_text_gives_the_geometric_mean_and_the_worst_ratio_of_each_table():
    assert (
        "czech 0.81, at most 1.05, wages 4.00, at most 4.00, earnings 2.00, at most 2.00"
        in ratios_by_table({"0.4": SETTINGS}).alt
    )
