"""The files of a release, made from what its rounds released and from public facts alone."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from mwem_core.encoding import count_in_words, rows_of_values
from mwem_core.output import (
    MAX_ROWS,
    croissant,
    data_package,
    decode,
    described,
    guarded_texts,
    intervals_csv,
    json_text,
    model_json,
    nearest_rows,
    rounded,
    rows_csv,
    sdmetrics_metadata,
    sealed,
    transcript,
)
from mwem_core.release.copies import Copies
from mwem_core.release.quality_page import quality_page
from mwem_core.release.released import Released
from mwem_core.release.report import report
from mwem_core.release.terms import ROWS_FOR
from mwem_core.release.words import (
    INTERVALS,
    NOISE,
    NOT_COVERED,
    STATEMENT,
    bins_in_words,
    guarantee_in_words,
    mechanism_in_words,
    method_in_words,
    public_facts,
    total_in_words,
)
from mwem_core.tables import POINT
from mwem_core.weighted import Model

PLAIN_ROWS = "rows.plain.csv"  # where rows.csv has an apostrophe before texts that a spreadsheet would run
COPIES = "copies.csv"
ASKED_ROWS = 1000

Bundle = dict[str, bytes]  # file name to content


def rows_to_make(total: float) -> int:
    """The number of synthetic rows, by a public rule: the released number of records, from 1 to a million."""
    return int(np.clip(round(total), 1, MAX_ROWS))


def bundle(released: Released, rng: np.random.Generator) -> Bundle:
    """The files: a function of the rounds, the terms, and `rng`, which draws the synthetic rows."""
    run, found, model = released.run, released.intervals(), released.run.model
    assert isinstance(model, Model)
    rows = nearest_rows(run.workload, model, rows_to_make(model.total), rng)
    written = rows_of_values(rows, decode(rows, copy.deepcopy(rng)))  # the values that the file will have
    decimal, texts = released.terms.decimal, guarded_texts(run.domain)
    copies = copies_of(released, rows.total, rng) if released.terms.copies else None
    plain = rows_csv(rows, copy.deepcopy(rng), decimal=decimal, plain=True)
    files = {
        "rows.csv": rows_csv(rows, rng, decimal=decimal),
        **({PLAIN_ROWS: plain} if texts else {}),
        "measurements.json": json_text(transcript(run)).encode(),
        "model.json": model_json(model),
        "schema.toml": run.domain.to_toml().encode(),
        "intervals.csv": intervals_csv(run.workload, model, found),
        **({COPIES: copies.content} if copies and copies.content else {}),
        "report.html": report(released, found, rows.total, copies).encode(),
        "quality.html": quality_page(
            released.terms.dataset, STATEMENT, released.rounds, written, method=method_in_words(released)
        ).encode(),
    }
    files |= described_for_others(released, files, copies.columns if copies else ())
    return files | {"manifest.json": json_text(sealed(manifest(released), files)).encode()}


def asked_files(released: Released, rng: np.random.Generator) -> Bundle:
    """The files that questions are asked of, with at most `ASKED_ROWS` rows: only frequent values are read off them."""
    run, model = released.run, released.run.model
    assert isinstance(model, Model)
    rows = rounded(run.domain, model, min(rows_to_make(model.total), ASKED_ROWS), rng)
    files = {
        "rows.csv": rows_csv(rows, rng, decimal=released.terms.decimal),
        "measurements.json": json_text(transcript(run)).encode(),
        "model.json": model_json(model),
        "schema.toml": run.domain.to_toml().encode(),
    }
    return files | {"manifest.json": json_text(sealed(manifest(released), files)).encode()}


def described_for_others(released: Released, files: Bundle, copied: Sequence[str]) -> Bundle:
    """The rows as a data package, Croissant and the metadata of SDMetrics describe them; `copied` are copies' columns.

    Croissant cannot say that semicolons separate, as they do beside decimal commas, and is then left out.
    """
    terms, domain = released.terms, released.run.domain
    rows = PLAIN_ROWS if PLAIN_ROWS in files else "rows.csv"  # the file whose texts are those of the schema
    tables = {name: files[name] for name in (rows, "intervals.csv", COPIES) if name in files}
    about = (terms.dataset, f"{STATEMENT} {guarantee_in_words(released.promise)}")
    return {
        "datapackage.json": data_package(*about, domain, tables, decimal=terms.decimal, copied=copied),
        **({"croissant.json": croissant(*about, domain, rows, files[rows])} if terms.decimal == POINT else {}),
        "sdmetrics.json": sdmetrics_metadata(domain),
    }


def copies_of(released: Released, rows: int, rng: np.random.Generator) -> Copies:
    """The copies that the terms ask for, of so many rows each, as far as a file can be so long."""
    terms, domain = released.terms, released.run.domain
    return Copies.of(released.known, domain, terms.copies, rows, rng, decimal=terms.decimal)


def manifest(released: Released) -> dict[str, Any]:
    """What was promised, what was public, what was spent, and what the guarantee does not cover."""
    terms, run, promise = released.terms, released.run, released.promise
    return {
        "statement": STATEMENT,
        "dataset": terms.dataset,
        "guarantee": guarantee_in_words(promise),
        "epsilon": promise.epsilon,
        "delta": promise.delta,
        "neighbours": terms.unit.neighbours,
        **({"unit": f"{terms.unit.column}:{terms.unit.records}"} if terms.unit.column else {}),
        **({"rows": count_in_words(terms.count_column)} if terms.count_column else {}),
        **({"decimal": terms.decimal} if terms.decimal != POINT else {}),
        "number_of_records": total_in_words(terms),
        **({"bins": bins_in_words(terms)} if terms.domain.unbinned else {}),
        "method": method_in_words(released),
        "mechanism": mechanism_in_words(released.chosen),
        "rows_for": ROWS_FOR[terms.rows],
        "noise": NOISE,
        "public": public_facts(terms),
        "not_covered": list(NOT_COVERED),
        "spent": spent(released),
        "intervals": INTERVALS,
        **described(run),
    }


def spent(released: Released) -> dict[str, Any]:
    """What was charged to the ledger, and what a record cost, in the budget's unit, by purpose."""
    ledger = released.rounds[-1].ledger
    return {
        "charged": str(released.terms.amount(released.settings)),
        "unit": ledger.budget.unit,
        "of_a_record": float(ledger.budget.amount),
        "start": float(ledger.start),
        "select": float(ledger.select),
        "measure": float(ledger.measure),
    }
