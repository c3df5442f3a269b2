import pytest
from messages import exactly
from people import parquet

from mwem_core.tables import notes_of, read_table
from mwem_core.tables.delimited_text import DELIMITERS

TEXT = "ville;nom\nOrléans;Zoé\nBesançon;René\nNîmes;Hélène\n"


@pytest.mark.parametrize("delimiter", DELIMITERS, ids=DELIMITERS.values())
def test_the_delimiter_is_detected_from_the_first_rows(delimiter):
    rows = [["age", "sex", "note"], ["20", "F", "a b"], ["30", "M", "c"]]
    table = read_table("\n".join(delimiter.join(row) for row in rows).encode())
    assert table.column_names == ["age", "sex", "note"]
    assert list(table.to_pydict().values()) == [["20", "30"], ["F", "M"], ["a b", "c"]]
    assert table.schema.metadata[b"delimiter"].decode() == DELIMITERS[delimiter]


@pytest.mark.parametrize("delimiter", ["^", "~", ":", "!", "\x1f", "q", "comma", ";", r"\t"])
def test_any_ascii_character_divides_cells_where_it_is_chosen_and_a_quoted_one_does_not(delimiter):
    sign = {"comma": ",", r"\t": "\t"}.get(delimiter, delimiter)
    rows = [["age", "sex", "note"], ["20", "F", f'"a{sign}b"'], ["30", "M", "c"]]
    table = read_table("\n".join(sign.join(row) for row in rows).encode(), delimiter=delimiter)
    assert table.to_pydict() == {"age": ["20", "30"], "sex": ["F", "M"], "note": [f"a{sign}b", "c"]}


@pytest.mark.parametrize("delimiter", ["", "^^", '"', "\n", "\r", "§", "pipe"])
def test_what_cannot_divide_cells_is_refused_in_a_sentence(delimiter):
    with pytest.raises(ValueError, match="or one ASCII character, got"):
        read_table(b"a,b\n1,2\n", delimiter=delimiter)


def test_a_first_line_may_name_any_such_character():
    assert read_table(b"sep=^\na^b\n1^2\n").to_pydict() == {"a": ["1"], "b": ["2"]}


def test_commas_inside_cells_are_not_taken_for_the_delimiter():
    assert read_table(b"a;b\n1,5;2,5\n3,5;4,5\n").to_pydict() == {"a": ["1,5", "3,5"], "b": ["2,5", "4,5"]}


def test_a_file_of_one_column_has_its_header_as_the_only_name():
    assert read_table(b"city\nParis\n").column_names == ["city"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_encodings_are_detected_from_the_bytes(encoding):
    table = read_table(TEXT.encode(encoding))
    assert table.to_pydict() == {"ville": ["Orléans", "Besançon", "Nîmes"], "nom": ["Zoé", "René", "Hélène"]}
    assert table.schema.metadata[b"encoding"].decode() == encoding.removesuffix("-sig")


@pytest.mark.sweep
def test_the_encoding_is_detected_from_non_ascii_lines_at_any_distance():
    text = "city\n" + "Paris\n" * 400_000 + "東京\n大阪\n札幌市\n"
    assert read_table(text.encode("shift_jis")).column("city").to_pylist()[-3:] == ["東京", "大阪", "札幌市"]


def test_a_chosen_encoding_takes_the_place_of_the_guess():
    table = read_table("name\nSørensen\n".encode("cp1252"), encoding="cp1250")
    assert table.to_pydict() == {"name": ["Sřrensen"]}
    assert table.schema.metadata[b"encoding"] == b"cp1250"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_byte_order_mark_is_not_part_of_the_header_under_a_chosen_encoding(encoding):
    assert read_table(("\ufeff" + TEXT).encode(encoding), encoding=encoding).column_names == ["ville", "nom"]


@pytest.mark.parametrize(
    ("data", "encoding", "message"),
    [
        (b"a\n1\n\xe9\n", "ascii", "t.csv line 3: byte 0xe9 is not ascii text; choose another encoding"),
        (b"a\n\xe9\n", "utf-8", "t.csv line 2: byte 0xe9 is not utf-8 text; choose another encoding"),
        (b"a\n1\n", "cp9999", "'cp9999' is no text encoding; use a name such as cp1252 or utf-8"),
        (b"a\n1\n", "hex", "'hex' is no text encoding; use a name such as cp1252 or utf-8"),
        (b"a\n1\n", "undefined", "'undefined' is no text encoding; use a name such as cp1252 or utf-8"),
        (
            parquet(a=[1, 2]),
            "cp1252",
            "t.csv is a Parquet file, which has no encoding to choose; leave the encoding out",
        ),
    ],
)
def test_a_chosen_encoding_that_cannot_decode_the_file_is_refused_in_a_sentence(data, encoding, message):
    with pytest.raises(ValueError, match=exactly(message)):
        read_table(data, name="t.csv", encoding=encoding)


def test_quoted_cells_may_hold_delimiters_quotes_and_line_breaks():
    table = read_table(b'a,"b, ""c"""\n"1\n2","x,y"\r\n3,""\r\n\r\n')
    assert table.to_pydict() == {"a": ["1\n2", "3"], 'b, "c"': ["x,y", ""]}


def test_a_wide_table_is_read():
    names = [f"a_rather_long_name_{i}" for i in range(3000)]
    table = read_table("\n".join([",".join(names), ",".join(["01"] * 3000)]).encode())
    assert table.column_names == names
    assert table.column(names[-1]).to_pylist() == ["01"]


@pytest.mark.parametrize(
    ("above", "titles"),
    [
        ("Survey of 2024\n", 1),
        ("Survey, of 2024\n\nmade by A\n\n", 2),
        ('"Survey\nof 2024"\r\n', 1),
        ("", 0),
        ("\n\n", 0),
    ],
)
def test_titles_above_the_names_are_left_out(above, titles):
    table = read_table((above + "age;sex\n20;F\n30;M\n").encode())
    assert table.to_pydict() == {"age": ["20", "30"], "sex": ["F", "M"]}
    lines = "1 line" if titles == 1 else f"{titles} lines"
    assert notes_of(table) == ([f"Left out: {lines} above the column names."] if titles else [])


def test_a_ragged_row_below_titles_is_told_by_its_line():
    with pytest.raises(
        ValueError,
        match=exactly("t line 5 opens a quote that does not close at its cell's end; close it, or double it inside"),
    ):
        read_table(b'Survey\n\nage;sex\n20;F\n30;"M\n', name="t")


@pytest.mark.parametrize(
    "text",
    ["x\na\nb,c\nd\n", "x\n" + "y\n" * 20 + "a;b\n1;2\n3;4\n", "x\ny\na;b\n"],
    ids=["a comma in one row", "too many", "no row below"],
)
def test_lines_of_one_cell_that_may_be_rows_are_no_titles(text):
    assert read_table(text.encode()).to_pydict() == {"x": text.split()[1:]}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_that_is_longer_than_a_block_is_refused(monkeypatch, end):
    monkeypatch.setattr("mwem_core.tables.delimited_text.BLOCK", 1_000)
    table = read_table(end.join(["a,b"] + ["1,2"] * 900).encode(), name="t")
    assert table.num_rows == 900
    for long in ("x" * 2_000, "," * 2_000, '"' + "x" * 2_000):
        with pytest.raises(ValueError, match=r"t line \d has more than 1,000 bytes; write one record per line"):
            read_table(end.join(["a,b", "1,2", long]).encode(), name="t")
