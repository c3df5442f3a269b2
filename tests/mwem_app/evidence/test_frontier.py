"""The ratios of the frontier benchmark, as its script writes them: Automatic beside the best other private system."""

from dataclasses import replace

from mwem_app.evidence.frontier import MARKS, Setting, frontier_settings, ratios_by_table, share_close

CZECH = Setting("czech", "fitted on", "marginals:2", 0.1, 0.0, 1.0, "AIM")
SETTINGS = [
    replace(CZECH, table="earnings", group="watched", ratio=2.0),
    replace(CZECH, table="wages", group="judged on", ratio=4.0),
    CZECH,
    replace(CZECH, epsilon=1.0, delta=1e-9, ratio=1.05),
    replace(CZECH, epsilon=10.0, ratio=0.5, best="Uniform"),
]


def test_settings_are_read_by_version(tmp_path):
    file = tmp_path / "frontier.csv"
    file.write_text(
        "version,tables,table,workload,epsilon,delta,ratio,best\n"
        "0.3,fitted on,czech,marginals:3,0.1,0.0,2.5,laplace-cells\n"
        "0.4,judged on,wages,marginals:2,1.0,1e-09,1.05,uniform\n"
        "0.4,watched,earnings,marginals:2,1.0,0.0,0.9,uniform\n"
    )
    assert frontier_settings(file) == {
        "0.3": [Setting("czech", "fitted on", "marginals:3", 0.1, 0.0, 2.5, "Laplace on cells")],
        "0.4": [
            Setting("wages", "judged on", "marginals:2", 1.0, 1e-9, 1.05, "Uniform"),
            Setting("earnings", "watched", "marginals:2", 1.0, 0.0, 0.9, "Uniform"),
        ],
    }
    assert [share_close(settings) for settings in frontier_settings(file).values()] == [0, 1]


def test_the_ratios_that_come_with_the_project_can_be_read():
    versions = frontier_settings()
    assert versions
    assert {setting.group for settings in versions.values() for setting in settings} <= {*MARKS}
    assert all(setting.ratio > 0 for settings in versions.values() for setting in settings)


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
