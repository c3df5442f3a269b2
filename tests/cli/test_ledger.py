"""`mwem ledger` shows what each data set has spent, what is left, and its history."""

import re
from fractions import Fraction

import pytest

from mwem_core.__main__ import main
from mwem_core.accounts import LedgerFile
from mwem_core.privacy import Amount, Cap
from mwem_core.release import cap_in_words


@pytest.fixture
def ledger(tmp_path) -> str:
    """Two data sets: one with a cap and releases in every state, one without a cap."""
    book = LedgerFile(tmp_path / "ledger.sqlite")
    for amount, last in ((Amount.of(1), "settled"), (Amount.of(1, 1e-9), "drawing"), (Amount.of(0.5), "withdrawn")):
        with book.reserve("census 2026", "digest", amount, cap=Cap.of(3), note="marginals:2") as reservation:
            if last != "withdrawn":
                reservation.begin_drawing()
            if last == "settled":
                reservation.settle()
    book.reserve("a poll", "another", Amount.of(0.1), person="household")
    return str(tmp_path / "ledger.sqlite")


def lines(capsys, *words: str) -> list[str]:
    assert main(["ledger", *words]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return [re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "TIME", line) for line in out.splitlines()]


def test_the_text_shows_spent_left_and_history(ledger, capsys):
    assert lines(capsys, "--ledger", ledger) == [
        "census 2026 (protects a record)",
        "  spent  ε = 2 at δ = 1e-09, of a cap of ε = 3 at δ = 1e-09",
        "  left   ε = 1, or ε = 1.698 at δ = 1e-09, in one more release",
        f"  cap    {cap_in_words(Cap.of(3))}",
        "     1  TIME  ε = 1           settled  marginals:2",
        "     2  TIME  ρ = 0.0149731   not settled: counts in full  marginals:2",
        "     3  TIME  ε = 0.5         withdrawn: does not count  marginals:2",
        "",
        "a poll (protects a person, named by column 'household')",
        "  spent  ε = 0.1; no cap is set",
        "     4  TIME  ε = 0.1         reserved: counts until it is withdrawn",
    ]


def test_one_data_set_by_name(ledger, capsys):
    assert lines(capsys, "--ledger", ledger, "--name", "a poll")[0].startswith("a poll")
    assert main(["ledger", "--ledger", ledger, "--name", "no poll"]) == 2
    assert capsys.readouterr().err == ("mwem: the ledger has no data set of this name: leave the name out to see all\n")


def test_a_release_that_drew_nothing_is_withdrawn_by_its_number(ledger, capsys):
    assert lines(capsys, "--ledger", ledger, "--withdraw", "4")[-3:] == [
        "a poll (protects a person, named by column 'household')",
        "  spent  ε = 0; no cap is set",
        "     4  TIME  ε = 0.1         withdrawn: does not count",
    ]


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        ("1", "release 1 has ended, so it counts in full"),
        ("2", "release 2 has begun to draw noise, so it counts in full"),
        ("3", "release 3 was withdrawn before it drew any noise, so nothing is spent: release again"),
        ("5", "the ledger has no release 5: its history shows the number of each release"),
        ("all", "withdraw must be a whole number from 1 up, got 'all'"),
    ],
)
def test_any_other_withdrawal_is_refused_in_one_sentence(ledger, capsys, number, sentence):
    before = LedgerFile(ledger).accounts()
    assert main(["ledger", "--ledger", ledger, "--withdraw", number]) == 2
    assert capsys.readouterr() == ("", f"mwem: {sentence}\n")
    assert LedgerFile(ledger).accounts() == before


def test_a_total_without_an_epsilon_is_shown_as_infinite(tmp_path, capsys):
    path = str(tmp_path / "ledger.sqlite")
    LedgerFile(path).reserve("census", "digest", Amount(Fraction(10**9), "ρ"))
    assert "  spent  ε = ∞ at δ = 1e-09; no cap is set" in lines(capsys, "--ledger", path)


def test_an_empty_ledger_and_none(tmp_path, capsys):
    path = str(tmp_path / "ledger.sqlite")
    assert main(["ledger", "--ledger", path]) == 2
    assert capsys.readouterr().err == "mwem: there is no ledger at this place: the first release makes one\n"
    LedgerFile(path)
    assert lines(capsys, "--ledger", path) == ["The ledger has no releases."]


def test_of_many_small_releases_it_says_that_they_cost_less_than_their_sum(tmp_path, capsys):
    book = LedgerFile(tmp_path / "small.sqlite")
    for _ in range(40):
        book.reserve("many", "digest", Amount.of(0.05), cap=Cap.of(3)).begin_drawing()
    spent = lines(capsys, "--ledger", str(tmp_path / "small.sqlite"))[1]
    least = r"  spent  ε = 1\.88\d* at δ = 1e-09, where the sum is ε = 2, of a cap of ε = 3 at δ = 1e-09"
    assert re.fullmatch(least, spent)
