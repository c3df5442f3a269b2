from pathlib import Path

import pytest
from attributes import AGE, COLOUR, HOURS, SMOKER
from messages import exactly

from mwem_core.domain import Attribute, Domain
from mwem_core.values import Edges, Values

SCHEMAS = sorted(Path(__file__).parents[2].glob("sample_data/*.toml"))


def schema(body: str) -> str:
    return f'[[attribute]]\nname = "age"\n{body}\n'


def test_a_schema_reads_back_as_it_was_written():
    awkward = Attribute('a "name"\twith\\ é\x7f', Values(("", "x, y]", "line\nbreak", '"""', "\x01")))
    floats = Attribute("f", Edges((-1e-7, 0.1, 2.5, 1e22)), missing="nan")
    domain = Domain((AGE, HOURS, COLOUR, SMOKER, awkward, floats))
    assert Domain.from_toml(domain.to_toml()) == domain


def test_there_are_bundled_schemas():
    assert {path.stem for path in SCHEMAS} >= {"adult", "adult_unbinned", "class_survey", "czech", "rochdale"}


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.stem)
def test_every_bundled_schema_reads_back_as_it_was_written(path):
    domain = Domain.from_toml(path.read_text(encoding="utf-8"))
    assert Domain.from_toml(domain.to_toml()) == domain


def test_every_value_set_is_read_from_a_schema():
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


def test_whole_numbers_may_be_values_without_quotes():
    assert Domain.from_toml(schema("values = [1, 2]")).attributes[0].labels == ("1", "2")


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("", "needs exactly one of values, edges, range, bits, dates; it has none"),
        (
            'values = ["a", "b"]\nedges = [1, 2]',
            "needs exactly one of values, edges, range, bits, dates; it has values and edges",
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
        ('values = ["a", " a"]', "values list 'a' twice; keep one"),
        ('values = ["a", "b"]\nmissing = "b"', "missing is 'b', which is also one of its values; keep it in one place"),
        ('range = [0, 120]\nmissing = "99"', "missing is '99', which is also one of its values; keep it in one place"),
        ('values = ["", "a"]\nmissing = " "', "missing is '', which is also one of its values; keep it in one place"),
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
def test_an_attribute_that_contradicts_itself_is_refused(body, problem):
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
            "an attribute needs a name without surrounding blanks, got ''",
        ),
    ],
)
def test_a_schema_that_declares_no_domain_is_refused(text, message):
    with pytest.raises(ValueError, match=exactly(message)):
        Domain.from_toml(text)


def test_blanks_around_names_and_values_do_not_count():
    padded = Domain.from_toml('[[attribute]]\nname = " age "\nvalues = ["a", " b"]\nmissing = " "')
    assert padded == Domain((Attribute("age", Values(("a", "b")), missing=""),))
    with pytest.raises(ValueError, match="value ' b' has surrounding blanks"):
        Values(("a", " b"))


def test_a_schema_that_is_not_toml_is_refused_with_the_line():
    with pytest.raises(ValueError, match=r"^the schema is not valid TOML: .*line 2"):
        Domain.from_toml("[[attribute]]\nname = age")
