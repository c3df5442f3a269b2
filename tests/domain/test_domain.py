import re
from pathlib import Path

import numpy as np
import pytest

from mwem_core.domain.attribute import Attribute
from mwem_core.domain.domain import Domain
from mwem_core.domain.values import BITS, Edges, Range, Values

AGE = Attribute("age", Edges((17, 25, 35, 90)), missing="?", other=True)
HOURS = Attribute("hours", Range(1, 25, width=10))
COLOUR = Attribute("colour", Values(("red", "green", "blue")), missing="")
SMOKER = Attribute("smoker", BITS)
SCHEMAS = sorted(Path(__file__).parents[2].glob("sample_data/*.toml"))


def exactly(message: str) -> str:
    return f"^{re.escape(message)}$"


def schema(body: str) -> str:
    return f'[[attribute]]\nname = "age"\n{body}\n'


def test_schema_survives_a_round_trip():
    awkward = Attribute('a "name"\twith\\ é\x7f', Values(("", "x, y]", "line\nbreak", '"""', "\x01")))
    floats = Attribute("f", Edges((-1e-7, 0.1, 2.5, 1e22)), missing="nan")
    domain = Domain((AGE, HOURS, COLOUR, SMOKER, awkward, floats))
    assert Domain.from_toml(domain.to_toml()) == domain


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.stem)
def test_bundled_schema_survives_a_round_trip(path):
    domain = Domain.from_toml(path.read_text(encoding="utf-8"))
    assert Domain.from_toml(domain.to_toml()) == domain


def test_kinds_read_from_a_schema_file():
    domain = Domain.from_toml(
        """
        [[attribute]]
        name = "age"
        edges = [17, 25, 35, 90]
        missing = "?"
        other = true
        [[attribute]]
        name = "hours"
        range = [1, 25]
        width = 10
        [[attribute]]
        name = "colour"
        values = ["red", "green", "blue"]
        missing = ""
        [[attribute]]
        name = "smoker"
        bits = true
        """
    )
    assert domain == Domain((AGE, HOURS, COLOUR, SMOKER))
    assert domain.shape == (5, 3, 4, 2)


def test_whole_numbers_may_be_values_without_quotes():
    assert Domain.from_toml(schema("values = [1, 2]")).attributes[0].labels == ("1", "2")


def test_labels_name_every_code_with_missing_and_catch_all_last():
    assert AGE.labels == ("[17, 25)", "[25, 35)", "[35, 90]", "?", "other")
    assert HOURS.labels == ("1..10", "11..20", "21..25")
    assert Attribute("n", Range(-1, 1)).labels == ("-1", "0", "1")


def test_order_ends_before_missing_and_catch_all():
    assert (AGE.ordered, AGE.size, AGE.ordered_size) == (True, 5, 3)
    assert (COLOUR.ordered, COLOUR.size, COLOUR.ordered_size) == (False, 4, 3)


def test_bins_are_half_open_and_the_last_is_closed():
    age = Attribute("age", Edges((17, 25, 35, 90)))
    texts = ["17", "24.999", "25", "90", "90.001", "16.9", "-inf"]
    assert age.encode(texts).tolist() == [0, 0, 1, 2, -1, -1, -1]


def test_grid_takes_whole_numbers_however_written():
    assert HOURS.encode(["1", "10", "11.0", "2.5e1", "26", "0", "2.5"]).tolist() == [0, 0, 1, 2, -1, -1, -1]


@pytest.mark.parametrize("text", ["nan", "NaN", "inf", "-Infinity", "1e999", "abc", "", "1_7"])
@pytest.mark.parametrize("kind", [Edges((0, 50, 100)), Range(0, 100), BITS], ids=["edges", "range", "bits"])
def test_what_is_not_a_finite_number_is_outside_a_number(kind, text):
    assert Attribute("n", kind).encode([text]).tolist() == [-1]


def test_missing_and_catch_all_take_what_would_be_outside():
    assert AGE.encode(["?", "nan", "elsewhere", "20", ""]).tolist() == [3, 4, 4, 0, 4]
    assert COLOUR.encode(["", "red", "pink"]).tolist() == [3, 0, -1]


FLOATS = Attribute("f", Edges((0.0, 0.1, 0.30000000000000004)))
EVERY_KIND = [AGE, HOURS, COLOUR, SMOKER, FLOATS, Attribute("w", Range(-5, 5), missing="x")]


@pytest.mark.parametrize("attribute", EVERY_KIND, ids=lambda a: a.name)
def test_decoded_values_encode_to_their_own_code(attribute):
    codes = np.repeat(np.arange(attribute.size), 500)
    values = attribute.decode(codes, np.random.default_rng(0))
    assert (attribute.encode([str(value) for value in values.tolist()]) == codes).all()


