"""Code books become schemas; what was read off the data is marked, cell by cell."""

from pathlib import Path

import pandas as pd
import pytest
from formats import FILES, archive, spss, stata
from messages import exactly

from mwem_core.domain import Domain, check_confirmed, marks_in_words, read_marks, still_marked
from mwem_core.schemas import CodeBook, first_schema, read_code_book
from mwem_core.tables import read_table

SAMPLES = sorted((Path(__file__).parents[2] / "sample_data").glob("*.toml"))


def declared(book: CodeBook) -> dict[str, dict]:
    """The keys of each attribute."""
    return {
        a.name: {**a.value_set.declaration(), "missing": a.missing, "other": a.other}
        | ({"also_missing": a.also_missing} if a.also_missing else {})
        for a in book.attributes
    }


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_schema_is_a_code_book_with_its_rules_and_marks(path):
    domain = Domain.from_toml(path.read_text())
    marks = {domain.names[0]: frozenset({"values"})}
    book = read_code_book(domain.to_toml(marks).encode())
    assert (book.domain, book.marks, book.left_out) == (domain, marks, {})


LABELS = {"variable_value_labels": {"sex": {2: "female", 1: "male", 9: "refused"}}}
FRAME = pd.DataFrame({"sex": [1.0, 2.0, 9.0] * 20, "age": [float(20 + i % 50) for i in range(60)]})


def test_labels_are_a_code_book_in_the_order_of_their_codes_without_what_is_declared_missing():
    for data, labels in (
        (spss(FRAME, missing_ranges={"sex": [9]}, **LABELS), ["male", "female"]),
        (stata(FRAME, **LABELS), ["male", "female", "refused"]),
    ):
        book = read_code_book(data)
        assert declared(book) == {"sex": {"values": labels, "missing": "", "other": True}}
        assert book.left_out == {"age": "has no value labels"}


def test_a_first_schema_marks_what_was_read_off_the_data_and_not_what_a_code_book_says():
    table = read_table(spss(FRAME, missing_ranges={"sex": [9]}, **LABELS))
    first = first_schema(table)
    assert first.domain.names == ("sex", "age")
    assert first.marks == {"age": frozenset({"values"}), "sex": frozenset({"missing"})}
    assert read_marks(first.domain.to_toml(first.marks)) == first.marks
    age = read_code_book(
        b'[[attribute]]\nname = "age"\nrange = [0, 99]\n[[attribute]]\nname = "gone"\nbits = true\n'
        b'[rules]\nnever = ["age < 30", "gone == 1"]'
    )
    assert first_schema(table, age).marks == {"sex": frozenset({"missing"})}
    assert first_schema(table, age).domain.names == ("sex", "age")
    assert first_schema(table, age).domain.never == ("age < 30",)
    csv = read_table(b"sex,x\nF,1\nM,\nF,1\n")
    assert first_schema(csv).marks == {"sex": frozenset({"values"}), "x": frozenset({"values", "missing"})}
    check_confirmed({})
    with pytest.raises(
        ValueError,
        match=r"^the schema says that these were read off the data: age \(values\), sex \(missing\); compare",
    ):
        check_confirmed(first.marks)


def test_an_edited_cell_is_no_longer_marked():
    before = Domain.from_toml(
        '[[attribute]]\nname = "a"\nrange = [0, 9]\nmissing = "?"\n[[attribute]]\nname = "b"\nbits = true'
    )
    marks = {"a": frozenset({"values", "missing"}), "b": frozenset({"values"})}
    wider = Domain.from_toml(
        '[[attribute]]\nname = "a"\nrange = [0, 99]\nmissing = "?"\n[[attribute]]\nname = "c"\nbits = true'
    )
    assert still_marked(wider.attributes, marks, before.attributes) == {"a": frozenset({"missing"})}
    assert still_marked(before.attributes, marks, before.attributes) == marks
    assert marks_in_words(marks) == "a (values, missing), b (values)"


def test_how_values_are_written_says_nothing_of_the_data():
    blocks = '[[attribute]]\nname = "a"\nedges = [0, 5, 9]\n{}[[attribute]]\nname = "b"\ndates = [{}, {}]\n'
    before = Domain.from_toml(blocks.format("", '"2024-01-01"', '"2024-12-31"') + 'by = "month"')
    written = blocks.format("decimals = 1\n", '"01.01.2024"', '"31.12.2024"') + 'by = "month"\nform = "DD.MM.YYYY"'
    marks = {"a": frozenset({"values"}), "b": frozenset({"values"})}
    assert still_marked(Domain.from_toml(written).attributes, marks, before.attributes) == marks
    weekly = Domain.from_toml(written.replace("month", "week"))
    assert still_marked(weekly.attributes, marks, before.attributes) == {"a": frozenset({"values"})}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff", "the schema t is not UTF-8 text: save it as UTF-8"),
        (FILES["people.sav"][:200], "t is a damaged file of SPSS, or too large; save it again, or export it as CSV"),
        (
            b'[[attribute]]\nname = "a"\nbits = true\nfrom_data = ["all"]',
            "attribute 'a': from_data must list some of values, special, missing, other, got ['all']",
        ),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)  # fmt: skip
def test_what_is_wrong_with_a_code_book_is_said(data, message):
    with pytest.raises(ValueError, match=exactly(message)):
        print(read_code_book(archive(**{"t": data}), "t.zip").domain)


def test_a_schema_that_is_long_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr("mwem_core.schemas.code_books.MAX_TEXT_BYTES", 10**6)
    with pytest.raises(
        ValueError, match=exactly("the schema t has 1.1 MB, over the limit of 1 MB; declare fewer values or columns")
    ):
        read_code_book(b"#" * 1_100_000, "t")
