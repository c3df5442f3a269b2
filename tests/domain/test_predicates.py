"""The language of predicates, against Python's own evaluation of the same question at every cell."""

import contextlib
import itertools

import numpy as np
import pytest
from messages import exactly

from mwem_core.domain import Attribute, Domain, Predicate, parse_question, split_questions
from mwem_core.values import BITS, Edges, Range, Values

AGE = Attribute("age", Edges((17, 25, 35, 90)), missing="?", other=True)
HOURS = Attribute("hours-per-week", Range(-1, 3), missing="n/a")
COLOUR = Attribute("colour", Values(("red", "green", "blue's", "1")))
SMOKER = Attribute("smokes a lot", BITS)
PEOPLE = Domain((AGE, HOURS, COLOUR, SMOKER))
MAX_CELLS = 10**6


def predicate(text: str) -> Predicate:
    return parse_question(text, PEOPLE, max_cells=MAX_CELLS)


def cells_of(text: str) -> np.ndarray:
    """Which cells of the whole domain satisfy a question."""
    parsed = predicate(text)
    mask = parsed.mask.reshape([size if a in parsed.attrs else 1 for a, size in enumerate(PEOPLE.shape)])
    return np.broadcast_to(mask, PEOPLE.shape)


# How Python reads a cell: the low end of its bin or its number, None for missing and other; texts as they are.
MEANS = [[17, 25, 35, None, None], [-1, 0, 1, 2, 3, None], list(COLOUR.labels), [0, 1]]
NAMES = ["age", "hours-per-week", "colour", "`smokes a lot`"]
THRESHOLDS = [[17, 25, 35], [-1, 0, 1, 2, 3], [], [0, 1]]
ORDERS = {"<": lambda x, y: x < y, "<=": lambda x, y: x <= y, ">": lambda x, y: x > y, ">=": lambda x, y: x >= y}


def random_question(rng: np.random.Generator, depth: int):
    """A question as text, how tightly it binds (0 or, 1 and, 2 anything else), and the same as a function of a cell."""
    shape = rng.integers(6) if depth else 0
    if shape == 0:
        return *random_comparison(rng), 2
    if shape == 1:
        text, holds, binds = random_question(rng, depth - 1)
        return f"not {bracketed(rng, text, binds, 2)}", lambda cell: not holds(cell), 2
    word, level = ("and", 1) if shape < 4 else ("or", 0)
    parts = [random_question(rng, depth - 1) for _ in range(rng.integers(2, 4))]
    text = f" {word} ".join(bracketed(rng, text, binds, level) for text, _, binds in parts)
    combine = all if word == "and" else any
    return text, lambda cell: combine(holds(cell) for _, holds, _ in parts), level


def bracketed(rng: np.random.Generator, text: str, binds: int, level: int) -> str:
    """Brackets where the grammar needs them, and sometimes where it does not."""
    return f"({text})" if binds < level or rng.random() < 0.2 else text


def random_comparison(rng: np.random.Generator):
    a = int(rng.integers(len(PEOPLE)))
    attribute, name, means = PEOPLE.attributes[a], NAMES[a], MEANS[a]
    kind = rng.integers(3)
    if kind == 0 and THRESHOLDS[a]:
        op = str(rng.choice(["<", ">="] if a == 0 else list(ORDERS)))
        bound = int(rng.choice(THRESHOLDS[a]))
        return f"{name} {op} {bound}", lambda cell: means[cell[a]] is not None and ORDERS[op](means[cell[a]], bound)
    if kind == 1:
        chosen = rng.choice(attribute.size, size=rng.integers(1, 4)).tolist()
        negation = "not " if rng.random() < 0.5 else ""
        values = ", ".join(quoted(attribute.labels[code]) for code in chosen)
        return f"{name} {negation}in ({values})", lambda cell: (cell[a] in chosen) != bool(negation)
    code, op = int(rng.integers(attribute.size)), str(rng.choice(["==", "!="]))
    return f"{name} {op} {quoted(attribute.labels[code])}", lambda cell: (cell[a] == code) == (op == "==")


def quoted(label: str) -> str:
    return f'"{label}"' if "'" in label else f"'{label}'"


def test_a_question_holds_at_the_cells_where_python_says_so():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        text, holds, _ = random_question(rng, depth=int(rng.integers(4)))
        evaluated = [holds(cell) for cell in itertools.product(*map(range, PEOPLE.shape))]
        assert cells_of(text).ravel().tolist() == evaluated, text


def test_a_question_reads_only_the_attributes_it_names():
    assert predicate("colour == 'red' or not `smokes a lot` == 1").attrs == (2, 3)
    assert predicate("age >= 25").mask.shape == (5,)


