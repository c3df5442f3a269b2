"""The report of the benchmarks."""

from benchmark_records import DAY, RECORDS, compared_record, write_records


def test_the_report_has_a_table_for_each_kind_of_measurement(tmp_path, monkeypatch):
    import report

    kinds = [record for record in RECORDS if record["row"] == "growth"]
    results, out = write_records(tmp_path, kinds), tmp_path / "out.md"
    monkeypatch.setattr("sys.argv", ["report.py", "--results", str(results), "--out", str(out)])
    report.main()
    text = out.read_text(encoding="utf-8")
    assert [line[3:11] for line in text.splitlines() if line.startswith("## ")] == ["Growth ·"]
    assert "n^1.00 ± 0.10" in text


def test_systems_that_ran_on_another_machine_than_ours_are_named():
    from report import elsewhere

    slow = {"date": "2026-11-02", "machine": {**DAY["machine"], "cpu": "Slow(R)"}}
    ours, here, there = (compared_record(name, 1.0, 0.1) for name in ("ours", "noise", "aim"))
    by_system = {("T1", each["system"]): [each] for each in (ours, here, there | slow)}
    assert elsewhere(by_system, "T1") == ["\nRun on another machine than ours (Slow(R), 2026-11-02): aim."]
    del by_system["T1", "aim"]
    assert elsewhere(by_system, "T1") == elsewhere(by_system, "T2") == []
