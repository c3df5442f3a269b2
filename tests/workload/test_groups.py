"""Groups of attributes: as text, and as the names alone propose them."""

import pytest

from mwem_core.workload import named_groups, proposed_groups

NAMES = ["health_1", "health_2", "work_a", "work_b", "age", "two words", "a.b", "a+b"]


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("health_*|work_*", [["health_1", "health_2"], ["work_a", "work_b"]]),
        (" age , health_2 | * ", [["health_2", "age"], NAMES]),
        ("two words | a.*", [["two words"], ["a.b"]]),
        ("a+*||", [["a+b"]]),
        ("*_*, age", [["health_1", "health_2", "work_a", "work_b", "age"]]),
    ],
)
def test_a_star_is_any_text_and_no_other_sign_means_anything(text, groups):
    assert named_groups(text, NAMES) == groups


def test_a_name_that_nobody_has_is_refused_with_a_hint():
    with pytest.raises(ValueError, match="no attribute is named 'helth_1'; did you mean 'health_1'"):
        named_groups("helth_1 | age", NAMES)
    with pytest.raises(ValueError, match="no group is named"):
        named_groups(" | ", NAMES)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (NAMES, "health* | work* | a.b, a+b"),  # age begins with an a too
        ([f"q{i}" for i in range(300)], ""),  # one group is none
        (["income", "sex"], ""),
        (["a,1", "a,2", "b_1", "b_2", "c_1", "c_2"], "b* | c*"),  # a comma parts names
    ],
)
def test_a_proposal_names_at_least_two_groups_and_is_read_as_what_it_says(names, text):
    assert proposed_groups(names) == text
    if text:
        groups = named_groups(text, names)
        assert all(len(group) > 1 for group in groups)
        assert sum(map(len, groups)) == len({name for group in groups for name in group})