def test_not_binds_tighter_than_and_and_and_tighter_than_or():
    red, old, smoker = "colour == 'red'", "age >= 35", "`smokes a lot` == 1"
    assert (cells_of(f"{red} or {old} and {smoker}") == (cells_of(red) | (cells_of(old) & cells_of(smoker)))).all()
    assert (cells_of(f"{red} and {old} or {smoker}") == ((cells_of(red) & cells_of(old)) | cells_of(smoker))).all()
    assert (cells_of(f"not {red} and {old}") == (~cells_of(red) & cells_of(old))).all()
    assert (cells_of(f"not {red} or {old}") == (~cells_of(red) | cells_of(old))).all()
    assert (cells_of(f"not ({red} or {old})") == ~(cells_of(red) | cells_of(old))).all()
    assert (cells_of(f"not not {red}") == cells_of(red)).all()


def test_in_is_any_of_and_not_in_none_of():
    any_of = cells_of("colour == 'red' or colour == 'green'")
    assert (cells_of("colour in ('red', 'green')") == any_of).all()
    assert (cells_of("colour not in ('red', 'green')") == ~any_of).all()


def test_names_with_hyphens_stand_bare_and_names_with_blanks_in_backticks():
    assert predicate("hours-per-week > 1").attrs == predicate("`hours-per-week` > 1").attrs == (1,)
    assert predicate("`smokes a lot` == 1").attrs == (3,)


def test_names_that_are_words_of_the_language_stand_in_backticks():
    domain = Domain(tuple(Attribute(name, BITS) for name in ("not", "in", "and", "or")))
    parsed = parse_question("`not` == 1 and `in` in (1) and `and` == 1 or `or` == 0", domain, max_cells=MAX_CELLS)
    assert parsed.attrs == (0, 1, 2, 3)


def test_one_word_that_is_a_value_needs_no_quotes():
    for bare, quoted in (
        ("colour == red", "colour == 'red'"),
        ("colour in (red, green)", "colour in ('red', 'green')"),
    ):
        assert (predicate(bare).mask == predicate(quoted).mask).all()


def test_a_number_and_its_text_are_one_value():
    for left, right in [("== 1", "== '1'"), ("== 1.0", "== 1"), ("== 1e0", "== '1'"), ("!= -1", "!= '-1'")]:
        assert (cells_of(f"hours-per-week {left}") == cells_of(f"hours-per-week {right}")).all()
    assert (cells_of("colour == 1") == cells_of("colour == '1'")).all()


@pytest.mark.parametrize(
    ("sql", "same"),
    [
        ("AGE >= 25 AND Colour = 'red'", "age >= 25 and colour == 'red'"),
        ("hours_per_week between 0 and 2", "hours-per-week >= 0 and hours-per-week <= 2"),
        ("t.age not between 17 and 90", "not (age >= 17 and age <= 90)"),
        ("age is null", "age == '?'"),
        ("colour <> 'blue''s'", 'colour != "blue\'s"'),
        ('"smokes a lot"', "`smokes a lot` == 1"),
        ("`smokes a lot` is false", "`smokes a lot` == 0"),
        ("colour like '%e%'", """colour in ('red', 'green', "blue's")"""),
        ("25 <= age", "age >= 25"),
    ],
)
def test_sql_is_read_and_said_again_as_standard_sql(sql, same):
    assert (cells_of(sql) == cells_of(same)).all()
    assert (cells_of(predicate(sql).sql) == cells_of(same)).all()
    assert "`" not in predicate(sql).sql


def test_blanks_do_not_count():
    narrow, wide = "  age>=25 and colour in('red','green')\n", "age >= 25 and colour in ( 'red' , 'green' )"
    assert (cells_of(narrow) == cells_of(wide)).all()


def test_thresholds_split_bins_at_their_edges_only_and_missing_is_on_no_side():
    assert cells_of("age < 25")[:, 0, 0, 0].tolist() == [True, False, False, False, False]
    assert cells_of("age >= 25")[:, 0, 0, 0].tolist() == [False, True, True, False, False]
    assert cells_of("age <= 90")[:, 0, 0, 0].tolist() == [True, True, True, False, False]
    assert cells_of("not age < 25")[:, 0, 0, 0].tolist() == [False, True, True, True, True]


def test_semicolons_outside_of_quotes_separate_questions():
    assert split_questions("a == 1; b == 2") == ["a == 1", " b == 2"]
    assert split_questions("""a == ";" ; b == ';' ; `;` == 3""") == ["""a == ";" """, " b == ';' ", " `;` == 3"]
    assert split_questions(";;") == split_questions("") == [""]
    assert split_questions('a == "open; b == 2') == ['a == "open', " b == 2"]


