"""The command that reruns the paper's experiments."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mwem_core.__main__ import main
from mwem_core.experiments import EXPERIMENTS, Batch, Run, results


@pytest.fixture
def tiny(monkeypatch):
    """Figure 2 with one fast trial per set."""
    each = EXPERIMENTS["figure2"]
    batches = [
        Batch(b.table, b.workload.rpartition(":")[0] + ":20", b.methods[:1] + b.methods[-1:], (0.1,), 1)
        for b in each.batches(True)
    ]
    monkeypatch.setitem(EXPERIMENTS, "figure2", each.__class__(**vars(each) | {"batches": lambda quick: batches}))


def test_without_a_name_every_experiment_is_listed_with_its_verdict(capsys):
    assert main(["paper"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(EXPERIMENTS)
    assert all(line.endswith(("holds", "holds with conditions", "does not hold")) for line in lines)


def test_an_unknown_experiment_is_named_with_the_choices(capsys):
    assert main(["paper", "figure99"]) == 2
    assert "there is no experiment 'figure99': choose from figure2, table1" in capsys.readouterr().err


def test_a_run_prints_claim_table_and_verdict_and_names_missing_tables_and_resumes(tiny, capsys, tmp_path):
    out = ["--out", str(tmp_path / "r.parquet"), "--workers", "1"]
    assert main(["paper", "figure2", *out]) == 0
    printed = capsys.readouterr()
    for part in (
        "Claim. ",
        "Conditions. ",
        "SVD bound",
        "Rule, committed with its trials. ",
        "Verdict: ",
        "What would flip it.",
    ):
        assert part in printed.out
    assert "Left out: monetary is not bundled: get transfusion.csv from UCI" in printed.out
    assert "Committed trials stand in for recency × frequency and monetary." in printed.out
    assert "0 of 0 committed trials differ." in printed.out  # 20 ranges are not among them
    assert "4 trials in" in printed.err
    assert main(["paper", "figure2", "--quick", *out]) == 0
    assert "0 trials in" in capsys.readouterr().err


def test_a_run_writes_what_is_done_meanwhile_and_when_it_is_stopped(tiny, monkeypatch, tmp_path):
    out, go, written = tmp_path / "r.parquet", Run.go, []

    def go_until_stopped(self, executor):
        for done, row in enumerate(go(self, executor), 1):
            yield row
            written.append(trials(out))
            if done == 3:
                raise KeyboardInterrupt

    monkeypatch.setattr(Run, "go", go_until_stopped)
    monkeypatch.setattr("mwem_core.judge.pool", lambda workers: ThreadPoolExecutor(1))
    monkeypatch.setattr("mwem_core.cli.evidence_commands.WRITE_EVERY", 0)
    assert main(["paper", "figure2", "--out", str(out)]) == 130
    assert (written, trials(out)) == ([1, 2, 3], 3)


def test_a_file_that_another_program_has_open_stops_no_run_and_what_is_done_is_kept_beside_it(
    tiny, monkeypatch, tmp_path, capsys
):
    """On Windows, no file that is open can be replaced."""
    out = tmp_path / "r.parquet"

    def in_use(self, target):
        raise PermissionError(13, "Access is denied", str(self))

    monkeypatch.setattr(Path, "replace", in_use)
    monkeypatch.setattr("mwem_core.judge.pool", lambda workers: ThreadPoolExecutor(1))
    monkeypatch.setattr("mwem_core.cli.evidence_commands.WRITE_EVERY", 0)
    assert main(["paper", "figure2", "--out", str(out)]) == 2
    said = f"mwem: {str(out)!r} cannot be replaced, perhaps as another program has it open: the results are in"
    assert said in capsys.readouterr().err
    assert not out.exists()
    assert trials(tmp_path / "r.parquet.part") == 4


def trials(path):
    return int((results.read(path)["system"] != "").sum())
