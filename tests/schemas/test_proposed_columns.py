"""What is proposed for columns as people have them: one kind of column each."""

import re

import numpy as np
import pytest

from mwem_core.domain import Attribute, Domain
from mwem_core.encoding import encode, read_rows
from mwem_core.forms import NumberStyle, decimal_of
from mwem_core.output import rows_csv
from mwem_core.schemas import first_schema, propose, suggestions
from mwem_core.tables import read_table
from mwem_core.values import Codes, Edges, Range, Values

N = 120
RNG = np.random.default_rng(0)
SKEWED = 36.2 + RNG.gamma(1.2, 0.4, N)


def suggested(column, name="x"):
    """What is suggested for a column beside another, and the table."""
    lines = [f'{"FM"[i % 2]};"{text}"' for i, text in enumerate(column)]
    table = read_table("\n".join([f"sex;{name}", *lines]).encode(), delimiter=";", decimal=".")
    return suggestions(table)[name], table


def rows_of(attribute, table, m=1000):
    """Rows of the attribute, each code as often as any other, and codes read from them again."""
    codes = np.arange(m) % attribute.size
    texts = [str(value) for value in attribute.decode(codes, np.random.default_rng(0))]
    assert np.array_equal(attribute.encode(texts), codes), "what is drawn is read as it was"
    encode(table, Domain((attribute,)))  # the original fits
    return texts


@pytest.mark.parametrize(
    "column",
    [
        [f"{x:.2f}" for x in SKEWED],
        [f"{x - 155:.3f}" for x in SKEWED],
        [f"{x:.1f}" for x in 1013 + RNG.normal(0, 12, N)],
        [f"{x:.0f}" for x in 10**6 + RNG.gamma(1, 3, N) * 10**5],
        [f"{x:.3e}" for x in 10 ** RNG.uniform(-6, -1, N)],
    ],
    ids=["body temperature", "longitude", "air pressure", "offset", "decades"],
)
def test_bins_lie_where_the_numbers_are_and_none_has_more_than_half_of_them(column):
    found, table = suggested(column)
    edges = np.array(found.attribute.value_set.edges)
    numbers = np.array([float(text) for text in column])
    assert found.attribute.value_set.size >= 5
    assert np.histogram(numbers, edges)[0].max() <= N / 2
    drawn = np.array([float(text) for text in rows_of(found.attribute, table)])
    assert numbers.min() <= drawn.min()
    assert drawn.max() <= numbers.max()


