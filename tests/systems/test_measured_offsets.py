"""Offsets of numbers in bins: what they cost, what their noise is, and what a release makes of them."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from releases import files_of, released, terms_of
from workloads import MIXED

from mwem_core import Attribute, Domain, MeasuredBins, Records, Seeded, parse_workload
from mwem_core.ask import load_files
from mwem_core.encoding import UNITS, attrs_in_bins, offset_sums
from mwem_core.forms import NumberStyle
from mwem_core.privacy import Unit
from mwem_core.release import bundle
from mwem_core.systems import OFFSETS_SHARE, MeasuredTotal
from mwem_core.values import Edges, Values

N = 4000
DOMAIN = Domain(
    (
        Attribute("age", Edges((18, 30, 45, 65, 100), NumberStyle())),
        Attribute("wage", Edges((0, 1, 1000, 2000, 5000), NumberStyle()), missing="-"),
        Attribute("sex", Values(("F", "M"))),
    )
)
NO_BINS = Domain((Attribute("a", Values(("x", "y"))), Attribute("b", Values(("x", "y", "z")))))


def people(n: int = N) -> Records:
    """Ages at the lower ends of their bins, round wages that one in five lacks; men have more."""
    rng = np.random.default_rng(0)
    sex = rng.random(n) < 0.5
    age = np.clip(18 + rng.gamma(2.0, 10.0, n).astype(int), 18, 100)
    wage = np.where(rng.random(n) < 0.2, 0, np.minimum(rng.choice([500, 1000, 1500, 2100], n) + 400 * sex, 5000))
    has = rng.random(n) < 0.8
    codes = (
        np.searchsorted([30, 45, 65], age, side="right"),
        np.where(has, np.searchsorted([1, 1000, 2000], wage, side="right"), 4),
        sex,
    )
    numbers = {"age": age.astype(float), "wage": np.where(has, wage, np.nan)}
    return Records(DOMAIN, tuple(code.astype(np.uint8) for code in codes), numbers=numbers)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("offsets", [0.02, 0.1])
def test_offsets_and_the_run_spend_the_whole_budget_and_no_more(delta, offsets):
    Q = parse_workload("marginals:2", DOMAIN)
    settings = MeasuredBins.of(
        lambda epsilon, delta: MeasuredTotal(epsilon=epsilon, delta=delta),
        epsilon=1.0,
        delta=delta,
        share=0.0,
        offsets=offsets,
    )
    rounds = list(settings.rounds(people(), Q, noise=Seeded(0)))
    whole = settings.guarantee.budget
    assert settings.for_bins.exact == 0
    assert settings.for_offsets.amount == pytest.approx(offsets * whole.amount)
    assert settings.for_offsets.exact + settings.inner.guarantee.budget.exact == whole.exact
    assert rounds[-1].ledger.exact <= whole.exact
    assert rounds[0].ledger.measure == pytest.approx(settings.for_offsets.amount)
    of_each = settings.for_offsets.part(Fraction(1, 2))
    assert [m.attrs for m in rounds[0].offsets] == [(0,), (1,)]
    assert [m.scale for m in rounds[0].offsets] == pytest.approx([of_each.scale / 2] * 2)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_noise_of_a_sum_has_the_scale_that_it_states(delta):
    """Of 300 runs: the mean square of 2,400 draws is within .25 of the variance, four standard deviations or more."""
    B, Q = people(300), parse_workload("marginals:1", DOMAIN)
    settings = terms_of(domain=DOMAIN, delta=delta, offsets_share=0.1).settings(B.total)
    exact = [offset_sums(B, a) / UNITS for a in (0, 1)]
    ratios = []
    for seed in range(300):
        first = next(settings.rounds(B, Q, noise=Seeded(seed)))
        for m, own in zip(first.offsets, exact, strict=True):
            ratios += ((m.value - own) ** 2 / first.ledger.budget.variance_at(m.scale)).tolist()
    assert np.mean(ratios) == pytest.approx(1, abs=0.25)


def test_a_release_without_numbers_in_bins_measures_no_offsets_and_is_what_it_was():
    terms = terms_of(domain=NO_BINS)
    assert terms.settings(100) == replace(terms, offsets_share=0.0).settings(100)
    assert "offsets" not in json.loads(files_of(domain=NO_BINS)["manifest.json"])


def test_a_schema_with_bins_has_the_default_share_and_its_manifest_says_so():
    manifest = json.loads(files_of()["manifest.json"])
    names = [MIXED.names[a] for a in attrs_in_bins(MIXED)]
    assert manifest["offsets"]["of"] == names == ["age", "hours"]
    assert manifest["offsets"]["share"] == OFFSETS_SHARE
    assert manifest["offsets"]["spent"]["amount"] == pytest.approx(OFFSETS_SHARE)
    assert manifest["numbers_within_bins"].startswith("2% of the budget measured how far numbers of age, hours are")
    for name, line in zip(names, json.loads(files_of()["measurements.json"])[0]["offsets"], strict=True):
        assert line["attributes"] == [name]
        assert np.array(line["measured"]) * UNITS == pytest.approx(np.rint(np.array(line["measured"]) * UNITS))


def test_persons_pay_for_all_of_their_records():
    one = terms_of(domain=DOMAIN).settings(N)
    of_three = terms_of(domain=DOMAIN, unit=Unit("id", 3)).settings(N)
    assert isinstance(one, MeasuredBins)
    assert isinstance(of_three, MeasuredBins)
    assert of_three.for_offsets.amount * 3 == pytest.approx(one.for_offsets.amount)


@pytest.mark.parametrize("rows_for", ["nearest", "analysis"])
def test_rows_and_answers_have_the_means_of_the_file_and_not_of_middles(rows_for):
    """Ages lie low in their bins and wages at round numbers: middles are off by 1.3 years, and by 90."""
    B = people()
    run = released(terms_of(domain=DOMAIN, epsilon=20.0, rows=rows_for), B, Seeded(0))
    release = load_files(bundle(run, np.random.default_rng(0)))
    header, *lines = bundle(run, np.random.default_rng(0))["rows.csv"].decode().splitlines()
    columns = dict(zip(header.split(","), zip(*(line.split(",") for line in lines), strict=True), strict=True))
    for name, tolerance in (("age", 0.25), ("wage", 15)):
        truth = np.nanmean(B.numbers[name])
        (answer,) = release.ask(f"select avg({name}) from release", of="table")
        rows = np.mean([float(x) for x in columns[name] if x != "-"])
        assert answer.low <= truth <= answer.high
        assert answer.value == pytest.approx(truth, abs=tolerance)
        assert rows == pytest.approx(truth, abs=tolerance)
        assert rows == pytest.approx(answer.value, abs=tolerance / 2)
