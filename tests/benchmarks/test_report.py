"""The report of the benchmarks."""

from benchmark_records import RECORDS, write_records


def test_the_report_has_a_table_for_each_kind_of_measurement(tmp_path, monkeypatch):
    import report

    kinds = [record for record in RECORDS if record["row"] in ("growth", "large table")]
    results, out = write_records(tmp_path, kinds), tmp_path / "out.md"
    monkeypatch.setattr("sys.argv", ["report.py", "--results", str(results), "--out", str(out)])
    report.main()
    text = out.read_text(encoding="utf-8")
    assert [line[3:11] for line in text.splitlines() if line.startswith("## ")] == ["Growth ·", "A table "]
    assert "n^1.00 ± 0.10" in text