FORMS = {
    "whole beside blanks": ([f"{x}.0" if x % 7 else "" for x in RNG.integers(30, 900, N)], r"\d+\.0|"),
    "cents": ([f"{x / 4:.2f}" for x in RNG.integers(0, 400, N)], r"\d+\.\d\d"),
    "a noisy cell": ([f"{x:.1f}" for x in RNG.uniform(0, 90, N)] + ["0.30000000000000004"], r"\d+(\.\d)?"),
    "dollars": ([f"${x:,.2f}" for x in RNG.uniform(500, 9000, N)], r"\$\d{1,3}(,\d{3})?\.\d\d"),
    "euros": ([f"{x:,.0f} €".replace(",", " ") for x in RNG.uniform(500, 90000, N)], r"\d{1,3}( \d{3})? €"),
    "percent": ([f"{x:.1f}%" for x in RNG.uniform(0, 90, N)], r"\d+\.\d%"),
    "accounting": (
        [f"{x:.2f}" if x > 0 else f"({-x:.2f})" for x in RNG.uniform(-9, 90, N)],
        r"\d+\.\d\d|\(\d+\.\d\d\)",
    ),
    "plus": ([f"{x:+.2f}" for x in RNG.uniform(-9, 90, N)], r"[-+]\d+\.\d\d"),
    "scientific": ([f"{x:.3e}" for x in 10 ** RNG.uniform(-6, -1, N)], r"\d\.\d{3}e-\d\d"),
    "lap": ([f"{x // 60:.0f}:{x % 60:06.3f}" for x in RNG.uniform(60, 150, N)], r"\d:[0-5]\d\.\d{3}"),
    "duration": ([f"{x // 60}:{x % 60:02}" for x in RNG.integers(300, 2400, N)], r"\d+:[0-5]\d"),
    "this minus": ([f"{x:.1f}".replace("-", "−") for x in RNG.normal(0, 20, N)], r"−?\d+\.\d"),
    "India": (
        [f"{x // 10**5},{x // 1000 % 100:02},{x % 1000:03}" for x in RNG.integers(10**6, 10**7, N)],
        r"\d\d,\d\d,\d{3}",
    ),
    "Persian": (["".join("۰۱۲۳۴۵۶۷۸۹"[int(d)] for d in str(x)) for x in RNG.integers(10**4, 10**5, N)], "[۰-۹]{5}"),
    "quarters": ([f"{x / 4:.2f}" for x in RNG.integers(0, 400, N)], r"\d+\.(00|25|50|75)"),
    "rounded": ([str(250 * x) for x in RNG.integers(4, 400, N)], r"\d+(00|50)"),
    "small": ([f"{x:.7f}" for x in 10 ** RNG.uniform(-6, -1, N)], r"0\.\d{7}"),
    "long duration": (
        [f"{x // 3600}:{x // 60 % 60:02}:{x % 60:02}" for x in RNG.integers(3600, 16000, N)],
        r"\d:\d\d:\d\d",
    ),
    "rounded, mostly zero": (
        [str(50 * int(x)) for x in RNG.lognormal(2.5, 1.2, N) * (RNG.random(N) < 0.4)],
        r"\d*[05]0|0",
    ),
    "signed quarters": ([f"{x / 4:+.2f}" for x in RNG.integers(-200, 200, N)], r"[-+]\d+\.(00|25|50|75)"),
}


@pytest.mark.parametrize(("column", "form"), FORMS.values(), ids=FORMS)
def test_numbers_come_back_in_the_form_and_with_the_decimals_of_the_column(column, form):
    found, table = suggested(column)
    assert isinstance(found.attribute.value_set, Edges)
    outside = [text for text in rows_of(found.attribute, table) if not re.fullmatch(form, text)]
    assert not outside, outside[:5]


def test_a_decimal_comma_is_told_by_numbers_with_units_and_rows_have_it_again():
    amounts = [f"{x:,.2f} €".translate(str.maketrans(",.", ".,")) for x in RNG.gamma(3, 1000, N)]
    table = read_table("\n".join(["sex;x", *(f"{'FM'[i % 2]};{text}" for i, text in enumerate(amounts))]).encode())
    domain = propose(table)
    assert domain.attributes[1].form == "0,000.00 €"
    rows = rows_csv(encode(table, domain), RNG, decimal=decimal_of(table)).decode().splitlines()[1:]
    assert all(re.fullmatch(r"[FM];\d{1,3}(\.\d{3})?,\d\d €", row) for row in rows)


AGES = [str(20 + i * 7 % 67) for i in range(N)]
ODD = {
    "refused": (["refused", "refused", "<5"], "has numbers, but for '<5' (1 row), 'refused' (2)"),
    "top code": (["90+"], "has numbers, but for '90+' (1 row)"),
    "footnote": (["55*"], "has numbers, but for '55*' (1 row)"),
    "sentinels": (["-9", "-8", "-9"], "has numbers, but for '-9' (2 rows), '-8' (1)"),
    "far": (["99999"], "has numbers, but for '99999' (1 row)"),
}


