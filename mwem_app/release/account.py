"""The ledger of a release: which one it is, what the data set has spent there, and what the release would leave."""

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pandas as pd
import streamlit as st

from mwem_app.base import count, three_digits
from mwem_app.page import in_sight, plain
from mwem_app.release.release_source import Source
from mwem_app.session import state
from mwem_core.accounts import CHANGED_TABLE, NO_LEDGER, Account, LedgerFile, Signs, check_name
from mwem_core.privacy import CAP_DELTA, Amount, Cap, TotalCost, Unit, at_least
from mwem_core.release import Terms, cap_in_words, declared_columns
from mwem_core.tables import column_fingerprints, fingerprint

# In the environment of the server: a folder, in which visitors name files; or the one ledger of all, a file or a URL.
LEDGER, USUAL_FOLDER = "MWEM_LEDGER", Path.home() / ".mwem"
PROPOSED_CAP = 3.0  # of a new data set
OF_THE_SAME = (
    "If it has records of the same people, write that name above and say that the table has changed, so that all costs "
    "add up. If its people are others, say so:"
)
NAME = re.compile(r"[\w-]{1,60}", re.ASCII)


@dataclass(frozen=True)
class Entry:
    """Where a release is entered: the ledger, the data set's name and cap, and what the user says of its people.

    `unsure` says that the table looks like another data set, and the user has not said whose records it has.
    """

    ledger: str
    dataset: str
    cap: Cap | None
    changed: bool
    others: bool
    unsure: bool

    def open(self) -> LedgerFile:
        """The ledger, which is made if there is none. Raises ValueError if that fails."""
        if Path(self.ledger).parent == USUAL_FOLDER:
            with suppress(OSError):  # then the ledger says that there is no folder
                USUAL_FOLDER.mkdir(mode=0o700, exist_ok=True)
        return LedgerFile(self.ledger)


def choose_entry(source: Source, unit: Unit) -> tuple[Entry, Account | None]:
    """Let the user name the data set, its ledger and its cap; also what the ledger knows of it.

    Raises ValueError for a name that no file or no data set can have, an unreadable ledger, a cap that is none, and a
    table that is not that of the name, unless the user says that it has changed.
    """
    ledger = _choose_ledger()
    book = _book(ledger)
    account = book.account_of(_digest(source, book)) if book else None
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
    if book and account is None:
        account = next((each for each in book.accounts() if each.name == dataset), None)
        if account and not changed:
            raise ValueError(CHANGED_TABLE)
    others, unsure = _ask_whose(source, unit, book, dataset) if book and not account else (False, False)
    return Entry(ledger, dataset, _choose_cap(account), changed, others, unsure), account


def _ask_whose(source: Source, unit: Unit, book: LedgerFile, dataset: str) -> tuple[bool, bool]:
    """Warn of a data set that the table looks like; whether its people are others, and whether that is still open."""
    columns = state.remember("columns", (source.id, book.key), lambda: column_fingerprints(source.table, book.key))
    alike = book.alike(dataset, Signs(columns, declared_columns(source.domain, unit, source.count)))
    if alike is None:
        return False, False
    sentence = str(alike)
    key = f"_release_others {source.id} {dataset} {alike.dataset}"
    with in_sight():
        st.warning(plain(f"{sentence[0].upper()}{sentence[1:]}. {OF_THE_SAME}"), icon=":material/group:")
        others = st.checkbox("Its people are others", key=key, persist_state="session")
    return others, not others


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
    """The cap: that of the account, which can be lowered; of a new data set one is proposed."""
    stored, name = account.cap if account else None, account.name if account else ""
    epsilon = st.number_input(
        "Cap on the ε of all releases",
        min_value=0.0,
        value=float(stored.epsilon) if stored else None if account else PROPOSED_CAP,
        placeholder="none",
        step=0.5,
        format="%g",
        key=f"_release_cap {name}",
        persist_state="session",
        help="The ledger refuses every release beyond it. It can be lowered later, not raised. Choose it for all "
        "releases that these people will ever be in.",
    )
    if epsilon is None:
        return None
    deltas = sorted({0.0, stored.delta if stored else CAP_DELTA}, reverse=True)
    delta = deltas[0]
    if len(deltas) > 1:
        delta = st.segmented_control(
            "δ of the cap",
            deltas,
            default=delta,
            required=True,
            format_func=lambda each: f"{each:g}",
            key=f"_release_cap_delta {name}",
            persist_state="session",
            help="0: the cap is on the sum of the ε of all releases, which must then have δ = 0. Above 0: it is on "
            "what can be proved of them together, which is less for many small ones.",
        )
    cap = Cap.of(epsilon, delta)
    st.caption(cap_in_words(cap))
    return cap


def _book(ledger: str) -> LedgerFile | None:
    """The ledger; None if there is none yet."""
    if "://" not in ledger and not Path(ledger).exists():
        return None
    try:
        return LedgerFile(ledger, create=False)
    except ValueError as error:
        if str(error) == NO_LEDGER:  # also while the first release makes it
            return None
        raise


def _digest(source: Source, book: LedgerFile) -> str:
    return state.remember("digest", (source.id, book.key), lambda: fingerprint(source.table, book.key))


@dataclass(frozen=True)
class Cost:
    """What a release spends, of what, and what is left after it, in words; `room` says whether the cap has any."""

    price: str
    spends: str
    left: str
    room: bool = True

    def __str__(self) -> str:
        return f"{self.spends} {self.left} {FOR_GOOD}" if self.room else self.left


def describe_cost(entry: Entry, account: Account | None, terms: Terms, *, again: bool) -> Cost:
    """What will be spent, and what is left after.

    Raises ValueError if the cap has no room, unless these terms have just been released: nobody has then asked for
    more.
    """
    amount = Amount.of(terms.epsilon, terms.delta)
    before, cap = account.spent if account else TotalCost(), entry.cap
    after, at = before + TotalCost.by([amount]), cap.delta if cap else CAP_DELTA
    price = f"ε = {terms.epsilon:g}" + (f" at δ = {terms.delta:g}" if terms.delta else "")
    if cap and not cap.holds(after):
        if again:
            none = f"The cap of ε = {float(cap.epsilon):g} has no room for another release of {price}."
            return Cost(price, "", none, room=False)
        cap.check(before, amount)
    what, whom = "Another release" if again else "This release", "person" if terms.unit.column else "record"
    spends = f"**{what} spends {price}** of “{plain(entry.dataset)}”, for each {whom}."
    if earlier := sum(each.counts for each in account.entries) if account else 0:
        spends += (
            f" {count(earlier, 'earlier release')} spent {_total(before, at)}; together that is {_total(after, at)}."
        )
    if cap is None:
        return Cost(price, spends, "No cap is set, so the ledger counts and refuses nothing.")
    left = cap.left_in_words(after).removesuffix(" left")
    return Cost(price, spends, f"Of the cap of ε = {float(cap.epsilon):g}, **{left} left** after it.")


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


def _total(spent: TotalCost, delta: float) -> str:
    """The total ε, rounded up; at this δ, and beside the sum, where it is less than the sum."""
    total, whole = spent.at(delta), spent.sum_at(delta)
    proved = f"ε = {_rounded_up(total)}" + (f" at δ = {delta:g}" if spent.rho or total < whole else "")
    return f"{proved}, where the sum is {_rounded_up(whole)}" if total < whole else proved


def _rounded_up(total: Fraction | float) -> str:
    return three_digits(at_least(total) if isinstance(total, Fraction) else total)
