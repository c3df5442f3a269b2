"""The ledger of all releases of a data set, in a file or a database: what they cost is never given back.

A release is reserved against the cap, then marked as drawing, and settled when it has ended. The mark is on the disk
before the first draw, so that a crash cannot take it back: from then on the release counts in full. Rows are only
added. Two programs that release at once take turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Literal, Self

from sqlalchemy import insert, select
from sqlalchemy.engine import Connection

from mwem_core.accounts.ledger_likeness import Likeness, Signs, enter_columns, enter_declared, likeness
from mwem_core.accounts.ledger_store import CAP, CONTENT, DAMAGE, DATASET, EVENT, RELEASE, Store, open_store
from mwem_core.privacy import Amount, Cap, TotalCost

State = Literal["reserved", "drawing", "settled", "withdrawn"]
MAX_NAME, MAX_NOTE = 100, 1000  # characters
CHANGED_TABLE = (
    "the table has changed since the last release under this name: if it still has records of the same people, say that"
    " it has changed, and all costs add up; otherwise choose a new name"
)
SAY_WHOSE = (
    "if it has records of the same people, release it under that name and say that it has changed; otherwise say that"
    " its people are others"
)
NO_SIGNS = Signs()
IN_WORDS = {
    "reserved": "reserved: counts until it is withdrawn",
    "drawing": "not settled: counts in full",
    "withdrawn": "withdrawn: does not count",
}
REFUSALS = {  # by the state in which a release is
    "reserved": "has not begun to draw noise, so it cannot be settled",
    "drawing": "has begun to draw noise, so it counts in full",
    "settled": "has ended, so it counts in full",
    "withdrawn": "was withdrawn before it drew any noise, so nothing is spent: release again",
}


@dataclass(frozen=True)
class Entry:
    """One release of a data set: `drawing` means that it runs, or that it ended before it was settled."""

    id: int
    at: str  # UTC, ISO 8601
    amount: Amount
    state: State
    note: str

    @property
    def counts(self) -> bool:
        """Whether it counts against the cap: always, unless it was withdrawn before its first draw."""
        return self.state != "withdrawn"

    @property
    def state_in_words(self) -> str:
        """The state, and whether it counts where that is not obvious."""
        return IN_WORDS.get(self.state, self.state)


@dataclass(frozen=True)
class Account:
    """A data set in the ledger: its cap, and its releases in order."""

    name: str
    person: str  # the column that names the person whom releases protect; empty if they protect a record
    cap: Cap | None
    entries: tuple[Entry, ...]

    @property
    def spent(self) -> TotalCost:
        """What its releases cost together."""
        return TotalCost.by(entry.amount for entry in self.entries if entry.counts)


@dataclass(frozen=True)
class Reservation:
    """A release that the ledger has room for. Leaving its context before the first draw withdraws it.

    >>> import tempfile
    >>> ledger = LedgerFile(Path(tempfile.mkdtemp()) / "ledger.sqlite")
    >>> with ledger.reserve("census 2026", "digest", Amount.of(1)) as reservation:
    ...     reservation.begin_drawing()  # and now the mechanisms
    ...     reservation.settle()
    >>> [(str(entry.amount), entry.state) for entry in ledger.account("census 2026").entries]
    [('ε = 1', 'settled')]
    """

    store: Store
    id: int

    def begin_drawing(self) -> None:
        """Mark the release as drawing; call it before the first draw. From now on it counts, whatever happens."""
        self._enter("drawing", after=[])

    def settle(self) -> None:
        """Mark the release as ended. What it did not use of its amount is not given back."""
        self._enter("settled", after=["drawing"])

    def withdraw(self) -> None:
        """Give the amount back. Raises ValueError once the release was marked as drawing."""
        self._enter("withdrawn", after=[])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        with suppress(ValueError):  # once it draws it stays, and so it does where the ledger cannot be reached
            self.withdraw()

    def _enter(self, event: State, *, after: Sequence[str]) -> None:
        with self.store.write_transaction() as connection:
            query = select(EVENT.c.event).where(EVENT.c.release == self.id).order_by(EVENT.c.id)
            before = list(connection.execute(query).scalars())
            if before != after:
                raise ValueError(f"release {self.id} {REFUSALS[before[-1] if before else 'reserved']}")
            connection.execute(insert(EVENT).values(release=self.id, event=event, at=_now()))


class LedgerFile:
    """The ledger in an SQLite file, or at the URL of a PostgreSQL database; it is made if there is none.

    On one machine a file serves. A file on a network drive does not, as locks fail there: take a database.
    Every method raises ValueError, in one sentence without path, URL or note, if the ledger cannot be read or written.
    """

    def __init__(self, where: str | Path, *, create: bool = True):
        self._store = open_store(where, create=create)

    @property
    def key(self) -> bytes:
        """The key of the digests by which a data set is recognised (`data.fingerprint`)."""
        return self._store.key

    def reserve(
        self,
        name: str,
        digest: str,
        amount: Amount,
        *,
        cap: Cap | None = None,
        person: str = "",
        changed: bool = False,
        signs: Signs = NO_SIGNS,
        others: bool = False,
        note: str = "",
    ) -> Reservation:
        """Reserve the cost of a release of the data set `name` with this content, if its cap has room for it.

        `person` is the column that names the person whom the release protects, empty for a record. Only costs of one
        unit add up. A `cap` that is given holds from now on: it may be lower than the one before, not higher.

        What is capped is what anyone can learn about the people in a table, so an account must follow the people. The
        same content under two names would give them two caps: it is refused. So is a name whose content has changed.
        Where the new table still has records of the same people, their costs add up, and `changed` says to go on with
        the same account. Where it has none, it is another data set and takes another name. Only the user knows which.

        So a new name for what looks like another data set, by `signs` or by name, is refused too (`ledger_likeness`),
        unless the user says that its people are `others`.
        """
        check_name(name)
        if len(note) > MAX_NOTE:
            raise ValueError(f"the note of a release must have at most {MAX_NOTE:,} characters")
        with self._store.write_transaction() as connection:
            alike = None if others else _alike(connection, name, signs)
            dataset = _recognise(connection, name, digest, person, changed=changed)
            if alike:
                raise ValueError(f"{alike}; {SAY_WHOSE}")
            enter_columns(connection, digest, signs.columns)
            account = _account(connection, dataset)
            cap = _new_cap(connection, dataset, account.cap, cap)
            if cap:
                cap.check(account.spent, amount)
            values = {"amount": str(amount.value), "unit": amount.unit, "note": note, "at": _now()}
            row = connection.execute(insert(RELEASE).values(dataset=dataset, **values).returning(RELEASE.c.id))
            release = row.scalar_one()
            enter_declared(connection, release, signs.declared)
            return Reservation(self._store, release)

    def withdraw(self, id: int) -> None:
        """Give back the amount of a release that has not begun to draw, such as one whose process was killed.

        Of this and `Reservation.begin_drawing`, the ledger takes the one that comes first and refuses the other: a
        process that still runs then draws nothing. Raises ValueError for a release that has begun to draw, that is
        withdrawn already, or that is not in the ledger.
        """
        if all(entry.id != id for account in self.accounts() for entry in account.entries):
            raise ValueError(f"the ledger has no release {id}: its history shows the number of each release")
        Reservation(self._store, id).withdraw()

    def account(self, name: str) -> Account:
        """The account of one data set. Raises ValueError for a name that the ledger does not have."""
        for account in self.accounts():
            if account.name == name:
                return account
        raise ValueError("the ledger has no data set of this name: leave the name out to see all")

    def account_of(self, digest: str) -> Account | None:
        """The account of the data set with this content; None if the ledger does not know it."""
        with self._store.read_transaction() as connection:
            dataset = connection.execute(select(CONTENT.c.dataset).where(CONTENT.c.digest == digest)).scalar()
            return None if dataset is None else _account(connection, dataset)

    def alike(self, name: str, signs: Signs) -> Likeness | None:
        """The data set that a table under this name looks like; None if the ledger knows the name, or none alike."""
        with self._store.read_transaction() as connection:
            return _alike(connection, name, signs)

    def accounts(self) -> tuple[Account, ...]:
        """The accounts of all data sets, in the order of their first releases."""
        with self._store.read_transaction() as connection:
            ids = connection.execute(select(DATASET.c.id).order_by(DATASET.c.id)).scalars()
            return tuple(_account(connection, id) for id in list(ids))


def check_name(name: str) -> None:
    """Raise ValueError for a name of a data set that no screen could show."""
    if not 1 <= len(name) <= MAX_NAME or not name.isprintable() or name != name.strip():
        raise ValueError(
            f"the name of a data set must be one line of 1 to {MAX_NAME} characters, without blanks around it"
        )


def _alike(connection: Connection, name: str, signs: Signs) -> Likeness | None:
    known = connection.execute(select(DATASET.c.id).where(DATASET.c.name == name)).first()
    return None if known else likeness(connection, name, signs)


def _recognise(connection: Connection, name: str, digest: str, person: str, *, changed: bool) -> int:
    """The id of the data set, which is entered if both its name and its content are new."""
    known = connection.execute(select(DATASET).where(DATASET.c.name == name)).one_or_none()
    holder = connection.execute(
        select(DATASET.c.id, DATASET.c.name).join(CONTENT).where(CONTENT.c.digest == digest)
    ).one_or_none()
    if holder and (not known or holder.id != known.id):
        raise ValueError(f"the ledger knows this table under the name {holder.name!r}: release it under that name")
    if known is None:
        insertion = insert(DATASET).values(name=name, person=person).returning(DATASET.c.id)
        dataset = connection.execute(insertion).scalar_one()
    else:
        dataset = known.id
        if known.person != person:
            raise ValueError(
                "earlier releases of this data set protect another unit of privacy, and only costs of one unit add up:"
                " choose the same record or person as before"
            )
    if not holder:
        if known and not changed:
            raise ValueError(CHANGED_TABLE)
        connection.execute(insert(CONTENT).values(digest=digest, dataset=dataset, at=_now()))
    return dataset


def _new_cap(connection: Connection, dataset: int, old: Cap | None, new: Cap | None) -> Cap | None:
    """The cap that holds from now on."""
    if new is None or new == old:
        return old
    if old and (new.epsilon > old.epsilon or new.delta > old.delta):
        raise ValueError(f"the cap of this data set is {old}: it can be lowered, not raised")
    values = {"epsilon": str(new.epsilon), "delta": repr(new.delta), "at": _now()}
    connection.execute(insert(CAP).values(dataset=dataset, **values))
    return new


def _account(connection: Connection, dataset: int) -> Account:
    """Read an account; raises ValueError for rows that no release has written."""
    name, person = connection.execute(select(DATASET.c.name, DATASET.c.person).where(DATASET.c.id == dataset)).one()
    caps = connection.execute(select(CAP).where(CAP.c.dataset == dataset).order_by(CAP.c.id)).all()
    releases = connection.execute(select(RELEASE).where(RELEASE.c.dataset == dataset).order_by(RELEASE.c.id)).all()
    events = select(EVENT.c.release, EVENT.c.event).join(RELEASE).where(RELEASE.c.dataset == dataset)
    states = {row.release: row.event for row in connection.execute(events.order_by(EVENT.c.id))}
    try:
        cap = Cap(Fraction(caps[-1].epsilon), float(caps[-1].delta)) if caps else None
        entries = tuple(
            Entry(row.id, row.at, Amount(Fraction(row.amount), row.unit), states.get(row.id, "reserved"), row.note)
            for row in releases
        )
    except (ValueError, ZeroDivisionError):
        raise ValueError(DAMAGE) from None
    if any(entry.amount.unit not in ("ε", "ρ") or entry.amount.value <= 0 for entry in entries):
        raise ValueError(DAMAGE)
    return Account(name, person, cap, entries)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
