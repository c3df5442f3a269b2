"""The files of a release are a function of what was drawn: two neighbours that draw the same release the same bytes."""

import csv
import io

import numpy as np
import pytest
from oracles import Following, Recording, neighbours, random_records
from releases import files_of, manifest_of, page_of, random_release, released, terms_of
from workloads import MIXED, YES_NO

from mwem_core import Domain, Seeded
from mwem_core.automatic import run_in_words
from mwem_core.intervals import intervals
from mwem_core.privacy import Unit
from mwem_core.release.bundle import bundle, rows_to_make
from mwem_core.release.words import INTERVALS, NOISE, STATEMENT, guarantee_in_words, mechanism_in_words
from mwem_core.systems import METHODS, SYSTEMS

FILES = {
    "rows.csv",
    "measurements.json",
    "model.json",
    "schema.toml",
    "intervals.csv",
    "manifest.json",
    "report.html",
    "quality.html",
    "datapackage.json",
    "croissant.json",
    "sdmetrics.json",
}
CASES = [
    ("marginals:2", MIXED, {"epsilon": 1.0}),
    ("marginals:2", MIXED, {"epsilon": 0.05}),
    ("marginals:3", MIXED, {"epsilon": 0.5, "delta": 1e-6}),
    ("parities:2", YES_NO, {"epsilon": 0.3, "unit": Unit("who", 3)}),
    ("ranges:age,hours:20", MIXED, {"epsilon": 1.0, "delta": 1e-6}),
    ("where:age >= 25; smoker == 1", MIXED, {"epsilon": 1.0}),
    ("marginals:2", MIXED, {"epsilon": 1.0, "rows": "analysis"}),
]


def differing_bytes(ours: dict[str, bytes], theirs: dict[str, bytes]) -> list[tuple[str, int]]:
    """Every byte that differs, as (file, position); a file that is longer or missing differs in all that is over."""
    return [
        (name, i)
        for name in sorted(ours.keys() | theirs.keys())
        for i in range(max(len(ours.get(name, b"")), len(theirs.get(name, b""))))
        if ours.get(name, b"")[i : i + 1] != theirs.get(name, b"")[i : i + 1]
    ]


@pytest.mark.parametrize(("spec", "domain", "settings"), CASES)
def test_no_byte_differs_between_neighbours_but_through_noisy_values(spec, domain, settings):
    """One record more, and one fewer: other counts, and another n. The neighbours get the draws of B."""
    terms = terms_of(spec, domain, **settings)
    B = random_records(domain, 300, np.random.default_rng(0))
    recorded = Recording(Seeded(0))
    ours = bundle(released(terms, B, recorded), np.random.default_rng(1))
    assert ours.keys() - {"rows.plain.csv"} == FILES
    for neighbour in neighbours(B, np.random.default_rng(2)):
        assert neighbour.total != B.total
        theirs = bundle(released(terms, neighbour, Following(recorded.draws)), np.random.default_rng(1))
        assert differing_bytes(ours, theirs) == []


def test_other_draws_change_no_fact_that_is_public():
    """What differs between two runs on one table is noisy. The schema and all that was declared are the same."""
    first, second = (files_of(seed=seed) for seed in (0, 1))
    differing = {name for name, _ in differing_bytes(first, second)}
    assert differing == {*FILES, "rows.plain.csv"} - {"schema.toml", "sdmetrics.json"}
    ours, theirs = (manifest_of(seed=seed) for seed in (0, 1))
    noisy = {"total", "settings", "rounds", "mechanism", "spent", "method", "ran", "files", "digest"}
    assert {key for key in ours if ours[key] != theirs[key]} <= noisy


def test_the_manifest_says_what_was_promised_and_what_was_public():
    terms = {"epsilon": 0.5, "delta": 1e-6, "unit": Unit("who"), "total": "public"}
    said = manifest_of(**terms)
    assert said["neighbours"] == Unit("who").neighbours
    assert (said["epsilon"], said["delta"]) in [(0.5, 0.0), (0.5, 1e-6)]
    assert "replacing one person" in said["number_of_records"]
    assert {fact["fact"]: fact["from"] for fact in said["public"]}["attributes and their values"].endswith("declared")
    assert "number of records" in {fact["fact"] for fact in said["public"]}
    assert len(said["not_covered"]) == 8
    assert "4ρ, which is ε = " in said["number_of_records"]
    assert Domain.from_toml(page_of("schema.toml", **terms)) == MIXED


