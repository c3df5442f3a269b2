import pytest
from attributes import AGE, COLOUR, HOURS
from messages import exactly

from mwem_core.domain import Attribute, Domain
from mwem_core.values import BITS

DOMAIN = Domain((AGE, HOURS, COLOUR))


def test_the_size_is_the_product_of_the_attributes_sizes():
    assert (len(DOMAIN), DOMAIN.shape, DOMAIN.size) == (3, (5, 3, 4), 60)


def test_a_domain_of_a_thousand_bits_has_an_exact_size():
    domain = Domain(tuple(Attribute(f"b{i}", BITS) for i in range(1000)))
    assert domain.size == domain.cells(range(1000)) == 2**1000


def test_an_attribute_set_is_sorted_in_any_order_of_names():
    assert DOMAIN.attrs("colour", "age") == DOMAIN.attrs("age", "colour", "age") == (0, 2)
    assert DOMAIN.sizes((0, 2)) == (5, 4)
    assert DOMAIN.cells((0, 2)) == 20
    assert DOMAIN.label((0, 2)) == "age × colour"


def test_the_empty_attribute_set_has_one_cell_the_total():
    assert (DOMAIN.attrs(), DOMAIN.sizes(()), DOMAIN.cells(()), DOMAIN.label(())) == ((), (), 1, "total")


def test_projection_keeps_the_order_of_the_domain():
    assert DOMAIN.project(["colour", "age"]) == Domain((AGE, COLOUR))


def test_an_unknown_name_is_refused_with_similar_names():
    with pytest.raises(ValueError, match=exactly("no attribute 'color' in the schema; did you mean 'colour'?")):
        DOMAIN.attrs("color")
    with pytest.raises(
        ValueError, match=exactly("no attribute 'zip' in the schema; there are 'age', 'hours', 'colour'")
    ):
        DOMAIN.attrs("zip")


def test_two_attributes_of_one_name_are_refused():
    with pytest.raises(ValueError, match=exactly("the schema has two attributes named 'age'; rename or remove one")):
        Domain((AGE, HOURS, AGE))