@pytest.mark.parametrize(("odd", "says"), ODD.values(), ids=ODD)
def test_a_few_odd_cells_keep_a_column_of_numbers_and_are_categories_or_missing(odd, says):
    found, table = suggested(AGES + odd)
    own, missing = found.choices["Own categories"], found.choices["Missing"]
    assert found.says == says
    assert (
        own == found.attribute == Attribute("x", Range(20, 86), special=tuple(sorted(set(odd), key=own.special.index)))
    )
    assert set(own.special) == set(missing.missing_texts) == set(odd)
    assert set(odd) <= set(rows_of(own, table))
    assert encode(table, Domain((missing,))).marginals([(0,)])[0][-1] == len(odd)


def test_marks_of_missing_are_missing_and_the_most_frequent_one_is_written():
    found, table = suggested([*AGES, "", "NULL", "NULL", "<NA>", "#DIV/0!"])
    assert found.attribute == Attribute("x", Range(20, 86), "NULL", also_missing=found.attribute.also_missing)
    assert set(found.attribute.missing_texts) == {"", "NULL", "<NA>", "#DIV/0!"}
    assert encode(table, Domain((found.attribute,))).marginals([(0,)])[0][-1] == 5


def test_whole_numbers_that_all_differ_are_numbers_but_for_those_that_count_or_name_rows():
    apart = [*map(str, {int(x) for x in 10 ** RNG.uniform(4, 8, N)})]
    assert isinstance(suggested(apart, "population")[0].attribute.value_set, Edges)
    for column, name in [(range(1000, 1000 + N), "x"), (apart, "customer_id"), (apart, "SEQN")]:
        found, _ = suggested(map(str, column), name)
        assert found.attribute is None
        assert found.says == "has a different whole number in every row: an identifier"
    found, _ = suggested([*apart, apart[0]], "customer_id")
    assert found.says == "has a different whole number in nearly every row: an identifier"


@pytest.mark.parametrize("name", ["zip", "ZipCode", "naics", "postal_code", "fips"])
def test_digits_that_are_codes_by_their_name_come_back_as_codes_that_occur(name):
    codes = [str(x) for x in RNG.integers(1000, 99999, 110)]
    for written, choices in ((codes, ["Codes", "Numbers"]), ([code.zfill(5) for code in codes], ["Codes"])):
        found, table = suggested([*written * 2, *written[:10]], name)
        assert isinstance(found.attribute.value_set, Values | Codes)
        assert list(found.choices) == choices
        assert set(rows_of(found.attribute, table)) <= set(written)


def test_digits_with_leading_zeros_are_codes_whatever_their_name_and_an_identifier_if_they_all_differ():
    codes = [f"{x:05}" for x in RNG.integers(0, 99999, 60)]
    found, table = suggested(codes * 2)
    assert set(rows_of(found.attribute, table)) == set(codes)
    assert suggested(codes)[0].attribute is None
    assert list(suggested(codes)[0].choices) == ["Leave out", "Codes"]


