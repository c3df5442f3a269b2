"""`compare` runs every system at every ε and seed once, prints means with intervals, and resumes from its file."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from command_line import assert_refused, call, printed_json
from scipy import stats

from mwem_core.judge import Result, from_csv, to_csv, verdict_sentences
from mwem_core.systems import SYSTEMS

SAMPLES = Path(__file__).parents[2] / "sample_data"
SYSTEMS_COMPARED = ("mwem", "laplace", "uniform")
STATEMENT = "NOT PRIVATE: the errors are measured against the truth. For teaching, tests and public data."


@pytest.fixture(autouse=True, scope="module")
def on_threads():
    """Threads start faster than processes, which the tests of executors cover."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mwem_core.judge.pool", lambda workers: ThreadPoolExecutor(workers or 1))
        yield


CZECH = {"--table": str(SAMPLES / "czech.csv"), "--schema": str(SAMPLES / "czech.toml"), "--count": "count"}
CZECH |= {"--workload": "marginals:2", "--epsilon": "0.1,1", "--seeds": "3", "--systems": ",".join(SYSTEMS_COMPARED)}


@pytest.fixture
def czech() -> dict[str, str]:
    """Arguments for a quick comparison, which a test may change."""
    return dict(CZECH)


@pytest.fixture(scope="module")
def compared(tmp_path_factory) -> tuple[list[str], dict, list[Result]]:
    """A comparison: its lines, and the JSON and the file of the same trials."""
    file, out = tmp_path_factory.mktemp("compared") / "trials.csv", (StringIO(), StringIO())
    for form, printed in zip(((), ("--json",)), out, strict=True):
        with redirect_stdout(printed):
            assert call("compare", CZECH | {"--out": str(file)}, *form) == 0
    return out[0].getvalue().splitlines(), json.loads(out[1].getvalue()), from_csv(file.read_text(encoding="utf-8"))


def summary_of(capsys, arguments: dict[str, str]) -> dict:
    return printed_json(capsys, "compare", arguments)


def test_json_has_one_row_per_epsilon_and_system(compared):
    _, summary, _ = compared
    assert [(row["system"], row["epsilon"]) for row in summary["systems"]] == [
        (name, epsilon) for epsilon in (0.1, 1.0) for name in SYSTEMS_COMPARED
    ]
    assert (summary["n"], summary["workload"], summary["queries"]) == (1841, "marginals:2", 60)
    assert (summary["domain_size"], summary["problems"], summary["statement"]) == ("64", [], STATEMENT)
    mwem, laplace, uniform = summary["systems"][3:]
    assert (mwem["seeds"], mwem["gives"], laplace["gives"]) == (3, "rows", "answers")
    assert laplace["rows_mean_tv"] is None
    assert laplace["relative_entropy"] is None
    assert uniform["mean_tv"]["within"] == pytest.approx(0, abs=1e-12)
    assert mwem["mean_tv"]["mean"] < uniform["mean_tv"]["mean"]


def test_means_intervals_and_verdicts_are_those_of_the_trials_in_the_file(compared):
    _, summary, results = compared
    errors = {
        epsilon: {
            name: [r.answers.mean_tv for r in results if (r.trial.system, r.trial.epsilon) == (name, epsilon)]
            for name in SYSTEMS_COMPARED
        }
        for epsilon in (0.1, 1.0)
    }
    for row in summary["systems"]:
        values = errors[row["epsilon"]][row["system"]]
        assert len(values) == 3
        assert row["mean_tv"]["mean"] == pytest.approx(np.mean(values))
        if row["system"] != "uniform":
            low, high = stats.t.interval(0.95, 2, np.mean(values), stats.sem(values))
            assert row["mean_tv"]["within"] == pytest.approx((high - low) / 2)
    for epsilon, verdict in zip((0.1, 1.0), summary["verdict"], strict=True):
        sentences = f"ε = {epsilon:g}: {' '.join(verdict_sentences(errors[epsilon], metric='mean total variation'))}"
        assert re.sub(r" \(\d+ rounds\)", "", verdict) == sentences


def test_one_seed_has_no_interval_and_no_verdict(czech, capsys):
    one_seed = czech | {"--seeds": "1"}
    assert summary_of(capsys, one_seed)["systems"][0]["mean_tv"]["within"] is None
    assert call("compare", one_seed) == 0
    out = capsys.readouterr().out
    assert re.search(r"^mwem  +0.1  +0\.\d{4}  +0\.\d{4}  +", out, re.MULTILINE)
    assert out.count("ε = 0.1: One seed cannot rank systems: run at least two. Five give a useful interval.\n") == 1


def test_a_trial_has_the_errors_of_a_run_with_its_seed(compared, capsys):
    task = {name: CZECH[name] for name in ("--table", "--schema", "--count", "--workload")}
    run = printed_json(capsys, "run", task | {"--algorithm": "mwem", "--epsilon": "0.1", "--seed": "2"})
    (same,) = (r for r in compared[2] if (r.trial.system, r.trial.epsilon, r.trial.seed) == ("mwem", 0.1, 2))
    assert (same.answers.mean_tv, same.rows.mean_tv) == (run["mean_tv"], run["rows"]["mean_tv"])


