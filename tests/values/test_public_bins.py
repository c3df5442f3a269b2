"""Bins by a rule: round edges over a public range, equally wide or logarithmic, with a place for zero."""

import numpy as np
import pytest
from messages import exactly

from mwem_core.domain import Attribute, Domain
from mwem_core.forms import NumberStyle
from mwem_core.values import Codes, Edges, public_edges


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("17..90 equal", (10, 20, 30, 40, 50, 60, 70, 80, 90)),
        ("0..1 equal", (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)),
        ("-5..12 by 5", (-5, 0, 5, 10, 12)),
        ("0..100000 log from 100", (0, 1, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)),
        ("0.5..30 log", (0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30)),
        ("-100..-1 log", (-100, -70, -50, -30, -20, -15, -10, -7, -5, -3, -2, -1.5, -1)),
        ("-1000..1000 log", (-1000, -100, -10, -1, 0, 1, 10, 100, 1000)),
    ],
)
def test_rules_give_round_edges(text, edges):
    found = public_edges(text)
    if text.startswith("-1000"):  # eight bins of whole powers would be too few
        assert set(edges) < set(found)
        assert len(found) > 10
        assert [-x for x in found[: found.index(0)]] == [x for x in found[::-1] if x > 0]
    else:
        assert found == edges


@pytest.mark.parametrize("seed", range(30))
def test_edges_hold_the_range_and_increase(seed):
    rng = np.random.default_rng(seed)
    low, high = np.sort(rng.normal(size=2) * 10.0 ** rng.integers(-3, 9, size=2))
    for rule in ("equal", "log"):
        edges = Edges(public_edges(f"{low:.6g}..{high:.6g} {rule}")).edges
        assert edges[0] <= float(f"{low:.6g}")
        assert edges[-1] >= float(f"{high:.6g}")
        assert rule == "log" or 5 <= len(edges) <= 15


def test_zero_has_a_bin_for_itself_at_any_precision():
    for decimals in (0, 2):
        amount = Attribute("amount", Edges(public_edges("0..1000 log", decimals), NumberStyle(decimals)))
        assert set(amount.decode(np.zeros(100, int), np.random.default_rng(0))) == {0}
        assert amount.compare("==", 0).tolist()[:2] == [True, False]


def test_a_schema_takes_a_rule_for_edges_and_writes_the_edges():
    domain = Domain.from_toml('[[attribute]]\nname = "pay"\nedges = "0..1000 log"\ndecimals = 2\n')
    assert domain.attributes[0].value_set == Edges(public_edges("0..1000 log", 2), NumberStyle(2))
    assert Domain.from_toml(domain.to_toml()) == domain


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lots", "write bins as 17, 25, 90, or as 0..100 by 10, 0..100 equal or 0..100000 log; got 'lots'"),
        ("9..1 equal", "bins go from a lower to a higher number, got 9..1"),
        ("0..1 by 0", "the width of bins must be above 0, got 0"),
        ("0..1 by 1e-9", "that makes 1,000,000,000 bins, more than 10,000; make them wider"),
        ("0..9 log from 0", "a logarithmic scale starts above zero, got 0"),
    ],
)
def test_a_rule_that_cannot_be_read_is_refused(text, message):
    with pytest.raises(ValueError, match=exactly(message)):
        public_edges(text)


ICD = Attribute("icd", Codes(("A00", "A01.1", "B20", "B20.1", "C5"), 1), missing="?")


def test_codes_are_grouped_by_their_first_characters_and_come_back_as_listed_codes():
    assert ICD.labels == ("A", "B", "C", "?")
    assert ICD.encode(["A01.1", "B20", "C5", "?", "A", "A02"]).tolist() == [0, 1, 2, 3, -1, -1]
    codes = np.repeat(np.arange(4), 200)
    texts = ICD.decode(codes, np.random.default_rng(0))
    assert (ICD.encode(texts.tolist()) == codes).all()
    assert set(texts) == {"A00", "A01.1", "B20", "B20.1", "C5", "?"}
    assert Domain.from_toml(Domain((ICD,)).to_toml()).attributes == (ICD,)


def test_a_group_is_asked_for_by_its_first_characters():
    assert ICD.compare("==", "B").tolist() == [False, True, False, False]
    assert ICD.compare("==", "C5").tolist() == [False, False, True, False]
    message = "icd has groups by the first character: B20 falls inside B; compare with 'B'"
    with pytest.raises(ValueError, match=exactly(message)):
        ICD.compare("==", "B20")
    with pytest.raises(ValueError, match="icd has no order"):
        ICD.compare("<", "B")


def test_a_prefix_of_no_character_is_refused():
    with pytest.raises(ValueError, match=exactly("prefix must be a whole number of characters from 1 up, got 0")):
        Codes(("a", "b"), 0)
