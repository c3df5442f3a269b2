"""The ratios of the frontier benchmark, as its script writes them."""

from mwem_app.evidence.frontier import MARKS, Setting, frontier_settings, share_close


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


def test_without_a_file_there_is_nothing_to_show(tmp_path):
    assert frontier_settings(tmp_path / "frontier.csv") == {}


def test_the_ratios_that_come_with_the_project_can_be_read():
    versions = frontier_settings()
    assert versions
    assert {setting.group for settings in versions.values() for setting in settings} <= {*MARKS}
    assert all(setting.ratio > 0 for settings in versions.values() for setting in settings)
