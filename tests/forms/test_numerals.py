import pytest
from people import parquet

from mwem_core.domain import Attribute, Domain
from mwem_core.encoding import encode
from mwem_core.forms import decimal_of, plain_numbers, with_decimal
from mwem_core.schemas import propose
from mwem_core.tables import read_table
from mwem_core.values import Edges, Values

PRICE = Domain((Attribute("x", Edges((0, 1, 1000, 5000)), missing="n/a"),))


@pytest.mark.parametrize(
    ("text", "by_point", "by_comma"),
    [
        ("1234.5", "1234.5", "1234.5"),
        ("1.234,5", "1.234,5", "1234.5"),
        ("1,234.5", "1234.5", "1,234.5"),
        ("1 234,5", "1 234,5", "1234.5"),
        ("1\u202f234.5", "1234.5", "1\u202f234.5"),
        ("1'234'567", "1234567", "1234567"),
        ("29,4", "29,4", "29.4"),
        ("1,234", "1234", "1.234"),
        ("1.234", "1.234", "1234"),
        ("−3", "-3", "-3"),
        ("-1.234.567,25", "-1.234.567,25", "-1234567.25"),
        ("0,123", "0,123", "0.123"),
        ("1,5e3", "1,5e3", "1.5e3"),
        *((text, text, text) for text in ("007", "0 123", "12,34,567", "1,234 567", "1.2.3", "", "?", "1_000", "٣")),
    ],
)  # fmt: skip
def test_a_number_is_read_by_itself_and_any_other_text_stays(text, by_point, by_comma):
    assert plain_numbers([text], ".") == [by_point]
    assert plain_numbers([text], ",") == [by_comma]


@pytest.mark.parametrize(
    ("rows", "decimal"),
    [
        ("29,4;a\n30;b\n", ","),
        ("1.234;a\n1.234.567;b\n", ","),
        ("1,234;a\n5,678;b\n", ","),  # a semicolon decides where no column tells
        ("1.234;a\n5.678;b\n", "."),
        ("29.4;a\n30;b\n", "."),
        ("0,5;0.5\n1,5;2.25\n", "."),  # as many columns tell one as the other
        ("1,5;12,a\n2,5;1.2.3\n", ","),  # texts tell nothing
        ("?;29,4\nk.A.;k.A.\n", ","),
    ],
)
def test_the_decimal_mark_is_that_of_most_columns_of_numbers(rows, decimal):
    assert decimal_of(read_table(f"x;y\n{rows}".encode())) == decimal
    assert decimal_of(read_table(f"x;y\n{rows}".encode(), decimal=".")) == "."


def test_a_comma_between_thousands_is_no_decimal_mark_where_cells_are_quoted():
    table = read_table(b'x,y\n"1,234",a\n"5,678",b\n')
    assert decimal_of(table) == "."
    assert encode(read_table(b'x,y\n"1,234",a\n"999",b\nn/a,c\n'), PRICE).codes[0].tolist() == [2, 1, 3]


def test_numbers_with_a_decimal_comma_are_encoded_as_with_a_point():
    comma = read_table(b"x;y\n0,5;a\n1.234,5;b\n1 000;c\nn/a;d\n")
    point = read_table(b"x,y\n0.5,a\n1234.5,b\n1000,c\nn/a,d\n")
    assert encode(comma, PRICE).codes[0].tolist() == encode(point, PRICE).codes[0].tolist() == [0, 2, 2, 3]


def test_a_row_changes_how_no_other_row_is_read():
    """What a release needs: a text in a column of numbers falls into the catch-all alone."""
    domain = Domain((Attribute("x", Edges((0, 1, 1000, 5000)), other=True),))
    rows = "x;y\n0,5;a\n1.234,5;b\n"
    for more in ("abc;c\n", "7.5;c\n", "1.234;c\n"):
        codes = encode(with_decimal(read_table((rows + more).encode()), ","), domain).codes[0]
        assert codes[:2].tolist() == [0, 2]


def test_texts_keep_their_marks_in_columns_of_texts():
    table = read_table(b"x;y\n0,5;1,5\n1,5;2,5\n")
    assert table["y"].to_pylist() == ["1,5", "2,5"]
    domain = Domain((Attribute("y", Values(("2,5", "1,5"))),))
    assert encode(table, domain).codes[0].tolist() == [1, 0]


def test_a_proposal_reads_numbers_with_a_decimal_comma():
    rows = "".join(f"{1 + i}.{i:03d},{i % 10};{i % 50},5;{i:03d}\n" for i in range(60))
    proposal = propose(read_table(("big;half;code\n" + rows).encode()))
    assert isinstance(proposal.attributes[proposal.names.index("half")].value_set, Edges)
    few = propose(read_table(b"x;y\n10,5;a\n9,5;b\n10,5;b\n9,5;a\n"))
    assert few.attributes[0].value_set == Values(("9,5", "10,5"))


def test_a_column_that_is_no_text_tells_no_decimal_mark():
    """Without rows, a column whose name starts with a second byte order mark has no type."""
    with pytest.raises(ValueError, match="has a header but no rows"):
        read_table(b"\xef\xbb\xbf\xef\xbb\xbfa,b")


def test_another_decimal_mark_is_refused():
    with pytest.raises(ValueError, match="the decimal mark must be a point or a comma, got 'x'"):
        read_table(b"x,y\n1,2\n", decimal="x")
    with pytest.raises(ValueError, match="t is a Parquet file, which has no decimal mark to choose"):
        read_table(parquet(x=[1.5]), name="t", decimal=",")
    said = "cells may be divided by a comma, semicolon, tab, bar, blank, or one ASCII character, got 'xy'"
    with pytest.raises(ValueError, match=said):
        read_table(b"x,y\n1,2\n", delimiter="xy")


def test_a_chosen_delimiter_takes_the_place_of_the_detected_one():
    data = b"a,b;c,d\n1,2;3,4\n"
    assert read_table(data, delimiter=";").to_pydict() == {"a,b": ["1,2"], "c,d": ["3,4"]}
    assert read_table(data, delimiter="comma").to_pydict() == {"a": ["1"], "b;c": ["2;3"], "d": ["4"]}