def test_the_manifest_has_every_fact_under_its_name():
    terms = {"epsilon": 0.5, "total": "public"}
    found, said = random_release(**terms), manifest_of(**terms)
    ledger = found.rounds[-1].ledger
    assert list(said) == [
        *("statement", "dataset", "guarantee", "epsilon", "delta", "neighbours", "number_of_records"),
        *("numbers_within_bins", "method", "mechanism", "rows_for", "noise", "public", "not_covered"),
        *("spent", "intervals", "system", "ran"),
        *("rounds", "total", "workload", "queries"),
        *("domain_size", "algorithm", "settings", "offsets", "versions", "format", "files", "digest"),
    ]
    assert (said["statement"], said["noise"], said["intervals"]) == (STATEMENT, NOISE, INTERVALS)
    assert said["dataset"] == "people"
    assert said["guarantee"] == guarantee_in_words(found.promise)
    assert "2ε = 1." in said["number_of_records"]
    assert said["mechanism"] == mechanism_in_words(found.chosen)
    assert said["spent"] == {
        "charged": "ε = 0.5",
        "unit": "ε",
        "of_a_record": 0.5,
        **{purpose: pytest.approx(getattr(ledger, purpose)) for purpose in ("start", "select", "measure")},
    }
    assert (said["workload"], said["queries"], said["rounds"]) == ("marginals:2", 71, found.rounds[-1].index)
    assert (said["domain_size"], said["algorithm"]) == (str(MIXED.size), "Planned")
    assert said["settings"]["plan"] == found.chosen.plan


def test_what_was_spent_is_that_of_all_rounds():
    task = "ranges:age,hours,smoker:12"
    spent = manifest_of(task)["spent"]
    assert len(random_release(task).rounds) > 2
    assert spent["select"] > 0
    assert spent["start"] + spent["select"] + spent["measure"] == pytest.approx(1.0)


def test_every_answer_has_its_interval_in_the_file():
    found, lines = random_release(), list(csv.DictReader(io.StringIO(page_of("intervals.csv"))))
    terms, expected = found.terms, intervals(found.terms.workload, found.chosen, found.rounds)
    assert list(lines[0]) == ["query", "answer", "low", "high", "holds"]
    assert [line["query"] for line in lines] == [terms.workload.query(j)[2] for j in range(terms.workload.size)]
    answers = found.run.model.answers(terms.workload)
    assert [float(line["answer"]) for line in lines] == pytest.approx(answers, abs=0.05 + 1e-9)
    assert {len(line["answer"].partition(".")[2]) for line in lines} == {1}  # a tenth of a record, no false precision
    assert all(
        int(line["low"]) <= float(line["answer"]) <= int(line["high"])
        for line, answer, low, high in zip(lines, answers, expected.low, expected.high, strict=True)
        if low <= answer <= high
    )
    assert [int(line["low"]) for line in lines] == expected.low.tolist()
    assert [int(line["high"]) for line in lines] == expected.high.tolist()
    assert {line["holds"] for line in lines} <= {"95%", "at least 95%"}


@pytest.mark.parametrize(("total", "rows"), [(0.2, 1), (1.0, 1), (17.6, 18), (10**9, 10**6)])
def test_the_number_of_rows_follows_the_released_total(total, rows):
    assert rows_to_make(total) == rows


def test_a_schema_that_only_the_data_knows_is_refused():
    with pytest.raises(ValueError, match=r"^The schema was proposed from the data"):
        terms_of(provenance="proposed")


@pytest.mark.parametrize("name", METHODS)
def test_manifest_report_and_quality_name_the_method_that_ran_and_what_it_did(name):
    found, said = random_release(system=name), manifest_of(system=name)
    Q, n = found.terms.workload, found.rounds[0].model.total
    ran = run_in_words(found.chosen, Q, n)
    assert (said["system"], said["ran"], said["method"]) == (name, ran, f"{SYSTEMS[name].title}, {ran}")
    assert all(said["method"] in page_of(page, system=name) for page in ("report.html", "quality.html"))
    assert found.chosen == SYSTEMS[name].settings(Q, n=n, epsilon=found.chosen.epsilon, delta=0.0, noisy_n=True)
