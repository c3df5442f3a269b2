"""What a text or a file from outside holds is read, or refused by one sentence, soon and in little memory.

An input is a document that is read, cut and glued at random; or words of its language at random; or any text.
"""

import io
import random
import re
import string
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from app_pages import error_text, open_page
from formats import FILES, archive
from hypothesis import HealthCheck, Phase, given, settings, strategies as st

from mwem_app.compare import controls as systems
from mwem_app.course import Rooms, Seat
from mwem_app.inputs import KINDS, Data, Variant, domain_of, rows_of
from mwem_app.page import CHECKED_KEYS, refusal, says
from mwem_app.session import state
from mwem_core import MWEM, Domain, encode, parse_workload, read_table
from mwem_core.cli import change_settings
from mwem_core.domain import parse_question, split_questions
from mwem_core.judge import from_csv, grid, run_trial, to_csv
from mwem_core.schemas import propose, suggestions

MAX_SECONDS = 2.0  # of CPU time, for one input
# Sentences of Python and its libraries, not of this program: they say neither where nor what to do.
FOREIGN = re.compile(
    r"codec|invalid literal|could not convert|unpack|out of range|NaN to integer|infinity to integer|Exceeds the limit|"
    r"object|must be str|maximum recursion|embedded null|zip\(\)|not supported between|cannot reshape|empty sequence"
)
SCHEMA = """[[attribute]]
name = "age"
edges = [17, 25.5, 35, 90]
missing = "?"

[[attribute]]
name = "sex"
values = ["F", "M", "=1+1", ""]
other = true

[[attribute]]
name = "two words"
range = [-5, 104]
width = 7

[[attribute]]
name = "smokes"
bits = true
"""
KINDS_SCHEMA = """[[attribute]]
name = "pay"
edges = "0..100000 log from 10"
decimals = 2

[[attribute]]
name = "seen"
dates = ["01.02.2019", 2024-12-31]
by = "month"
form = "DD.MM.YYYY HH:MM"

[[attribute]]
name = "icd"
values = ["A00", "A01", "B20"]
prefix = 1
"""
AROUND = (
    b"# made today\n# units: cm, kg\nsex,age,,\nF,30,,\nM,31,,\nF,32,,\n\nSource: a, b, c, d, e\nnote\n",
    b"sep=;\nSurvey;;;\n;;;\nPerson;;Scores;\nsex;age;math;read\n"
    b"F;43;97;97\nM;44;90;91\nF;45;92;93\nTotal;132;279;281\n",
    b'"age" "sex" "smoke"\n"1" 30 "F" "no"\n"2" 31 "M" "yes"\n"3" 32 "F" "no"\n',
    b"name        age  sex\nAnna Lee     30  F\nBob          31  M\nNew York     22  F\n",
    b'Q1,Q2\nSex?,Age?\n"{""ImportId"":""QID1""}","{""ImportId"":""QID2""}"\nF,20\nM,30\nF,40\n',
    b"43,F,no\n30,F,no\n31,M,yes\n32,F,no\n,,\nSource,,\n",
    b",age,sex\n0,30,F\n1,31,M\n2,32,F\n",
)
DOCUMENTS = (
    b'{"age": {"0": 43, "1": 30.5}, "sex": {"0": "F", "1": null}}',
    b'{"columns": ["age", "sex"], "index": [0, 1], "data": [[43, "F"], [30, "M"]]}',
    b'{"age": [43, 30], "sex": ["F", "M"]}',
    b'[["age", "sex"], [43, "F"], [30, "M"]]',
    b'{"0": {"age": 43}, "1": {"age": 30}}',
)
DOMAIN = Domain.from_toml(SCHEMA)
TABLE = "age,sex,two words,smokes,count\n" + "20,F,3,1,2\n?,M,-5,0,0\n30.5,'=1+1,104,1,1\n90,x,99,0,7\n" * 3
RECORDS = encode(read_table(TABLE.encode()), DOMAIN, count="count")
PAIRS = parse_workload("marginals:2", DOMAIN)
DATA = Data("fuzz", "fuzz", "fuzz.csv", RECORDS, "Marginals", "unknown", 4)
TRIALS = to_csv([run_trial(RECORDS, PAIRS, trial) for trial in grid(["uniform"], [0.5, 1.0], range(2))])
WORKLOADS = (
    *("marginals:2", "cuboids:<=3", "parities:2", "ranges:age:20@3", "ranges:age,two words:all", "ranges:age:prefixes"),
    *("ranges:two words:-5..1;9..15", "ranges:age,two words:17..25.5 x -5..1", "where:age >= 35;`two words` < 2"),
)
PREDICATES = (
    *('age >= 35 and sex == "F"', "not (`two words` < 2 or smokes == 1)", "sex in ('F', \"M\") and age != '?'"),
    "age not in (\"[17, 25.5)\", '?')",
)
ADDRESSES = ("by rule", "20", "theorem", "adaptive", "1e-9", "0", "0.1, 0.5; 1", "rule, 5, 10", "7", "T = 5", "ε = 0.5")
NUMBERS = ("0", "-1", "1e308", "-1e-400", "nan", "inf", "9" * 400, "9" * 5_000, "2**53", "1_000", "٣", "0x10", "+.5e+3")
SIGNS = (*string.punctuation, "\n", "\r", "\t", "\0", "\ufeff", "\u2028", "\ud800", "é", "日", "\U0001f600", " " * 50)
SHEET = "xl/worksheets/sheet1.xml"
DEEP = ("(" * 3_000, "[" * 3_000, "not " * 3_000, "{a=" * 2_000, "a." * 3_000, "x" * 50_000, '"' * 5_001, ",\n" * 5_000)


