"""The command `ledger`: show what the releases of each data set have spent, what is left, and their history.

It can also withdraw a release that was reserved and whose process ended before it drew any noise.
"""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING

from mwem_core.cli.arguments import whole_number
from mwem_core.privacy import CAP_DELTA, Exact, epsilon_of
from mwem_core.release import cap_in_words

if TYPE_CHECKING:
    from mwem_core.accounts import Account, Entry


def add_ledger_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.set_defaults(function=ledger)
    parser.add_argument(
        "--ledger", required=True, metavar="FILE", help="of the releases; or the URL of a PostgreSQL database"
    )
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--name", metavar="DATASET", help="show only this data set")
    one.add_argument(
        "--withdraw", metavar="N", help="first give back release N, whose process ended before it drew any noise"
    )


def ledger(arguments: argparse.Namespace) -> None:
    """Show the accounts in a ledger, which may be read-only. Raises ValueError for what the ledger refuses."""
    from mwem_core.accounts import LedgerFile  # imports SQLAlchemy, which takes a quarter of a second

    book = LedgerFile(arguments.ledger, create=False)
    if arguments.withdraw is not None:
        book.withdraw(whole_number(arguments.withdraw, "withdraw", minimum=1))
    accounts = [book.account(arguments.name)] if arguments.name else book.accounts()
    print("\n\n".join(map(_as_text, accounts)) or "The ledger has no releases.")


def _as_text(account: Account) -> str:
    """What the account has spent, what one more release may cost, and all releases."""
    cap, spent = account.cap, account.spent
    delta = cap.delta if cap else CAP_DELTA
    total, whole = _number(spent.at(delta)), _number(spent.sum_at(delta))
    unit = f"a person, named by column {account.person!r}" if account.person else "a record"
    at_delta = f" at δ = {delta:g}" if spent.rho or total != whole else ""
    at_delta += f", where the sum is {whole}" if total != whole else ""
    of_cap = f", of a cap of {cap}" if cap else "; no cap is set"
    lines = [f"{account.name} (protects {unit})", f"  spent  {total}{at_delta}{of_cap}"]
    if cap:
        pure, rho = cap.left(spent)
        by_gauss = f", or {_number(epsilon_of(rho, delta))} at δ = {delta:g}" if rho else ""
        lines.append(f"  left   {_number(pure)}{by_gauss}, in one more release")
        lines.append(f"  cap    {cap_in_words(cap)}")
    return "\n".join(lines + [_line(entry) for entry in account.entries])


def _number(epsilon: Exact) -> str:
    return f"ε = {'∞' if math.isinf(epsilon) else format(float(epsilon), '.4g')}"


def _line(entry: Entry) -> str:
    at = entry.at[:16].replace("T", " ")
    return f"  {entry.id:>4}  {at}  {entry.amount!s:<14}  {entry.state_in_words}  {entry.note}".rstrip()
