"""The ledger of a release: which one it is, what the data set has spent there, and what the release would leave."""

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pandas as pd
import streamlit as st

from mwem_core.data.fingerprint import fingerprint
from mwem_core.privacy.amounts import CAP_DELTA, Amount, Cap, Spent, at_least
from mwem_core.privacy.ledger_file import Account, LedgerFile, check_name
from mwem_core.privacy.ledger_store import NO_LEDGER
from mwem_core.releasing.terms import Terms
from ui.page.wording import plain
from ui.release.source import Source
from ui.session import state
from ui.words.numbers import count, three_digits

# In the environment of the server: a folder, in which visitors name files; or the one ledger of all, a file or a URL.
LEDGER, USUAL_FOLDER = "MWEM_LEDGER", Path.home() / ".mwem"
NAME = re.compile(r"[\w-]{1,60}", re.ASCII)


@dataclass(frozen=True)
class Entry:
    """Where a release is entered: the ledger, the data set's name and cap, and whether its table has changed."""

    ledger: str
    dataset: str
    cap: Cap | None
    changed: bool

    def open(self) -> LedgerFile:
        """The ledger, which is made if there is none. Raises ValueError if that fails."""
        if Path(self.ledger).parent == USUAL_FOLDER:
            with suppress(OSError):  # then the ledger says that there is no folder
                USUAL_FOLDER.mkdir(mode=0o700, exist_ok=True)
        return LedgerFile(self.ledger)


def choose_entry(source: Source) -> tuple[Entry, Account | None]:
    """Let the user name the data set, its ledger and its cap; also what the ledger knows of this table.

    Raises ValueError for a name that no file or no data set can have, an unreadable ledger, and a cap that is none.
    """
    ledger = _choose_ledger()
    account = _known(source, ledger)
    default = account.name if account else source.name
    dataset = st.text_input(
        "Name of the data set",
        default,
        key=f"_release_dataset {source.id} {default}",
        disabled=account is not None,
        max_chars=100,
        persist_state="session",
        help="The ledger adds up all releases of one data set. It recognises the table by its content.",
    )
    check_name(dataset := dataset.strip())
    changed = account is None and st.checkbox(
        "The table has changed since a release",
        key="_release_changed",
        persist_state="session",
        help="For a new version of a table that was released: the people are the same, so all costs add up. A table of "
        "other people takes a new name.",
    )
    return Entry(ledger, dataset, _choose_cap(account), changed), account


def _choose_ledger() -> str:
    """The one ledger of this server, or a file in its folder."""
    place = os.environ.get(LEDGER, str(USUAL_FOLDER))
    if LEDGER in os.environ and not Path(place).is_dir():
        st.caption(":material/menu_book: entered in the ledger of this server")
        return place
    name = st.text_input(
        "Ledger file",
        "ledger",
        key="_release_ledger",
        persist_state="session",
        help="It is kept on the machine that runs this program, in the folder that `MWEM_LEDGER` names, or else in "
        "`~/.mwem`. `mwem ledger --ledger FILE` shows it.",
    )
    if not NAME.fullmatch(name.strip()):
        raise ValueError("the ledger's name must be 1 to 60 letters, digits, - and _: it names a file")
    return str(Path(place) / f"{name.strip()}.sqlite")


def _choose_cap(account: Account | None) -> Cap | None:
    stored = account.cap if account else None
    epsilon = st.number_input(
        "Cap on the ε of all releases",
        min_value=0.0,
        value=float(stored.epsilon) if stored else None,
        placeholder="none",
        step=0.5,
        format="%g",
        key=f"_release_cap {account.name if account else ''}",
        persist_state="session",
        help="The ledger refuses every release beyond it. It can be lowered later, not raised. "
        f"ρ counts as ε at δ = {(stored.delta if stored else CAP_DELTA):g}.",
    )
    return Cap.of(epsilon, stored.delta if stored else CAP_DELTA) if epsilon is not None else None


def _known(source: Source, ledger: str) -> Account | None:
    if "://" not in ledger and not Path(ledger).exists():
        return None
    try:
        book = LedgerFile(ledger, create=False)
    except ValueError as error:
        if str(error) == NO_LEDGER:  # also while the first release makes it
            return None
        raise
    digest = state.remember("digest", (source.id, book.key), lambda: fingerprint([source.table], book.key))
    return book.account_of(digest)


def describe_cost(entry: Entry, account: Account | None, terms: Terms, *, again: bool) -> tuple[str, bool]:
    """One paragraph: what will be spent, and what is left after; and whether the cap has room for it.

    Raises ValueError if it has none, unless these terms have just been released: then nobody has asked for more.
    """
    before, cost = account.spent if account else Spent(), Spent.by([Amount.of(terms.epsilon, terms.delta)])
    cap, after = entry.cap, before + cost
    at = cap.delta if cap else CAP_DELTA
    earlier = sum(each.counts for each in account.entries) if account else 0
    price = f"ε = {terms.epsilon:g}" + (f" at δ = {terms.delta:g}" if terms.delta else "")
    if cap and not cap.holds(after):
        if again:
            return f"The cap of ε = {float(cap.epsilon):g} has no room for another release of {price}.", False
        raise ValueError(
            f"the release would bring the cost of all to ε = {_total(after, at)}, above the cap of {cap}: "
            f"{_left(cap, before)} left"
        )
    what, whom = "Another release" if again else "This release", "person" if terms.unit.column else "record"
    text = f"**{what} spends {price}** of “{plain(entry.dataset)}”, for each {whom}. "
    if earlier:
        at_delta = f" at δ = {at:g}" if after.rho else ""
        text += f"{count(earlier, 'earlier release')} spent ε = {_total(before, at)}"
        text += f"; together that is {_total(after, at)}{at_delta}. "
    if cap is None:
        return f"{text}No cap is set, so the ledger counts and refuses nothing. {FOR_GOOD}", True
    return f"{text}Of the cap of ε = {float(cap.epsilon):g}, **{_left(cap, after)} left** after it. {FOR_GOOD}", True


def _left(cap: Cap, spent: Spent) -> str:
    left, _ = cap.left(spent)
    return f"ε = {three_digits(left)} is" if left > 1e-9 else "nothing is"


def show_history(account: Account) -> None:
    """The releases of the data set so far."""
    with st.expander(f"{count(len(account.entries), 'entry', 'entries')} in the ledger", icon=":material/menu_book:"):
        rows = [
            {
                "when, UTC": entry.at[:16].replace("T", " "),
                "cost": str(entry.amount).replace(" ", "\N{NO-BREAK SPACE}"),
                "state": entry.state_in_words,
                "questions": plain(entry.note),
            }
            for entry in account.entries
        ]
        st.table(pd.DataFrame(rows), border="horizontal", hide_index=True, alt="The releases of this data set so far")


FOR_GOOD = "It cannot be undone: once noise is drawn, nothing is given back, not even after a failure."


def _total(spent: Spent, delta: float) -> str:
    """The total ε, rounded up."""
    total = spent.at(delta)
    return three_digits(at_least(total) if isinstance(total, Fraction) else total)