def test_decoded_bins_are_whole_where_edges_are_and_reach_both_ends_of_the_last():
    age = Attribute("age", Edges((17, 20, 22)))
    values = age.decode(np.repeat([0, 1], 500), np.random.default_rng(0))
    assert values.dtype == np.int64
    assert (set(values[:500].tolist()), set(values[500:].tolist())) == ({17, 18, 19}, {20, 21, 22})


def test_decoded_bins_of_fractions_fill_the_bin():
    values = FLOATS.decode(np.zeros(2000, dtype=int), np.random.default_rng(0))
    # 2,000 uniform draws on [0, 0.1): the mean has a standard deviation of 0.1/sqrt(12 · 2000) < 0.0007.
    assert abs(values.mean() - 0.05) < 0.004


def test_order_comparisons_hold_for_whole_cells():
    assert AGE.compare("<", 25).tolist() == [True, False, False, False, False]
    assert AGE.compare(">=", "35").tolist() == [False, False, True, False, False]
    assert AGE.compare("<=", 90).tolist() == [True, True, True, False, False]
    assert AGE.compare(">", 90.0).tolist() == [False] * 5
    assert HOURS.compare("<=", 10).tolist() == HOURS.compare("<", 11).tolist() == [True, False, False]


@pytest.mark.parametrize("attribute", [AGE, HOURS, SMOKER], ids=lambda a: a.name)
@pytest.mark.parametrize(("op", "opposite"), [("<", ">="), ("<=", ">")])
def test_an_order_comparison_and_its_opposite_share_out_the_ordered_codes(attribute, op, opposite):
    bound = {"<": -100, "<=": 100}[op]
    both = attribute.compare(op, bound).astype(int) + attribute.compare(opposite, bound)
    assert both.tolist() == [1] * attribute.ordered_size + [0] * (attribute.size - attribute.ordered_size)


def test_equality_finds_one_code_and_inequality_the_rest():
    for attribute in (AGE, HOURS, COLOUR, SMOKER):
        for code, label in enumerate(attribute.labels):
            assert np.flatnonzero(attribute.compare("==", label)).tolist() == [code]
            assert (attribute.compare("!=", label) == ~attribute.compare("==", label)).all()
    assert SMOKER.compare("==", 1.0).tolist() == SMOKER.compare("==", "1.0").tolist() == [False, True]


@pytest.mark.parametrize(
    ("attribute", "op", "value", "message"),
    [
        (AGE, ">", 40, "age has edges at 17, 25, 35, 90: 40 falls inside [35, 90]; compare with an edge"),
        (AGE, "<=", 25, "age has edges at 17, 25, 35, 90: 25 falls inside [25, 35); compare with < 25"),
        (AGE, "<", 90, "age has edges at 17, 25, 35, 90: 90 falls inside [35, 90]; compare with <= 90"),
        (AGE, "==", 30, "age has edges at 17, 25, 35, 90: 30 falls inside [25, 35); compare with '[25, 35)'"),
        (
            HOURS,
            "<",
            15,
            "hours has cells of width 10 from 1: 15 falls inside 11..20; compare with the start of a cell",
        ),
        (HOURS, "==", 15, "hours has cells of width 10 from 1: 15 falls inside 11..20; compare with '11..20'"),
        (AGE, "<", "old", "age < needs a number, got 'old'"),
        (COLOUR, "<", "red", "colour has no order; compare it with == or !="),
        (COLOUR, "==", "bleu", "colour has no value 'bleu'; did you mean 'blue'?"),
        (COLOUR, "!=", "x", "colour has no value 'x'; there are 'red', 'green', 'blue', ''"),
        (COLOUR, "=", "red", "unknown comparison '='; use one of ==, !=, <, <=, >, >="),
    ],
)
def test_comparison_the_schema_cannot_decide_is_refused(attribute, op, value, message):
    with pytest.raises(ValueError, match=exactly(message)):
        attribute.compare(op, value)


def test_a_domain_of_a_thousand_bits_has_an_exact_size():
    domain = Domain(tuple(Attribute(f"b{i}", BITS) for i in range(1000)))
    assert domain.size == domain.cells(range(1000)) == 2**1000


def test_an_attribute_may_have_hundreds_of_thousands_of_cells():
    wide = Attribute("fnlwgt", Range(0, 500_000))
    assert wide.size == len(wide.labels) == 500_001
    assert wide.encode(["499999"]).tolist() == [499_999]


def test_attribute_sets_are_sorted_whatever_the_order_of_names():
    domain = Domain((AGE, HOURS, COLOUR))
    assert domain.attrs("colour", "age") == domain.attrs("age", "colour") == (0, 2)
    assert domain.sizes((0, 2)) == (5, 4)
    assert domain.cells((0, 2)) == 20
    assert domain.label((0, 2)) == "age × colour"
    assert (domain.attrs(), domain.sizes(()), domain.cells(()), domain.label(())) == ((), (), 1, "total")