def test_the_table_has_the_numbers_of_the_json_and_the_verdicts_follow(compared):
    (first, header, *rest), summary, _ = compared
    assert first == "60 queries (all 2-way marginals) over 64 cells, n = 1,841; mean ± 95% interval over seeds"
    columns = ["system", "ε", "mean TV", "max error", "of rows", "nats", "seconds", "gives", "privacy", "ran"]
    assert re.split(r"  +", header) == columns

    def cell(value, digits=4):
        return f"{value['mean']:.{digits}f} ± {value['within']:.{digits}f}" if value else ""

    for line, row in zip(rest, summary["systems"], strict=False):
        metrics = [cell(row[key]) for key in ("mean_tv", "max_error", "rows_mean_tv", "relative_entropy")]
        last = cell(row["seconds"], 2), row["gives"], row["privacy"], row["ran"]
        cells = [row["system"], f"{row['epsilon']:g}", *metrics, *last]
        assert re.split(r"  +", line) == [text for text in cells if text]
    assert rest[6:] == [*summary["verdict"], STATEMENT]


def test_rounds_are_crossed_with_the_systems_that_take_them(czech, capsys):
    summary = summary_of(capsys, czech | {"--rounds": "2,5", "--epsilon": "1"})
    assert [(row["system"], row["T"]) for row in summary["systems"]] == [
        ("mwem", 2),
        ("mwem", 5),
        ("laplace", None),
        ("uniform", None),
    ]
    assert len(summary["verdict"]) == 1
    assert call("compare", czech | {"--rounds": "2,5"}) == 0
    assert re.search(r"^system +ε +T +mean TV", capsys.readouterr().out, re.MULTILINE)


TOO_MANY = "rounds must be at most 15, the number of marginals, as none is asked twice; got 99"


def test_a_system_that_cannot_run_is_listed_with_its_problem_and_the_others_are_compared(czech, capsys):
    arguments = czech | {"--rounds": "99", "--epsilon": "1"}  # there are fifteen marginals
    assert call("compare", arguments) == 0
    assert f"\nMWEM: {TOO_MANY}\n" in capsys.readouterr().out
    summary = summary_of(capsys, arguments)
    assert [row["system"] for row in summary["systems"]] == ["laplace", "uniform"]
    assert summary["problems"] == [{"system": "mwem", "problem": TOO_MANY}]


def test_where_no_system_can_run_the_problem_is_printed(czech, capsys):
    assert call("compare", czech | {"--systems": "mwem", "--rounds": "99"}) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [f"MWEM: {TOO_MANY}", STATEMENT]


def test_a_comparison_resumes_from_its_file_and_runs_no_trial_twice(czech, capsys, tmp_path):
    path = tmp_path / "trials.csv"
    arguments = czech | {"--out": str(path)}
    assert call("compare", arguments | {"--seeds": "2", "--systems": "uniform,mwem"}) == 0
    assert capsys.readouterr().err.startswith("8 trials in ")
    before = path.read_text(encoding="utf-8")
    summary = summary_of(capsys, arguments)
    after = path.read_text(encoding="utf-8")
    assert after.startswith(before)
    assert len({result.trial for result in from_csv(after)}) == len(from_csv(after)) == 18
    assert call("compare", arguments) == 0
    assert capsys.readouterr().err.startswith("0 trials in ")
    assert path.read_text(encoding="utf-8") == after
    assert summary_of(capsys, arguments) == summary
    assert to_csv(from_csv(after)) == after


def test_a_file_of_trials_on_other_data_is_refused_and_unchanged(czech, capsys, tmp_path):
    path = tmp_path / "trials.csv"
    assert call("compare", czech | {"--out": str(path), "--systems": "uniform", "--seeds": "1"}) == 0
    capsys.readouterr()
    before = path.read_text(encoding="utf-8")
    problem = f"{path} holds trials on other data, marginals:2 of 1,841 records over 64 cells: name another file"
    assert_refused(capsys, "compare", czech | {"--out": str(path), "--workload": "marginals:1"}, problem)
    assert path.read_text(encoding="utf-8") == before


def test_a_file_that_is_not_of_trials_is_refused_and_unchanged(czech, capsys, tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text("Dear all")
    assert_refused(
        capsys,
        "compare",
        czech | {"--out": str(path)},
        f"{path}: this is not a file of trials: its first line must name 32 columns, system,epsilon,…, "
        "or name another file",
    )
    assert path.read_text() == "Dear all"


def test_a_file_that_cannot_be_written_is_refused_before_any_trial(czech, capsys, tmp_path):
    path = str(tmp_path / "no" / "where.csv")
    problem = f"{path!r} cannot be written: No such file or directory"
    assert_refused(capsys, "compare", czech | {"--out": path}, problem)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"--systems": "mwem,nwem"}, f"there is no system 'nwem': choose from {', '.join(SYSTEMS)}"),
        ({"--epsilon": "0.1,much"}, "epsilon must be a number, got 'much'"),
        ({"--epsilon": "1,0"}, "epsilon must be a positive number, got 0.0"),
        ({"--seeds": "0"}, "seeds must be a whole number from 1 up, got '0'"),
        ({"--rounds": "5,x"}, "rounds must be a whole number from 1 up, got 'x'"),
        ({"--workers": "0"}, "workers must be a whole number from 1 up, got '0'"),
    ],
    ids=str,
)
def test_a_bad_argument_is_refused_in_one_line(czech, capsys, changed, message):
    assert_refused(capsys, "compare", czech | changed, message)
