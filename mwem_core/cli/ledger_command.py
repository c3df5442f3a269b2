"""The command `ledger`: show what the releases of each data set have spent, what is left, and their history.

It can also withdraw a release that was reserved and whose process ended before it drew any noise.
"""

from __future__ import annotations

import argparse
import json
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mwem_core.cli.arguments import whole_number
from mwem_core.privacy import CAP_DELTA, Cap, at_least, at_most, epsilon_of
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
    parser.add_argument("--json", action="store_true", help="print a JSON list instead of text")


def ledger(arguments: argparse.Namespace) -> None:
    """Show the accounts in a ledger, which may be read-only. Raises ValueError for what the ledger refuses."""
    from mwem_core.accounts import LedgerFile  # imports SQLAlchemy, which takes a quarter of a second

    book = LedgerFile(arguments.ledger, create=False)
    if arguments.withdraw is not None:
        book.withdraw(whole_number(arguments.withdraw, "withdraw", minimum=1))
    accounts = [book.account(arguments.name)] if arguments.name else book.accounts()
    if arguments.json:
        print(json.dumps([account_fields(account) for account in accounts], indent=2))
    else:
        print("\n\n".join(map(_as_text, accounts)) or "The ledger has no releases.")


def account_fields(account: Account) -> dict[str, Any]:
    """An account for programs to read: the sums in their own units, both as ε at the cap's δ, and all releases."""
    cap, spent = account.cap, account.spent
    delta = cap.delta if cap else CAP_DELTA
    return {
        "name": account.name,
        "unit": f"person: {account.person}" if account.person else "record",
        "cap": {"epsilon": at_most(cap.epsilon), "delta": cap.delta} if cap else None,
        "spent": {
            "pure_epsilon": at_least(spent.epsilon),
            "rho": at_least(spent.rho),
            "epsilon": at_least(Fraction(total)) if (total := spent.at(delta)) < math.inf else None,
            "delta": delta,
            "sum": at_least(Fraction(total)) if (total := spent.sum_at(delta)) < math.inf else None,
        },
        "left": _left(account, cap) if cap else None,
        "releases": [
            {
                "id": entry.id,
                "at": entry.at,
                "unit": entry.amount.unit,
                "amount": at_least(entry.amount.value),
                "exact_amount": str(entry.amount.value),
                "state": entry.state,
                "note": entry.note,
            }
            for entry in account.entries
        ],
    }


def _left(account: Account, cap: Cap) -> dict[str, float]:
    """What one more release may cost: an ε at δ = 0, or a ρ and its ε at the cap's δ."""
    pure, rho = cap.left(account.spent)
    return {"pure_epsilon": pure, "rho": rho, "epsilon": epsilon_of(rho, cap.delta) if rho else 0.0}


def _as_text(account: Account) -> str:
    """An account for people."""
    fields, cap = account_fields(account), account.cap
    spent, left = fields["spent"], fields["left"]
    unit = f"a person, named by column {account.person!r}" if account.person else "a record"
    less = spent["epsilon"] != spent["sum"]
    at_delta = f" at δ = {spent['delta']:g}" if spent["rho"] or less else ""
    at_delta += f", where the sum is {_number(spent['sum'])}" if less else ""
    of_cap = f", of a cap of {cap}" if cap else "; no cap is set"
    lines = [f"{account.name} (protects {unit})", f"  spent  {_number(spent['epsilon'])}{at_delta}{of_cap}"]
    if left:
        by_gauss = f", or {_number(left['epsilon'])} at δ = {spent['delta']:g}" if left["rho"] else ""
        lines.append(f"  left   {_number(left['pure_epsilon'])}{by_gauss}, in one more release")
    if cap:
        lines.append(f"  cap    {cap_in_words(cap)}")
    return "\n".join(lines + [_line(entry) for entry in account.entries])


def _number(epsilon: float | None) -> str:
    return f"ε = {'∞' if epsilon is None else format(epsilon, '.4g')}"


def _line(entry: Entry) -> str:
    at = entry.at[:16].replace("T", " ")
    return f"  {entry.id:>4}  {at}  {entry.amount!s:<14}  {entry.state_in_words}  {entry.note}".rstrip()
