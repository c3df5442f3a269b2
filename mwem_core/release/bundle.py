"""The files of a release, made from what its rounds released and from public facts alone, and their folder."""

from __future__ import annotations

import copy
import os
import secrets
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile, mkdtemp
from typing import Any

import numpy as np

from mwem_core.encoding import count_of, rows_of_values
from mwem_core.forms import POINT
from mwem_core.output import (
    MAX_ROWS,
    croissant,
    data_package,
    decode,
    has_plain_rows,
    intervals_csv,
    json_text,
    model_json,
    nearest_rows,
    round_rows,
    rows_csv,
    run_facts,
    sdmetrics_metadata,
    seal,
    transcript,
)
from mwem_core.release.quality_pages import quality_page
from mwem_core.release.release_run import Copies, ReleaseRun
from mwem_core.release.report import report
from mwem_core.release.terms import ROWS_FOR
from mwem_core.release.words import (
    COPIES,
    INTERVALS,
    NOISE,
    NOT_COVERED,
    PLAIN_ROWS,
    STATEMENT,
    bins_in_words,
    guarantee_in_words,
    mechanism_in_words,
    method_in_words,
    offsets_in_words,
    public_facts,
    total_in_words,
)
from mwem_core.weighted import Model

ASKED_ROWS = 1000

Bundle = dict[str, bytes]  # file name to content


def rows_to_make(total: float) -> int:
    """The number of synthetic rows, by a public rule: the released number of records, from 1 to a million."""
    return int(np.clip(round(total), 1, MAX_ROWS))


def bundle(released: ReleaseRun, rng: np.random.Generator) -> Bundle:
    """The files: a function of the rounds, the terms, and `rng`, which draws the synthetic rows."""
    run, found, model = released.run, released.intervals(), released.run.model
    assert isinstance(model, Model)
    rows = nearest_rows(run.workload, model, rows_to_make(model.total), rng)
    written = rows_of_values(rows, decode(rows, copy.deepcopy(rng)))  # the values that the file will have
    m = released.terms.copies
    copies = Copies.of(released.known, run.domain, m, rows.total, rng) if m else None
    decimal, plain = released.terms.decimal, partial(rows_csv, rows, copy.deepcopy(rng), plain=True)
    files = {
        "rows.csv": rows_csv(rows, rng, decimal=decimal),
        **({PLAIN_ROWS: plain()} if has_plain_rows(run.domain, decimal) else {}),
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
    return files | {"manifest.json": json_text(seal(manifest(released), files)).encode()}


def asked_files(released: ReleaseRun, rng: np.random.Generator) -> Bundle:
    """The files that questions are asked of, with at most `ASKED_ROWS` rows: only frequent values are read off them."""
    run, model = released.run, released.run.model
    assert isinstance(model, Model)
    rows = round_rows(run.domain, model, min(rows_to_make(model.total), ASKED_ROWS), rng)
    files = {
        "rows.csv": rows_csv(rows, rng, decimal=released.terms.decimal),
        "measurements.json": json_text(transcript(run)).encode(),
        "model.json": model_json(model),
        "schema.toml": run.domain.to_toml().encode(),
    }
    return files | {"manifest.json": json_text(seal(manifest(released), files)).encode()}


def described_for_others(released: ReleaseRun, files: Bundle, copied: Sequence[str]) -> Bundle:
    """Plain rows as a data package, Croissant and SDMetrics' metadata describe them; `copied` are copies' columns."""
    domain = released.run.domain
    rows = PLAIN_ROWS if PLAIN_ROWS in files else "rows.csv"
    tables = {name: files[name] for name in (rows, "intervals.csv", COPIES) if name in files}
    about = (released.terms.dataset, f"{STATEMENT} {guarantee_in_words(released.promise)}")
    return {
        "datapackage.json": data_package(*about, domain, tables, copied),
        "croissant.json": croissant(*about, domain, rows, files[rows]),
        "sdmetrics.json": sdmetrics_metadata(domain),
    }


def manifest(released: ReleaseRun) -> dict[str, Any]:
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
        **({"rows": count_of(terms.count_column)} if terms.count_column else {}),
        **({"decimal": terms.decimal} if terms.decimal != POINT else {}),
        "number_of_records": total_in_words(terms),
        **({"bins": bins_in_words(terms)} if terms.domain.unbinned else {}),
        **({"numbers_within_bins": offsets_in_words(terms)} if terms.offsets else {}),
        "method": method_in_words(released),
        "mechanism": mechanism_in_words(released.chosen),
        "rows_for": ROWS_FOR[terms.rows],
        "noise": NOISE,
        "public": public_facts(terms),
        "not_covered": list(NOT_COVERED),
        "spent": costs(released),
        "intervals": INTERVALS,
        **run_facts(run),
    }


def costs(released: ReleaseRun) -> dict[str, Any]:
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


ROOM = 50  # megabytes of the disk that are kept free while the files are made: most releases take less


def write_folder(out: Path, make: Callable[[], dict[str, bytes]]) -> None:
    """Make files, and write them to a folder beside `out` that then takes its place; if that fails, it is removed.

    While the files are made, which may take long and cost a budget, nothing of them is on the disk. So a process that
    is killed meanwhile leaves nothing behind. Raises ValueError, before anything is made, where `out` is a file, or a
    folder with anything in it, and OSError where it cannot be written or its disk lacks `ROOM`. Where another process
    fills `out` meanwhile, or the files take more than the disk has, they are in a folder that the ValueError names.
    """
    check_empty(out)
    partial = out.absolute().with_name(f".{out.absolute().name}.{secrets.token_hex(8)}")
    partial.mkdir(parents=True)  # fails now, if ever
    partial.rmdir()
    with TemporaryFile(dir=partial.parent) as room:  # without a name: it is gone with the process
        for _ in range(ROOM):
            room.write(os.urandom(10**6))  # which no disk packs
        room.flush()
        files = make()
    try:
        _write(partial, files)
    except OSError as error:
        kept = Path(mkdtemp(prefix=f"{out.name}."))
        with suppress(OSError):
            _write(kept, files)
            raise ValueError(
                f"{str(out)!r} cannot be written: {error.strerror}; the files are in {str(kept)!r}"
            ) from None
        raise
    try:
        if out.exists():
            out.rmdir()
        partial.rename(out)
    except OSError:
        raise ValueError(
            f"another program has written to {str(out)!r} meanwhile, or has it open: the files are in {str(partial)!r}"
        ) from None


def _write(folder: Path, files: dict[str, bytes]) -> None:
    """Write all files or none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def check_empty(out: Path) -> None:
    """Raise ValueError where `out` is a file, or a folder with anything in it, which might be overwritten."""
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise ValueError(f"{str(out)!r} is not an empty folder: name another one")
