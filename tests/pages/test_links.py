"""A link whose settings a page cannot follow: each is named, with what is used instead."""

import pytest
from app_pages import checked, error_text, open_page

from mwem_app.compare import classifier_section as classifiers
from mwem_app.course import LESSON, PROJECTOR, SEED
from mwem_app.page import CHECKED_KEYS, unknown_settings
from mwem_app.session import state

pytestmark = pytest.mark.slow

CZECH = {"table": "Czech car workers"}
RANGES = {"table": "Adult, whole numbers", "ask": "Ranges"}
FEW = CZECH | {"systems": ["Laplace", "Uniform"], "seeds": "1", "epsilons": "0.5, 1", "Ts": "2, 3"}
WRONG = [  # page, its other settings, and settings that it has not: the value, and what is used instead
    ("run", {}, {"table": ("Nope", "Adult")}),
    ("run", {}, {"attributes": ("nope", "the usual choice"), "k": ("x", "2"), "up_to": ("maybe", "false")}),
    ("run", {}, {"k": ("1000", "2"), "ask_2": ("xyz", "Predicates"), "method": ("foo", "MWEM")}),
    ("run", {}, {"ask": ("xyz", "Marginals"), "follow": ("maybe", "false"), "truth": ("maybe", "true")}),
    ("run", RANGES, {"columns": ("nope", "the usual choice"), "which": ("Odd", "Random"), "across": ("nocolumn", "")}),
    ("run", RANGES, {"count": ("many", "2000"), "draw": ("-1", "0")}),
    ("run", {"ask_2": "Cuboids", "across": "sex"}, {"weight": ("heavy", "1.0"), "k_2": ("x", "2"), "down": ("no", "")}),
    ("compare", {}, {"systems": ("Nope", "the usual choice"), "seeds": ("0", "5")}),
    ("compare", CZECH, {"metric": ("Beauty", "Records off per count"), "one": ("Nope", "Automatic")}),
    ("trade_off", CZECH, {"stand_in": ("maybe", "false"), "unit": ("Nope", "Records")}),
    ("trade_off", CZECH | {"Ts": "rule, 3"}, {"at_T": ("T = 9", "T by rule"), "at_epsilon": ("ε = 99", "ε = 1")}),
    ("scale", {}, {"row": ("Nope", "Adult, pairs")}),
    ("paper", {}, {"experiment": ("Figure 99", "Figure 2")}),
]
# Any text may be typed there, and the setting has an error of its own.
TYPED = {"rounds", "delta", "seed", "epsilons", "Ts", "ranges", "where", "within", "groups"}
OF_UPLOADS = {"bins"}  # no bundled table has the setting; tests/pages/test_run.py tries it


def test_every_setting_with_choices_is_tried_here():
    """The parts of the questions have the same widgets; those of later ones are tried by two examples."""
    of_later_parts = {state.of_part(key, part) for key in (*state.QUESTION, "weight") for part in state.PARTS[1:]}
    assert {key for *_, wrong in WRONG for key in wrong} | TYPED | OF_UPLOADS | of_later_parts == set(CHECKED_KEYS)
    assert set(state.CARRIED_KEYS) - set(CHECKED_KEYS) == {"epsilon"}


@pytest.mark.parametrize(("page", "settings", "wrong"), WRONG)
def test_a_value_that_is_no_choice_is_named_with_what_is_used_instead(page, settings, wrong):
    app = open_page(page, **settings, **{key: value for key, (value, _) in wrong.items()})
    lines = error_text(app).split("  \n")
    for key, (value, instead) in wrong.items():
        (line,) = (line for line in lines if f"asks for {key} = " in line)
        assert line.startswith(f"the address asks for {key} = '{value}', which is no choice here: {instead}")
        assert line.endswith(" is used")
    assert len(lines) == len(wrong)


@pytest.mark.parametrize("page", ["run", "scale", "learn"])
def test_a_setting_that_no_page_has_is_named(page):
    assert error_text(open_page(page, epsilom="2")) == (
        "the address has 'epsilom', which is no setting of any page: it is ignored"
    )


@pytest.mark.parametrize(
    ("page", "key"), [("run", "embed"), ("learn", "projector"), ("learn", "room"), ("run", "systems")]
)
def test_settings_of_other_pages_and_of_streamlit_are_not_named(page, key):
    assert not any("of any page" in error.value for error in open_page(page, **{key: "true"}).error)


def test_a_refused_setting_and_an_unknown_one_have_a_line_each():
    first, second = error_text(open_page("run", table="Nope", epsilom="2", K="8")).split("  \n")
    assert "table = 'Nope'" in first
    assert second == "the address has 'epsilom' and 'K', which are no settings of any page: they are ignored"


def test_every_setting_that_is_written_to_an_address_is_known():
    assert not unknown_settings([LESSON, SEED, PROJECTOR, classifiers.TARGET, *state.CARRIED_KEYS])


def test_choices_that_exist_are_kept_beside_those_that_do_not():
    app = open_page("compare", **FEW | {"systems": ["MWEM", "Nope", "Best"]})
    assert error_text(app).endswith("systems = 'Nope' and 'Best', which are no choices here: the others are used")
    assert app.button_group(key="systems").value == ["mwem"]


def test_a_refused_value_is_named_until_its_setting_is_changed():
    app = open_page("run", table="Nope")
    assert "table = 'Nope'" in error_text(app)
    checked(app.selectbox(key="table").set_value("Czech car workers").run())
    assert not app.error


@pytest.mark.parametrize(
    ("page", "settings"),
    [
        ("run", {"table": "Adult", "method": "Automatic", "k": "2", "truth": "true", "up_to": "TRUE", "epsilon": "1"}),
        ("run", {"attributes": ["age", "sex"], "across": "age", "down": "sex", "seed": "7", "rounds": "1"}),
        ("run", {"seed": "", "ask": "Cuboids"}),
        ("compare", {"systems": ["MWEM", "AIM", "Laplace, cleaned", "Uniform"], "seeds": "5"}),
        ("trade_off", FEW | {"at_T": "T = 2"}),
    ],
)
def test_choices_of_the_page_are_not_refused_even_its_defaults(page, settings):
    assert not open_page(page, **settings).error