class Target(NamedTuple):
    """What reads an input, and documents and words that inputs are made from."""

    read: Callable[[Any], object]
    documents: tuple[str | bytes, ...]
    words: tuple[str, ...] = ()


def schema(text: str) -> None:
    domain = Domain.from_toml(text)
    assert Domain.from_toml(domain.to_toml()) == domain


def schema_rows(text: str) -> None:
    kind, _, rest = text.partition("|")
    values, _, missing = rest.partition("|")
    row = {"use": True, "name": "x", "kind": kind if kind in KINDS else KINDS[len(text) % 4], "values": values}
    decimals = ["", "", "0", "1", "15"][len(text) % 5]
    domain = domain_of([row | {"missing": missing, "other": len(text) % 2, "decimals": decimals}])
    with suppress(ValueError):  # a value that has to be quoted twice
        assert domain_of(rows_of(domain, {})).size == domain.size


def table(data: bytes) -> None:
    read = read_table(data, name="t.csv", max_bytes=10**7)
    suggestions(read)
    for make in (lambda: DOMAIN, lambda: propose(read)):
        try:
            encode(read, make(), count=None)
        except ValueError as error:
            check_sentence(error)


def sheet(data: bytes) -> None:
    """A workbook with this XML as its sheet, whose checksum is right."""
    with zipfile.ZipFile(io.BytesIO(FILES["people.xlsx"])) as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    table(archive(**parts | {SHEET: data}))


def framed_table(data: bytes) -> None:
    """A table whose header and footer are chosen."""
    read = read_table(data, name="t.csv", max_bytes=10**7, header=len(data) % 4, footer=len(data) % 3, min_rows=0)
    assert all(read.column_names)


def encoded_table(data: bytes) -> None:
    encodings = ("cp1252", "cp932", "gb18030", "utf-16", "no such", "zlib", "idna", "utf-7")
    read_table(data, name="t.csv", encoding=encodings[len(data) % len(encodings)])


def predicate(text: str) -> None:
    for question in split_questions(text):
        parse_question(question, DOMAIN, max_cells=10**6)


def workload(text: str) -> None:
    made = parse_workload(text, DOMAIN)
    assert made.size > 0


def address(text: str) -> None:
    for key in CHECKED_KEYS:
        for value in (5, 0.5) if key in (state.AT_T, state.AT_EPSILON) else (5, 0.5, True, "F"):
            says(key, text, value)
            assert refusal(key, [text], False, value).isprintable()
    for read in (systems._epsilon, systems._T, _variant):
        try:
            read(text)
        except ValueError as error:
            check_sentence(error)


def _variant(text: str) -> None:
    for preset in ("default", "paper"):
        for typed in (("by rule", text, ""), (text, "0", ""), ("by rule", "0", text)):
            try:
                variant = Variant(preset, *typed)
                variant.settings(PAIRS, n=1000, epsilon=1.0).planned_rounds(1000, PAIRS)
                assert variant.seed_number is None or variant.seed_number >= 0
            except ValueError as error:
                check_sentence(error)


def changes(text: str) -> None:
    change_settings(MWEM(epsilon=1.0, T=3), [text], system_name="mwem")


def trials(data: bytes) -> None:
    from_csv(data.decode("utf-8-sig", "replace"))


