"""The command `release`: release a table once, under a ledger; or rehearse the same terms on simulated data."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from mwem_core.ask import asked_domain, offsets_share, read_questions, workload_of
from mwem_core.cli.arguments import (
    OR_BUNDLED,
    add_bins_share,
    add_count,
    add_public_start,
    add_question,
    add_reading,
    add_unit,
    count_from,
    domain_from,
    marks_from,
    number,
    reading_from,
    unit_from,
    whole_number,
)
from mwem_core.domain import check_confirmed
from mwem_core.encoding import count_of, encode_unit, read_public_table
from mwem_core.forms import POINT, decimal_of, with_decimal
from mwem_core.privacy import CAP_DELTA, Cap
from mwem_core.release import (
    ROWS_FOR,
    STATEMENT,
    Rehearsal,
    Terms,
    cap_in_words,
    forecast,
    guarantee_in_words,
    likely_tables,
    rehearse,
    simulated_tables,
    write_folder,
)
from mwem_core.systems import OFFSETS_SHARE, RELEASABLE
from mwem_core.tables import TableProblem, declarations, read_table, without_values
from mwem_core.workload import parse_workload

if TYPE_CHECKING:
    from mwem_core.accounts import LedgerFile

DECLARE_COMMA = (
    "the table seems to have decimal commas, which a release takes as declared and does not detect: name --decimal ,"
    " or --decimal ."
)


def add_release_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.set_defaults(function=release)
    parser.add_argument(
        "--table", metavar="FILE", help=f"one file: CSV, TSV or Parquet, one record per row; or {OR_BUNDLED}"
    )
    add_reading(parser, decimal="of the table's numbers: a comma or a point, which is the default")
    add_question(parser, required=False)
    parser.add_argument(
        "--for",
        dest="questions",
        metavar="QUESTIONS",
        help="in place of --workload: what the release will be asked, as `mwem ask` takes it, between semicolons, as in"
        " 'share(*) group by income, sex; age ~ education + sex'; each is answered as --rehearse promises",
    )
    parser.add_argument("--epsilon", required=True, help="privacy parameter: smaller is more private and less accurate")
    parser.add_argument(
        "--algorithm",
        metavar="NAME",
        help=f"{', '.join(RELEASABLE)}. tables: every table is measured, and all can be asked; the default with --for."
        " automatic, the default with --workload: the best rows",
    )
    parser.add_argument("--ledger", metavar="FILE", help="where releases are charged; or the URL of a database")
    parser.add_argument("--name", metavar="DATASET", help="of the data set in the ledger")
    parser.add_argument("--cap", metavar="E", help="the most that all releases of the data set may cost, from now on")
    parser.add_argument(
        "--cap-delta", metavar="D", help="δ of the cap: 1e-9 by default; at 0 the cap is on the sum of ε itself"
    )
    parser.add_argument("--changed", action="store_true", help="the table has changed since its last release")
    parser.add_argument(
        "--other-people", action="store_true", help="none of them is in the data set that the table looks like"
    )
    add_unit(parser)
    add_count(parser)
    parser.add_argument(
        "--total", default="measured", choices=("measured", "public"), help="how the number of records is treated"
    )
    parser.add_argument(
        "--rows",
        default="nearest",
        choices=tuple(ROWS_FOR),
        help="nearest, the default: tables err least. analysis: correlations and differences are not made weaker",
    )
    parser.add_argument(
        "--copies",
        default="0",
        metavar="M",
        help="also write M further tables, which other software combines; report.html says how. They cost no ε",
    )
    add_bins_share(parser)
    parser.add_argument(
        "--offsets-share",
        metavar="S",
        help="of the budget, to measure the means of numbers in bins, if there are any; by default"
        f" {OFFSETS_SHARE}, and more where --for asks about such numbers; 0 measures none",
    )
    add_public_start(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help="a folder that is new or empty")
    parser.add_argument("--rehearse", action="store_true", help="try the same terms on simulated data; spends nothing")
    parser.add_argument("--public-table", metavar="FILE", help="rehearse on this table, which is not private")
    parser.add_argument("--records", default="10000", metavar="N", help="of simulated data; %(default)s by default")


def release(arguments: argparse.Namespace) -> None:
    """Release a table, or rehearse it. Raises ValueError for what is refused, and OSError where files cannot be."""
    terms = _terms(arguments)
    if arguments.rehearse:
        _rehearse(arguments, terms)
        return
    for name in ("table", "ledger", "name", "out"):
        if getattr(arguments, name) is None:
            raise ValueError(f"a release needs --{name}; --rehearse tries the same terms without it")
    write_folder(arguments.out, lambda: _released(arguments, terms))
    who = [count_of(terms.count_column)] if terms.count_column else []
    print("\n".join([STATEMENT, guarantee_in_words(terms.guarantee), *who]))
    print(f"The files are in {arguments.out}; read report.html.")
    print(_left(arguments))


def _released(arguments: argparse.Namespace, terms: Terms) -> dict[str, bytes]:
    from mwem_core.accounts import LedgerFile  # imports SQLAlchemy, which takes a quarter of a second
    from mwem_core.privacy import ReleaseNoise
    from mwem_core.release import release as release_once

    path = _file(arguments.table, "table")
    table = without_values(lambda: _read(path, arguments))
    book = LedgerFile(arguments.ledger)
    return release_once(
        terms,
        table,
        book,
        noise=ReleaseNoise(),
        cap=_cap(arguments, book),
        changed=arguments.changed,
        others=arguments.other_people,
        note=f"{terms.workload.spec} to {arguments.out.name}",
    )


def _cap(arguments: argparse.Namespace, book: LedgerFile) -> Cap | None:
    """The cap that the arguments state: at the δ of the one before unless they state one."""
    if arguments.cap is None:
        if arguments.cap_delta is not None:
            raise ValueError("the δ of a cap needs its ε: name --cap too")
        return None
    if arguments.cap_delta is not None:
        return Cap.of(number(arguments.cap, "cap"), number(arguments.cap_delta, "cap-delta"))
    before = next((account.cap for account in book.accounts() if account.name == arguments.name), None)
    return Cap.of(number(arguments.cap, "cap"), before.delta if before else CAP_DELTA)


def _left(arguments: argparse.Namespace) -> str:
    """What the cap leaves after the release, and what it is on."""
    from mwem_core.accounts import LedgerFile

    account = LedgerFile(arguments.ledger, create=False).account(arguments.name)
    if account.cap is None:
        return "No cap is set, so the ledger counts and refuses nothing: --cap sets one."
    return f"Of the cap of {account.cap}, {account.cap.left_in_words(account.spent)}. {cap_in_words(account.cap)}"


def _read(path: Path, arguments: argparse.Namespace) -> pa.Table:
    """Read a table, which may have no rows. Raises ValueError for what has to be declared of it, and is not."""
    reading = reading_from(arguments)
    table = read_table(path, min_rows=0, max_bytes=arguments.max_bytes, **reading.chosen)
    if undeclared := declarations(table, reading):
        raise TableProblem(undeclared, public=undeclared)
    if arguments.decimal is None and decimal_of(table) != POINT:
        raise TableProblem(DECLARE_COMMA, public=DECLARE_COMMA)
    return table


def _terms(arguments: argparse.Namespace) -> Terms:
    domain = domain_from(arguments)
    check_confirmed(marks_from(arguments, domain))
    spec, questions = arguments.workload, ()
    if (spec is None) == (arguments.questions is None):
        raise ValueError("name what is released by --workload, or by --for the questions that it will be asked")
    if arguments.questions is not None:
        questions = read_questions(arguments.questions, domain)
        domain = domain if arguments.attributes else asked_domain(questions, domain)
        spec = workload_of(questions, domain)
        print(f"The workload for these questions: {spec}")
    return Terms(
        dataset=arguments.name or "rehearsal",
        workload=parse_workload(spec, domain),
        questions=tuple(question.text for question in questions),
        provenance="file",
        epsilon=number(arguments.epsilon, "epsilon"),
        delta=number(arguments.delta, "delta"),
        unit=unit_from(arguments),
        total=arguments.total,
        count=count_from(arguments),
        public=arguments.public_start
        and read_public_table(_file(arguments.public_start, "public table"), domain, count=count_from(arguments)),
        decimal=arguments.decimal or POINT,
        bins_share=number(arguments.bins_share, "bins-share"),
        offsets_share=offsets_share(questions, domain)
        if arguments.offsets_share is None
        else number(arguments.offsets_share, "offsets-share"),
        system=arguments.algorithm or ("tables" if questions else Terms.system),
        rows=arguments.rows,
        copies=whole_number(arguments.copies, "copies", minimum=0),
    )


def _rehearse(arguments: argparse.Namespace, terms: Terms) -> None:
    """Print what to expect. The private table is not read."""
    n = whole_number(arguments.records, "records", minimum=1)
    if arguments.public_table is None:
        tables = simulated_tables(terms.domain, n)
    else:
        path = _file(arguments.public_table, "public table")
        table = with_decimal(_read(path, arguments), terms.decimal)
        tables = {f"the public table {path.name}": encode_unit(table, terms.domain, terms.unit, count=terms.count)}
    Q = terms.workload
    print(f"A rehearsal: nothing is spent. {Q.size:,} queries ({Q.name}), ε = {terms.epsilon:g}, δ = {terms.delta:g}")
    for name, B in tables.items():
        print(_line(name, B.total, terms.method.title, rehearse(terms, B)))
    if terms.questions:
        known = arguments.public_table is not None
        print("\n".join(map(str, forecast(terms, tables.values() if known else likely_tables(terms.domain, n)))))


def _line(name: str, n: int, method: str, found: Rehearsal) -> str:
    tv = "" if found.mean_tv is None else f"mean total variation {found.mean_tv:.4f}, "
    askable, pairs = found.pairs
    advice = " (all by --algorithm tables)" if askable < pairs else ""
    return (
        f"{name}, n = {n:,}: {method} ({found.ran}): {tv}mean error {found.mean_error:.5f} of n,"
        f" largest {found.max_error:.4f};"
        f" half of the intervals are at most {found.width:,.0f} records wide (plain Laplace on every query:"
        f" {found.laplace_width:,.0f}), and {found.measured:.0%} of the answers were measured"
        + (f"; {askable:,} of {pairs:,} pairs of attributes can be asked{advice}" if pairs else "")
        + "".join(f"\n  {part.spec}: {part.metric} {part.error:.4f}" for part in found.parts)
    )


def _file(text: str | Path, what: str) -> Path:
    path = Path(text)
    if not path.is_file():
        raise ValueError(f"the {what} {str(path)!r} is not a file: a release reads one file")
    return path
