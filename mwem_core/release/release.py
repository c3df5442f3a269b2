"""A release: reserve its cost, draw once, settle. Nothing leaves but the files of `bundle`.

`make_release` does so from Python, in one call."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from mwem_core.accounts import LedgerFile, Signs
from mwem_core.algorithm import Algorithm
from mwem_core.ask import LoadedRelease, load_release
from mwem_core.automatic import Nothing
from mwem_core.domain import Domain, Table, check_confirmed, check_not_empty
from mwem_core.encoding import encode_unit
from mwem_core.forms import with_decimal
from mwem_core.privacy import Cap, NoiseSource, ReleaseNoise
from mwem_core.release.bundle import Bundle, bundle, write_folder
from mwem_core.release.release_run import ReleaseRun
from mwem_core.release.terms import Terms, declared_columns
from mwem_core.schemas import read_code_book
from mwem_core.systems import MeasuredBins
from mwem_core.tables import TableLike, as_table, column_fingerprints, fingerprint, without_values
from mwem_core.workload import parse_workload

FAILURE = (
    "the release failed after its noise was drawn, so its cost counts and nothing is released: rehearse the same terms,"
    " and explore the table with them, to see why"
)
NO_MEASUREMENT = (
    "nothing would be measured: of so few records no measurement at this epsilon is expected to lower the error, so"
    " choose a larger epsilon"
)


def release(
    terms: Terms,
    table: TableLike,
    book: LedgerFile,
    *,
    noise: NoiseSource,
    cap: Cap | None = None,
    changed: bool = False,
    others: bool = False,
    note: str = "",
) -> Bundle:
    """Release a table under these terms: the files by name. It is one from `read_table` with `min_rows` 0, or another
    that `as_table` takes.

    Whatever can be refused is refused before the first draw, and then nothing is spent: a table that does not fit the
    schema, terms that the workload cannot be served under, a cap without room. From the first draw on the cost counts.
    A table without records is refused only where their number is public. `cap`, `changed` and `others` are those of
    `LedgerFile.reserve`. Raises ValueError; its sentence shows no value of the table.
    """
    read = without_values(lambda: with_decimal(as_table(table), terms.decimal))
    B = without_values(lambda: encode_unit(read, terms.domain, terms.unit, count=terms.count))
    if terms.total == "public":
        check_not_empty(B)
    settings = terms.settings(B.total)
    settings.check(terms.workload)
    if isinstance(settings.inner if isinstance(settings, MeasuredBins) else settings, Nothing):
        raise ValueError(NO_MEASUREMENT)
    digest, amount = fingerprint(read, book.key), terms.amount(settings)
    names, person = declared_columns(terms.domain, terms.unit, terms.count), terms.unit.column
    signs = Signs(column_fingerprints(read, book.key), names)
    with book.reserve(
        terms.dataset, digest, amount, cap=cap, person=person, changed=changed, signs=signs, others=others, note=note
    ) as reservation:
        reservation.begin_drawing()
        files = _files(terms, settings, B, noise)
        if files is not None:
            with suppress(ValueError):  # a release that is not settled counts in full, so it may leave all the same
                reservation.settle()
    if files is None:
        raise ValueError(FAILURE)
    return files


def _files(terms: Terms, settings: Algorithm, B: Table, noise: NoiseSource) -> Bundle | None:
    """Run, and make the files; None if anything fails, as the text of an exception may depend on the data."""
    try:
        rounds = tuple(settings.rounds(B, terms.workload, noise=noise))
        return bundle(ReleaseRun.of(terms, settings, rounds), np.random.default_rng())
    except Exception:
        return None


def make_release(
    table: TableLike,
    schema: Domain | str | Path,
    workload: str,
    *,
    epsilon: float,
    ledger: str | Path,
    name: str,
    out: str | Path,
    cap: float | None = None,
    **terms: Any,
) -> LoadedRelease:
    """Release a table once, write its folder `out`, and read that as whoever receives it does.

    `table` is a frame of pandas or Polars, or a table of Arrow. `schema` is a domain, or a file with one; `workload` is
    text such as "marginals:2". The `ledger`, an SQLite file or the address of a database, has an account for the data
    set `name`, adds the cost to it, and refuses what exceeds its `cap`, an ε at δ = 10⁻⁹. Further `terms` are those of
    `Terms`: `delta`, `unit`, `total`, `count`, `system`, `rows`, `copies`. The release is (ε, δ)-differentially private
    for each record, or each person of the unit: its noise is exact, and made from the operating system's entropy.
    Raises ValueError, before anything is spent, for whatever can be refused, and OSError where files cannot be written.
    """
    domain = schema if isinstance(schema, Domain) else _declared(Path(schema))
    asked = Terms(
        dataset=name,
        workload=parse_workload(workload, domain),
        provenance="file",
        epsilon=epsilon,
        **terms,
    )
    out = Path(out)

    def made() -> dict[str, bytes]:
        return release(
            asked,
            table,
            LedgerFile(ledger),
            noise=ReleaseNoise(),
            cap=None if cap is None else Cap.of(cap),
            note=f"{workload} to {out.name}",
        )

    write_folder(out, made)
    return load_release(out)


def _declared(file: Path) -> Domain:
    """The domain of a schema. Raises ValueError for what was read off the data and not declared since."""
    book = read_code_book(file)
    check_confirmed(book.marks)
    return book.domain