def seat(text: str) -> None:
    rooms = Rooms()
    rooms.open()
    remembered = Seat.of(text)
    assert remembered is None or rooms.room(remembered) is None
    rooms.join(text)


def parquet() -> bytes:
    columns = {"age": ["20", "?", None], "sex": ["F", "M", "x"], "two words": [1.0, float("nan"), 1e300]}
    file = io.BytesIO()
    pq.write_table(pa.table(columns | {"smokes": [True, None, False], "list": [[1], [2], None]}), file)
    return file.getvalue()


def sheet_xml() -> bytes:
    with zipfile.ZipFile(io.BytesIO(FILES["people.xlsx"])) as whole:
        return whole.read(SHEET)


TARGETS: dict[str, Target] = {
    "schema": Target(
        schema,
        (SCHEMA, KINDS_SCHEMA),
        ("[[attribute]]", "values", "edges = [", "range", "width", "other", "true", "'''", "dates = [", "by"),
    ),
    "schema rows": Target(
        schema_rows,
        ("categories|a, b, \"c, d\"|?", "bins|17, 25, 90|", "whole numbers|0..99 by 10|", "0 or 1||",
         "dates|2019-01-01..2024-12-31 by week as M/D/YYYY|?", "bins|-9..100000 log from 0.5|",
         "grouped codes|first 2: A00, A01, B2|"),
        (*KINDS, "(empty cell)", "..", " by ", "|", " log", " equal", " as ", "YYYY-MM-DD", "first 1:"),
    ),
    "CSV": Target(table, (TABLE.encode(), TABLE.replace(",", ";").encode("utf-16"), "a,b\né,1\n".encode("cp1252"))),
    "around a table": Target(
        table,
        AROUND,
        ("#", "sep=;\n", "sep=,", "\n\n", ",,,", "Total", "Source: x\n", '{""ImportId"":""x""}', "Response", "  "),
    ),
    "chosen frames": Target(framed_table, AROUND, ("#", "\n\n", ",,,", "Total", "  ")),
    "SAS": Target(table, (FILES["people.xpt"],)),
    "encoded CSV": Target(
        encoded_table, (TABLE.encode(), TABLE.encode("utf-16"), "a,b\né,1\n".encode("cp1252"))
    ),
    "Parquet": Target(table, (parquet(),)),
    "archives": Target(table, tuple(FILES[name] for name in ("people.csv.gz", "people.zip", "people.xlsx"))),
    "workbook": Target(sheet, (sheet_xml(),), ('<row r="9">', "<c r='XFD7'>", "<v>", "</v>", "</c>", 't="s"', 't="d"')),
    "dates": Target(
        table,
        (b"a;b\n31.12.2024;12/31/2024 9:05\n1.2.2024;1/2/2024 0:00\n", b"a,b\n20240131,2024-02-01T10:00:00Z\n" * 3),
        ("2024-02-30", "0000-01-01", "9999-12-31", "T24:00", "00:00:00.000", "Z", "1.1.1", "19990101"),
    ),
    "JSON": Target(
        table,
        (FILES["people.jsonl"], FILES["people.json"], *DOCUMENTS),
        ("{", "}", "[", "]", '"a":', "null", "1e999"),
    ),
    "decimal commas": Target(
        table,
        (b"age;sex\n1.234,5;F\n-29,4;M\n1 000;?\n" * 2, b'age,sex\n"1,234.5",F\n"1,000",M\n'),
        ("1.000", "1,000", "1'000", "0,5", "007", "\u202f", "−1", "12,34", ",", "."),
    ),
    "predicates": Target(
        predicate, PREDICATES, ("age", "sex", "`two words`", " and ", " or ", " not ", " in ", "==", '"F"')
    ),
    "workloads": Target(
        workload, WORKLOADS, ("marginals:", "ranges:", "where:", "all", "..", "@", "x", "<=", "age", "smokes")
    ),
    "addresses": Target(address, ADDRESSES, ("rule", "T = ", "ε = ", ",", ";")),
    "trials": Target(trials, (TRIALS.encode(), TRIALS.encode("utf-8-sig")), ("uniform", "mwem", "marginals:2", "\n")),
    "settings": Target(
        changes,
        ("T=5", "split=0.5", "candidates=tables", "update.in_order=true", "delta=1e-9"),
        ("update.sweeps=", "newest", "none"),
    ),
    "seats": Target(seat, ("ABCD2345 token teacher", "abcd-2345"), ("-", " ", "student")),
}  # fmt: skip