EMPTY = "a predicate is empty: write a question such as age >= 40 and sex = 'Female'"
UNREAD = "the predicate {!r} cannot be read "
QUOTES = "write texts in quotes, and names with blanks or signs in double quotes"
ALL = "'age', 'hours-per-week', 'colour', 'smokes a lot'"
EDGES = "age has edges at 17, 25, 35, 90"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", EMPTY),
        (" \n ", EMPTY),
        ("age", "age is no yes or no: compare it with a value, such as age = '[17, 25)'"),
        ("colour == reddish", "colour has no value 'reddish'; did you mean 'red'?"),
        ("colour == 'Red'", "colour has no value 'Red'; did you mean 'red'?"),
        ("colour = null", "nothing equals null: write colour is null"),
        ("colour like 'x%'", "colour has no value like 'x%'; there are 'red', 'green', \"blue's\", '1'"),
        ("select age from t", "no attribute 'select' in the schema; there are " + ALL),
        ('__import__("os")', "no attribute '__import__' in the schema; there are " + ALL),
        ("(age >= 25", UNREAD + "at its end: expected )"),
        ("age >= 25)", UNREAD + "at ')' (character 10): expected and, or, or the end"),
        ("()", UNREAD + "at ')' (character 2): expected the name of an attribute"),
        ("not", UNREAD + "at its end: expected the name of an attribute"),
        ("age >=", UNREAD + "at its end: expected a number or a text in quotes"),
        ("age >= 25 colour == 'red'", UNREAD + "at 'colour' (character 11): expected and, or, or the end"),
        ("colour == 'red", UNREAD + 'at "\'red": ' + QUOTES),
        ("colour in ()", UNREAD + "at ')' (character 12): expected a number or a text in quotes"),
        ("colour in 'red'", UNREAD + "at \"'red'\" (character 11): expected ("),
        ("colour not 'red'", UNREAD + "at \"'red'\" (character 12): expected between, in or like"),
        ("colour is 'red'", UNREAD + "at \"'red'\" (character 11): expected null, true or false"),
        ("hours-per-week like '1%'", UNREAD + "at \"'1%'\" (character 21): expected = and a number"),
        ("17 <= age < 25", UNREAD + "at '<' (character 11): expected and, or, or the end"),
        ("17 and age", UNREAD + "at 'and' (character 4): expected one of = <> < <= > >= between in like is"),
        ("age >= 2024-01-01", UNREAD + "at '2024-01-01': " + QUOTES),
        ("age = colour", UNREAD + "at 'colour' (character 7): expected a number or a text in quotes"),
        ("age = 25; colour = 'red'", UNREAD + 'at "; colour = \'": ' + QUOTES),
        ('__import__ = "os"', "no attribute '__import__' in the schema; there are " + ALL),
        ("ages == 25", "no attribute 'ages' in the schema; did you mean 'age'?"),
        ("colr == 'red'", "no attribute 'colr' in the schema; did you mean 'colour'?"),
        ("colour == 'rde'", "colour has no value 'rde'; did you mean 'red'?"),
        ("colour in ('red', 'x')", "colour has no value 'x'; there are 'red', 'green', \"blue's\", '1'"),
        ("colour > 'red'", "colour has no order; compare it with = or <>"),
        ("age > 'old'", "age > needs a number, got 'old'"),
        ("age > 1e999", "age > needs a number, got inf"),
        ("age >= 30", f"{EDGES}: 30 falls inside [25, 35); compare with an edge"),
        ("age == 30", f"{EDGES}: 30 falls inside [25, 35); compare with '[25, 35)'"),
        ("hours-per-week == 7", "hours-per-week has no value '7'; there are '-1', '0', '1', '2', '3', 'n/a'"),
        ("age >= 25 " * 1000, "a predicate has 9,999 characters, but at most 2,000 are allowed"),
        ("(" * 100 + "age >= 25" + ")" * 100, f"the predicate {'(' * 40!r}… nests more than 40 brackets or negations"),
        ("not " * 100 + "age >= 25", f"the predicate {'not ' * 10!r}… nests more than 40 brackets or negations"),
    ],
)
def test_a_predicate_that_cannot_be_read_is_refused(text, message):
    with pytest.raises(ValueError, match=exactly(message.format(text))):
        predicate(text)


def test_brackets_may_nest_forty_deep():
    assert (cells_of("(" * 40 + "age >= 25" + ")" * 40) == cells_of("age >= 25")).all()


def test_a_question_of_too_many_cells_is_refused_with_their_number():
    message = (
        "the predicate 'age < 25 or `smokes a lot` == 1' reads the marginal age × smokes a lot of 10 cells, "
        "but at most 9 fit in memory: name fewer attributes"
    )
    with pytest.raises(ValueError, match=exactly(message)):
        parse_question("age < 25 or `smokes a lot` == 1", PEOPLE, max_cells=9)


def test_scrambled_questions_are_read_or_refused_in_one_sentence():
    rng = np.random.default_rng(0)
    words = ["age", "colour", "(", ")", "and", "or", "not", "in", "==", ">=", "25", "'red'", ",", "`smokes a lot`", "1"]
    for _ in range(200):
        text = " ".join(rng.choice(words, size=rng.integers(1, 9)))
        with contextlib.suppress(ValueError):  # any other exception fails the test
            predicate(text)
