"""A release: reserve its cost, draw once, settle. Nothing leaves but the files of `bundle`."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from mwem_core.accounts import LedgerFile, Signs
from mwem_core.algorithm import Algorithm
from mwem_core.automatic import Nothing
from mwem_core.domain import Table, check_not_empty
from mwem_core.encoding import encode_unit
from mwem_core.privacy import Cap, NoiseSource
from mwem_core.release.bundle import Bundle, bundle
from mwem_core.release.released import Released
from mwem_core.release.terms import Terms, declared
from mwem_core.tables import TableLike, as_table, column_fingerprints, fingerprint, with_decimal, without_values

FAILED = (
    "the release failed after its noise was drawn, so its cost counts and nothing is released: rehearse the same terms,"
    " and explore the table with them, to see why"
)
NOTHING = (
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
    if isinstance(settings, Nothing):
        raise ValueError(NOTHING)
    digest, amount = fingerprint([read], book.key), terms.amount(settings)
    names, person = declared(terms.domain, terms.unit, terms.count), terms.unit.column
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
        raise ValueError(FAILED)
    return files


def _files(terms: Terms, settings: Algorithm, B: Table, noise: NoiseSource) -> Bundle | None:
    """Run, and make the files; None if anything fails, as the text of an exception may depend on the data."""
    try:
        rounds = tuple(settings.rounds(B, terms.workload, noise=noise))
        return bundle(Released.of(terms, settings, rounds), np.random.default_rng())
    except Exception:
        return None