def test_projection_keeps_the_order_of_the_domain():
    assert Domain((AGE, HOURS, COLOUR)).project(["colour", "age"]) == Domain((AGE, COLOUR))


def test_unknown_name_is_refused_with_near_matches():
    with pytest.raises(ValueError, match=r"^no attribute 'color' in the schema; did you mean 'colour'\?$"):
        Domain((AGE, HOURS, COLOUR)).attrs("color")
    with pytest.raises(ValueError, match=r"^no attribute 'zip' in the schema; there are 'age', 'hours', 'colour'$"):
        Domain((AGE, HOURS, COLOUR)).attrs("zip")


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("", "needs exactly one of values, edges, range, bits; it has none of them"),
        (
            'values = ["a", "b"]\nedges = [1, 2]',
            "needs exactly one of values, edges, range, bits; it has values and edges",
        ),
        ("edgse = [1, 2, 3]", "unknown key 'edgse'; did you mean 'edges'?"),
        ("edges = [1, 3, 2]", "edges must increase, got 3 before 2"),
        ("edges = [1, 2, 2]", "edges must increase, got 2 before 2"),
        ("edges = [1]", "edges must be at least two finite numbers, got [1]"),
        ("edges = [1, inf, 3]", "edges must be at least two finite numbers, got [1, inf, 3]"),
        ('edges = [1, "2", 3]', "edges must be at least two finite numbers, got [1, '2', 3]"),
        ("edges = 5", "edges must be a list in brackets, got 5"),
        ("range = [9, 1]", "range is reversed: 9 is above 1"),
        ("range = [1, 2, 3]", "range must be two whole numbers, got [1, 2, 3]"),
        ("range = [1.5, 2]", "range must be two whole numbers within ±2^53, got [1.5, 2]"),
        ("range = [0, 9]\nwidth = 0", "width must be a whole number from 1 up, got 0"),
        ("bits = true\nwidth = 2", "width belongs to range, not to bits; remove it"),
        ("bits = false", "bits must be true, got False"),
        ('values = ["a", "b", "a"]', "values list 'a' twice; keep one"),
        ("values = [1.5, 2.5]", "values must be text in quotes, got 1.5"),
        (
            'values = ["a", " b"]',
            "value ' b' has surrounding blanks, which never match: tables are read without them",
        ),
        ('values = ["a", "b"]\nmissing = "b"', "missing is 'b', which is also one of its values; keep it in one place"),
        ('range = [0, 120]\nmissing = "99"', "missing is '99', which is also one of its values; keep it in one place"),
        (
            'range = [0, 9]\nmissing = " "',
            "missing is ' ', but values are compared without surrounding blanks; remove them",
        ),
        ("range = [0, 9]\nmissing = true", "missing must be text in quotes, got True"),
        ("range = [0, 9]\nother = 1", "other must be true or false, got 1"),
        (
            'values = ["a", "other"]\nother = true',
            "'other' is declared, and other = true uses that name for the catch-all; drop one of the two",
        ),
        ('values = ["a"]', "has fewer than two possible values, so there is nothing to learn about it; leave it out"),
        ("edges = [1, 2]", "has fewer than two possible values, so there is nothing to learn about it; leave it out"),
        ("range = [0, 99999999]", "has 100,000,000 possible values, more than 10,000,000; make its cells wider"),
    ],
)
def test_attribute_that_contradicts_itself_is_refused(body, problem):
    with pytest.raises(ValueError, match=exactly(f"attribute 'age': {problem}")):
        Domain.from_toml(schema(body))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the schema has no attribute; add an [[attribute]] block with a name and its values"),
        ("attribute = 3", "attributes are declared in [[attribute]] blocks, with two brackets on each side"),
        ('[attribute]\nname = "a"', "attributes are declared in [[attribute]] blocks, with two brackets on each side"),
        ("version = 1", "the schema has an unknown key 'version'; it holds [[attribute]] blocks only"),
        ("[[attribute]]\nbits = true", 'attribute 1 has no name; add name = "...", the column\'s header'),
        (
            schema("bits = true") * 2,
            "the schema has two attributes named 'age'; rename or remove one",
        ),
        (
            '[[attribute]]\nname = " "\nbits = true',
            "an attribute needs a name without surrounding blanks, got ' '",
        ),
    ],
)
def test_schema_that_declares_no_domain_is_refused(text, message):
    with pytest.raises(ValueError, match=exactly(message)):
        Domain.from_toml(text)


def test_schema_that_is_not_toml_is_refused_with_the_line():
    with pytest.raises(ValueError, match=r"^the schema is not valid TOML: .*line 2"):
        Domain.from_toml("[[attribute]]\nname = age")
