"""No cell of a CSV file that the program writes is a formula, and the program reads its own files as they were."""

import csv
import io
import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, strategies as st
from runs import run_on

from mwem_core import Domain, Records, encode, read_table
from mwem_core.domain import Attribute
from mwem_core.forms.csv_cell import as_cell, csv_text, from_cell, runs
from mwem_core.judge import Result, Trial, from_csv, to_csv
from mwem_core.output import answers_csv, data_frame, guarded_texts, rows_csv
from mwem_core.schemas import propose
from mwem_core.values import Range, Values

ROOT = Path(__file__).parents[2]
STARTS = "=+-@\t\r\n＝＋－＠"
RUNS = [f"{start}cmd|' /C calc'!A0" for start in STARTS]
SIGNED = ["-", "+", "--", "+/-", "-x", "+ pos", "- neg", "-well-known", "- not known", "+1.25", "-5%", "+49 170 12"]
MAY_RUN = [
    "=",
    "@",
    "-A1",
    "- A1",
    "+a(b)",
    "-1-1",
    "+1=2",
    "-5..0",
    "+x|y",
    "-x!y",
    "+R1C1",
    "- [x]y",
    "-x:y",
    "- 'x'",
]
HARMLESS = [*SIGNED, "-5", "+3", "-1.5e-3", "-.5", "5-3", "a=b", "'tis", "'", "", "a@b", "<=50K"]
DOMAIN = Domain(
    (
        Attribute("=name", Values(("=1+1", "''=2", "@x", "plain", "-5", "'t")), missing="-", other=True),
        Attribute("-5", Range(-9, 9), other=True),
        Attribute("self", Range(-9, 9, 5)),
    )
)


def hostile() -> Records:
    rng = np.random.default_rng(0)
    return Records(DOMAIN, tuple(rng.integers(size, size=400).astype(np.uint8) for size in DOMAIN.shape))


def cells(file: bytes | str) -> set[str]:
    text = file if isinstance(file, str) else file.decode()
    return {cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row}


def is_number(cell: str) -> bool:
    try:
        return float(cell) <= float("inf")
    except ValueError:
        return False


@given(st.text("'=+-@\t\r\n＝＋－＠aA1 .|(", max_size=8) | st.sampled_from([*RUNS, *HARMLESS, *MAY_RUN]))
def test_a_cell_gives_its_text_back_and_no_two_texts_share_one(text):
    assert from_cell(as_cell(text)) == text


def test_formulas_alone_are_changed():
    assert [as_cell(text) for text in HARMLESS] == HARMLESS
    assert all(as_cell(text) == "'" + text for text in [*RUNS, *MAY_RUN])


def test_a_file_written_before_0_5_is_read_as_it_was():
    assert [from_cell(cell) for cell in ("'-", "'- neg", "'=x", "'-5")] == ["-", "- neg", "=x", "'-5"]


def test_no_cell_of_a_run_s_files_is_a_formula():
    run, rng = run_on(hostile()), np.random.default_rng(0)
    rows, answers = rows_csv(hostile(), rng), answers_csv(run.workload, run.model)
    changed = {"'=1+1", "'''=2", "'@x", "'=name"}
    for file, expected in ((rows, changed), (answers, set())):
        assert expected <= cells(file)
        assert all(cell.startswith("'") or is_number(cell) for cell in cells(file) if runs(cell))


def test_a_plain_file_has_the_texts_as_they_are():
    rng = np.random.default_rng(0)
    assert {"=1+1", "@x", "=name", "''=2"} <= cells(rows_csv(hostile(), rng, plain=True))
    assert guarded_texts(DOMAIN) == ["=name", "=1+1", "''=2", "@x"]
    dashes = Domain((Attribute("-x", Values(("- neg", "+ pos")), missing="-"),))
    assert guarded_texts(dashes) == []
    written = rows_csv(Records(dashes, (np.array([0, 1, 2]),)), rng)
    assert written == b"-x\n- neg\n+ pos\n-\n"


def test_rows_are_read_as_the_records_that_were_written(tmp_path):
    records, rng = hostile(), np.random.default_rng(0)
    (tmp_path / "rows.csv").write_bytes(rows_csv(records, rng))
    data_frame(records, np.random.default_rng(0)).to_parquet(tmp_path / "rows.parquet")
    assert pq.read_table(tmp_path / "rows.parquet")["=name"].to_pylist().count("=1+1")
    for file in ("rows.csv", "rows.parquet"):
        read = encode(read_table(tmp_path / file), DOMAIN)
        assert all(np.array_equal(a, b) for a, b in zip(read.codes, records.codes, strict=True))


def test_a_schema_proposed_for_rows_has_the_labels_that_were_written():
    table = read_table(b"x,'=y\n" + b"'=1,a\n'@b,b\nc,b\n" * 9)
    assert propose(table).attributes == (Attribute("x", Values(("=1", "@b", "c"))), Attribute("=y", Values(("a", "b"))))
    both = read_table(b"x\n" + b"'=1\n=1\nc\n" * 9)
    assert encode(both, propose(both)).marginal((0,)).tolist() == [18, 9]


def test_a_schema_that_its_own_file_could_not_tell_apart_is_refused():
    message = """attribute 'x': "'=a" and '=a' are both declared, and a CSV file has the first for both; rename one"""
    for texts, missing in ((("=a", "'=a"), None), (("=a", "b"), "'=a"), (("'=a", "b"), "=a")):
        with pytest.raises(ValueError, match=re.escape(message)):
            Attribute("x", Values(texts), missing=missing)


def test_a_declared_text_that_looks_written_is_read_as_itself():
    attribute = Attribute("x", Values(("'=a", "=b")), missing="-", other=True)
    assert attribute.encode(["'=a", "=a", "''=a", "'=b", "=b", "'-", "''-", "z"]).tolist() == [0, 3, 0, 1, 1, 2, 3, 3]


def test_trials_and_tables_of_texts_are_no_formulas():
    problem = Result(trial=Trial(system="mwem", epsilon=1.0, seed=0), workload="=x", n=5, domain_size=4, problem="-1+x")
    assert from_csv(to_csv([problem])) == [problem]
    written = [*cells(to_csv([problem])), *cells(csv_text(["answer"], [[RUNS[0]], ["-3.5"]]))]
    assert {"'=x", "'-1+x", "'" + RUNS[0], "-3.5"} <= set(written)
    assert csv_text(["=a"], [["=b", -1, None]]) == "'=a\n'=b,-1,\n"


def test_no_other_code_writes_csv():
    writers = {"csv.writer(", ".to_csv(", "DictWriter("}
    files = [file for folder in ("mwem_core", "mwem_app", "pages") for file in (ROOT / folder).rglob("*.py")]
    found = {str(file.relative_to(ROOT)) for file in files if any(word in file.read_text("utf-8") for word in writers)}
    read_at_once = {"mwem_core/tables/text_lines.py", "mwem_core/tables/workbooks.py"}  # they leave no file
    assert found - read_at_once == {"mwem_core/forms/csv_cell.py", "mwem_core/output/run_files.py"}
