import numpy as np
import pytest
from messages import exactly

from mwem_core.domain import Attribute, Domain, Records, are_possible, broken_in_words
from mwem_core.values import Edges, Values

AGE = Attribute("age", Edges((0, 15, 30, 90)))
STATUS = Attribute("marital status", Values(("Single", "Married")), missing="?")
SEX = Attribute("sex", Values(("F", "M")))
CHILD = "age < 15 and `marital status` == 'Married'"
DOMAIN = Domain((AGE, STATUS, SEX), (CHILD, "sex == 'M' and age >= 30"))


def test_rules_read_back_as_they_were_written():
    assert Domain.from_toml(DOMAIN.to_toml()) == DOMAIN
    assert '[rules]\nnever = ["age < 15 and' in DOMAIN.to_toml()


def test_a_schema_without_rules_is_written_as_before():
    assert "rules" not in Domain((AGE, STATUS)).to_toml()
    assert Domain((AGE, STATUS)).possible == {}


def test_the_possible_cells_are_those_that_break_no_rule():
    assert DOMAIN.possible.keys() == {(0, 1), (0, 2)}
    assert DOMAIN.possible[0, 1].tolist() == [[True, False, True], [True, True, True], [True, True, True]]
    assert DOMAIN.possible[0, 2].tolist() == [[True, True], [True, True], [True, False]]


def test_rules_on_the_same_attributes_share_a_table():
    domain = Domain((AGE, SEX), ("age < 15 and sex == 'F'", "age >= 30 and sex == 'M'"))
    assert domain.possible[0, 1].tolist() == [[False, True], [True, True], [True, False]]


def test_a_projection_keeps_the_rules_whose_attributes_all_stay():
    assert DOMAIN.project(["age", "marital status"]) == Domain((AGE, STATUS), (CHILD,))
    assert DOMAIN.project(["marital status", "sex"]).never == ()


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (
            "never = ['age < 18 and sex == \"F\"']",
            "rule 1 of the schema: age has edges at 0, 15, 30, 90: 18 falls inside [15, 30); compare with an edge",
        ),
        ("never = ['age < 15', 'agee < 15']", "rule 2 of the schema: no attribute 'agee' in the schema; did you mean"),
        ("never = ['sex == \"X\"']", "rule 1 of the schema: sex has no value 'X'; there are 'F', 'M'"),
        ("never = ['']", "rule 1 of the schema: a predicate is empty"),
        ("never = ['age < 30 or age >= 30']", "holds for every record, so none is possible"),
        ("never = 'age < 15'", "never must be a list of texts in quotes, as in never = ["),
        ("never = [15]", "never must be a list of texts in quotes, as in never = ["),
        ("always = []", "[rules] has an unknown key 'always'; it holds never = [...] only"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused_in_one_sentence(rules, sentence):
    with pytest.raises(ValueError, match=r"rule|never") as error:
        Domain.from_toml(f"{Domain((AGE, SEX)).to_toml()}\n[rules]\n{rules}\n")
    assert sentence in str(error.value)


def test_a_rule_about_bins_that_are_yet_to_be_measured_is_refused_and_one_about_others_is_kept():
    hours = 'name = "hours"\nrange = [0, 80]\nmeasured_bins = 4'
    schema = f"{Domain((AGE, SEX)).to_toml()}\n[[attribute]]\n{hours}\n[rules]\nnever = "
    with pytest.raises(ValueError, match="rule 1 of the schema: hours has 4 bins that the run measures"):
        Domain.from_toml(schema + "['age < 15 and hours >= 40']")
    domain = Domain.from_toml(schema + "['age < 15 and sex == \"F\"']")
    assert domain.binned({"hours": Edges((0, 20, 80))}).never == domain.never


def test_rules_outside_of_their_table_are_refused():
    with pytest.raises(
        ValueError, match=exactly('rules are declared in a table: write [rules], and below it never = ["..."]')
    ):
        Domain.from_toml(f'rules = ["age < 15"]\n{Domain((AGE, SEX)).to_toml()}')


def test_records_that_break_a_rule_are_counted_by_rule():
    codes = tuple(np.array(column, np.uint8) for column in ([0, 0, 2, 2, 2], [1, 0, 0, 1, 1], [0, 1, 1, 1, 0]))
    B = Records(DOMAIN, codes, np.array([3, 1, 1, 1, 1]))
    assert are_possible(codes, DOMAIN.possible).tolist() == [False, True, False, False, True]
    assert B.broken == (3, 2)
    assert broken_in_words((3, 0, 2)) == "3 rules; records break rule 1 (3), rule 3 (2); not private."
    assert broken_in_words((0,)) == "1 rule, and no record breaks one; not private."
    assert broken_in_words(()) == ""


def test_a_record_that_breaks_a_rule_counts_as_the_possible_one_of_fewest_changes():
    """By listing all records: the fewest attributes changed; and the total and all other records stay."""
    rng = np.random.default_rng(0)
    domain = Domain(
        (AGE, STATUS, SEX, Attribute("x", Values(("a", "b", "c")))),
        (CHILD, "sex == 'M' and age >= 30", "x == 'a' and sex == 'F' or x != 'b' and `marital status` == '?'"),
    )
    codes = tuple(rng.integers(size, size=300).astype(np.uint8) for size in domain.shape)
    before, B = np.array(codes), Records(domain, codes)
    after, kept = np.array(B.codes), are_possible(codes, domain.possible)
    every = np.indices(domain.shape).reshape(4, -1)
    every = every[:, are_possible(list(every), domain.possible)]
    fewest = (every[:, None, :] != before[:, :, None]).sum(axis=0).min(axis=1)
    assert B.total == 300
    assert 0 < kept.sum() < 300
    assert are_possible(B.codes, domain.possible).all()
    assert (after[:, kept] == before[:, kept]).all()
    assert ((after != before).sum(axis=0) == fewest).all()
    assert Records(domain, B.codes).broken == (0, 0, 0)


def test_a_change_is_made_late_in_the_schema_and_to_the_nearest_value():
    domain = Domain((SEX, AGE), ("sex == 'M' and age >= 30",))
    assert [column.tolist() for column in Records(domain, (np.array([1]), np.array([2]))).codes] == [[1], [1]]