def inputs(target: Target) -> st.SearchStrategy[Any]:
    """Inputs for a target: Hypothesis draws what they are made from, and `random.Random` cuts and glues."""
    as_bytes = isinstance(target.documents[0], bytes)
    words = (*target.words, *NUMBERS, *SIGNS)
    any_text = st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass") if as_bytes else text)
    glued = st.lists(st.sampled_from(words), max_size=12).map("".join)
    return st.one_of(
        st.integers(0, 2**64 - 1).map(lambda seed: mutated(random.Random(seed), target)),
        st.integers(0, 2**64 - 1).map(lambda seed: mutated(random.Random(seed), target)),
        glued.map(lambda text: text.encode("utf-8", "surrogatepass") if as_bytes else text),
        any_text if not as_bytes else st.one_of(any_text, st.binary(max_size=200)),
    )


def mutated(rng: random.Random, target: Target) -> str | bytes:
    """A document with up to eight edits: a piece is dropped, doubled, moved, or replaced by words or by other bytes."""
    document: Any = rng.choice(target.documents)
    words = (*target.words, *NUMBERS, *SIGNS)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        i = rng.randint(0, len(document))
        j = min(len(document), i + rng.choice((0, 1, 1, 2, 5, 20, 200)))
        piece = document[i:j]
        edit = rng.randrange(6)
        kind = rng.random()
        new: Any = rng.choice(DEEP if kind < 0.02 else words if kind < 0.4 else "0123456789abFM. ")
        if isinstance(document, bytes):
            new = rng.randbytes(j - i) if edit == 5 else new.encode("utf-8", "surrogatepass")
        if edit == 0:
            new = new[:0]
        elif edit == 1:
            new = piece * rng.choice((2, 3, 50))
        elif edit == 2:
            k = rng.randint(0, len(document))
            new = document[k : k + rng.randint(0, 60)]
        document = document[:i] + new + document[j:]
    return document


def check(target: Target, given: str | bytes) -> bool:
    """Let the target read an input; returns whether it was refused. AssertionError if it breaks the promise."""
    began, refused = time.thread_time(), False
    try:
        target.read(given)
    except ValueError as error:
        check_sentence(error)
        refused = True
    except Exception as error:
        raise AssertionError(f"{type(error).__name__} escaped: {error}") from error
    seconds = time.thread_time() - began
    assert seconds < MAX_SECONDS, f"took {seconds:.1f} s of CPU time"
    return refused


def check_sentence(error: ValueError) -> None:
    """A refusal is a ValueError whose message is one sentence of this program."""
    message = str(error)
    own = type(error) is ValueError or type(error).__module__.startswith("mwem_core.")
    assert own, f"{type(error).__name__}: {message[:300]}"
    assert message, "an empty message"
    assert "\n" not in message, f"several lines: {message[:300]!r}"
    assert message.isprintable(), f"unprintable: {message[:300]!r}"
    assert not FOREIGN.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", message)), f"not a sentence of ours: {message[:300]}"


LONG = {"SAS", "archives", "workbook"}  # a process reads each file


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.sweep] * (name in LONG)) for name in TARGETS])
def test_nothing_but_a_sentence_escapes(name):
    @settings(
        max_examples=80, derandomize=True, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=[*HealthCheck],
    )  # fmt: skip
    @given(inputs(TARGETS[name]))
    def run(made):
        check(TARGETS[name], made)

    run()


def test_the_documents_themselves_are_read():
    for target in TARGETS.values():
        refused = [check(target, document) for document in target.documents]
        assert not all(refused) or target is TARGETS["seats"]


@pytest.mark.parametrize(
    "error", [UnicodeError("no"), ValueError("two\nlines"), ValueError(""), ValueError("not an object")]
)
def test_what_is_no_sentence_of_ours_is_found(error):
    def breaks(_):
        raise error

    with pytest.raises(AssertionError):
        check(TARGETS["schema"]._replace(read=breaks), "")
    with pytest.raises(AssertionError, match="KeyError escaped"):
        check(TARGETS["schema"]._replace(read={}.__getitem__), "x")


@pytest.mark.parametrize("text", ["9" * 400, "1e400"])
def test_a_number_that_is_none_is_refused_by_a_sentence(text):
    app = open_page("run", table="Class survey", k=text)
    assert f"the address asks for k = {text!r}"[:60] in error_text(app)
    assert app.number_input(key="k").value == 2
