"""A release from Python, in one call: a table under a schema, and the folder that may leave the room."""

from pathlib import Path
from typing import Any

from mwem_core.accounts import LedgerFile
from mwem_core.ask import LoadedRelease, load_release
from mwem_core.domain import Domain, check_confirmed
from mwem_core.privacy import Cap, ReleaseNoise
from mwem_core.release.folder import write_folder
from mwem_core.release.releasing import release
from mwem_core.release.terms import Terms
from mwem_core.schemas import read_code_book
from mwem_core.tables import TableLike
from mwem_core.workload import parse_workload


def make_release(
    table: "TableLike",
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