IDENTIFYING = {
    "phone": ([f"0{x}" for x in RNG.integers(10**8, 10**9, N - 1)], "an identifier, or codes that mostly occur once"),
    "patient code": ([f"P-{x:05}" for x in RNG.permutation(10**4)[: N - 1]], "an identifier"),
    "zip": ([str(x) for x in RNG.integers(10**4, 10**5, N - 1)], "an identifier, or codes that mostly occur once"),
    "email": ([f"person{x}@example.org" for x in RNG.permutation(10**4)[: N - 1]], "addresses, which name persons"),
    "hash": ([f"{x:016x}" for x in RNG.integers(2**62, 2**63, N - 1)], "an identifier"),
    "name": ([f"{a}na {b}ez" for a in "ABCDEFGHIJKL" for b in "KLMNOPQRST"][: N - 1], "names"),
    "pair": ([f"{100 + x}/{60 + x // 3}" for x in range(N - 1)], "pairs of numbers"),
    "list": ([f"{a};{b};{c}" for a in "uvwxyz" for b in "rst" for c in "klmnopq"][: N - 1], "several values"),
    "amount": ([f"{x} or more of {x + 1}" for x in RNG.permutation(10**4)[: N - 1]], "numbers with words"),
    "remark": ([f"was seen here by nurse {chr(65 + i)}" for i in range(8)], "remarks, which may tell of persons"),
    "batch": ([f"{x:06}" for x in RNG.integers(0, 10**6, N // 2 + 5)] * 2, "an identifier, or codes that mostly occur"),
    "two forms": (
        [f"2021-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(60)]
        + [f"{1 + i % 28:02}.05.{1960 + i}" for i in range(59)],
        "dates in two forms",
    ),
    "price": (
        [f"€ {x:,.2f}".translate(str.maketrans(",.", ".,")) for x in RNG.uniform(1000, 9000, N - 1)],
        "numbers with a decimal comma",
    ),
    "unit": ([f"{50 + x / 10:.1f} {'kg' if x % 2 else 'lb'}" for x in range(N - 1)], "numbers with several units"),
}


@pytest.mark.parametrize("name", IDENTIFYING)
@pytest.mark.parametrize("blanks", [0, N], ids=["filled", "beside blanks"])
def test_texts_of_which_most_rows_have_one_of_their_own_are_left_out_and_offered_whatever_they_are(name, blanks):
    texts, cause = IDENTIFYING[name]
    column = texts[: N // 2 + 5] + texts[: N // 2 - 5] if name == "batch" else [*texts, texts[0]]
    found, table = suggested([*column, *[""] * (blanks or 40 - len(column))], name)
    assert found.attribute is None
    assert f": {cause}" in found.says
    leave_out, kept, *_ = found.choices
    assert leave_out == "Leave out"
    assert not any(text in propose(table).to_toml() for text in texts)
    assert encode(table, Domain((found.choices[kept],))).total == table.num_rows, "who takes it gets it"


def test_a_category_whose_texts_mostly_occur_once_is_left_out_and_the_frequent_ones_are_offered():
    names = ["Smith"] * 60 + ["Jones"] * 50 + [f"O{chr(97 + i)}ra" for i in range(10)]
    found, table = suggested(names, "doctor")
    assert found.attribute is None
    assert "12 different texts in 120 rows, 10 of them once" in found.says
    frequent = found.choices["The 2 most frequent"]
    assert frequent.labels == ("Jones", "Smith", "other")
    assert encode(table, Domain((frequent,))).total == 120


def test_a_few_numbers_are_not_listed_where_rows_have_their_own():
    incomes = [f"{x:.2f}" for x in RNG.uniform(1000, 9000, 15)]
    found, _ = suggested([*incomes, *[""] * N])
    assert isinstance(found.attribute.value_set, Edges)
    assert isinstance(suggested([*incomes * 2, *[""] * N])[0].attribute.value_set, Values)


@pytest.mark.parametrize(
    ("column", "says"),
    [
        (
            [f"{1 + i % 28:02}-{1 + i % 12:02}-{i % 90 + 10}" for i in range(N)],
            "years of two digits are read as 1910 to",
        ),
        (
            [f"2021-0{1 + i % 7}-03T10:00:00{('+01:00', '+02:00')[i % 7 > 2]}" for i in range(N)],
            "clocks have the zone +01:00 in winter and +02:00 in",
        ),
        ([f"{i % 9:03}" for i in range(N)], "holds codes, as their leading zeros say"),
    ],
    ids=["years", "zones", "codes"],
)
def test_what_was_decided_is_said_also_where_there_is_no_choice(column, says):
    found, _ = suggested(column)
    assert says in found.says
    assert found.attribute is not None


def test_many_categories_with_several_rows_each_are_kept_whole_with_other_choices():
    countries = [f"Country {chr(65 + i % 26)}{chr(97 + i // 26)}" for i in range(110)] * 3
    found, table = suggested(countries)
    assert found.attribute.size == 110
    assert set(rows_of(found.attribute, table)) == set(countries)
    assert found.says == "has 110 values, 3 rows each on average: noise hides values with few rows"
    assert list(found.choices) == ["All 110", "The 50 most frequent", "Leave out"]
    assert found.choices["The 50 most frequent"].size == 51


@pytest.mark.parametrize(
    "ladder",
    [
        ["1-9", "10-49", "50-249", "250+"],
        ["<5", "5-9", "10 or more"],
        ["under 18", "18-64", "65 and over"],
        ["$0-9,999", "$10,000-19,999", "$20,000+"],
        ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"],
        ["never", "rarely", "sometimes", "often", "always"],
        ["Jan", "Feb", "Mar", "Apr"],
        ["S", "M", "L", "XL"],
        ["Under $10k", "$10k-$20k", "Over $20k"],
        ["Week 1", "Week 2", "Week 10"],
        ["Less than high school", "High school", "Bachelor's", "PhD"],
        ["Mild", "Moderate", "Severe", "Critical"],
        ["Primary", "Lower secondary", "Upper secondary", "Bachelor", "Master", "Doctorate"],
        ["Q4 2019", "Q1 2020", "Q2 2020"],
        ["A+", "A", "B-", "F"],
        ["Disagree", "Agree", "Don't know"],
        ["stimme nicht zu", "teils/teils", "stimme voll zu", "keine Angabe"],
    ],
    ids=lambda ladder: ladder[0],
)
def test_texts_with_an_order_keep_it(ladder):
    assert suggested(list(reversed(ladder)) * 5)[0].attribute == Attribute("x", Values(tuple(ladder)))


def test_a_column_that_fails_takes_no_other_along():
    column = [str(10**16 + i * 7919) for i in range(N)]
    table = read_table("\n".join(["a,b", *(f"{i % 5},{x}" for i, x in enumerate(column))]).encode())
    found = suggestions(table)
    assert found["a"].attribute == Attribute("a", Range(0, 4))
    assert found["b"].attribute is None
    assert "10^15" in found["b"].says


def test_a_schema_with_forms_and_special_values_is_read_as_it_was_written():
    attribute = Attribute("x", Edges((0, 5, 10), NumberStyle(2, form="$0.00")), "", True, ("refused", "<5"), ("NULL",))
    domain = Domain((attribute, Attribute("y", Range(0, 9), special=("99",))))
    assert Domain.from_toml(domain.to_toml()) == domain
    assert attribute.labels == ("[0, 5)", "[5, 10]", "refused", "<5", "", "other")


LISTS = [("Go;R" if i % 3 else "C++;R;Stata") for i in range(N - 4)] + ["", "Go", "R", "C++;Go"]
PAIRS = [f"{100 + i % 60}/{60 + i % 37}" for i in range(N)]


@pytest.mark.parametrize(
    ("cells", "parts"),
    [
        (LISTS, {f"x: {tool}": [tool in cell.split(";") for cell in LISTS] for tool in ("C++", "Go", "R", "Stata")}),
        (PAIRS, {f"x: number {i + 1}": [int(cell.split("/")[i]) for cell in PAIRS] for i in (0, 1)}),
    ],
    ids=["list", "pair"],
)
def test_each_value_of_a_cell_may_be_an_attribute_of_its_own(cells, parts):
    """What the attributes say of a row is what its cell says: the truth is taken from the cells alone."""
    _, table = suggested(cells)
    domain = first_schema(table, choices={"x": "Each by itself"}).domain
    assert domain.names == ("sex", *parts)
    assert Domain.from_toml(domain.to_toml()) == domain
    rows = read_rows(table, domain)
    for name, values in parts.items():
        expected = [np.nan if cell == "" else float(value) for cell, value in zip(cells, values, strict=True)]
        np.testing.assert_array_equal(rows.numbers[name], expected, err_msg=name)
    (other,) = Domain.from_toml('[[attribute]]\nname = "x: net"\nrange = [0, 9]').attributes
    with pytest.raises(ValueError, match="the table has no column 'x: net'"):
        encode(table, Domain((other,)))
