"""What a text or a file from outside holds is read, or refused by one sentence."""

import pytest
from app_pages import error_text, open_page
from fuzzing import TARGETS, check, inputs
from hypothesis import HealthCheck, Phase, given, settings

LONG = {"SAS", "Arrow"}  # a process reads each file


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
