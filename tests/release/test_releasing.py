"""A release is charged before it draws, once and for all; what is refused before costs nothing and shows no value."""

import json
from fractions import Fraction

import pytest
import releases
from command_line import SCHEMA, people_csv
from messages import exactly

from mwem_core import Domain, Seeded, encode, read_table
from mwem_core.accounts import LedgerFile
from mwem_core.base import constants
from mwem_core.domain import PublicTable
from mwem_core.encoding import read_public_table
from mwem_core.privacy import Amount, Cap, Unit
from mwem_core.release.release import FAILURE, NO_MEASUREMENT, release
from mwem_core.release.terms import Terms
from mwem_core.systems import OFFSETS_SHARE

DOMAIN = Domain.from_toml(SCHEMA)
OPEN = "range = [17, 90]\nmeasured_bins = 3"  # of a number


@pytest.fixture
def table(tmp_path):
    (tmp_path / "people.csv").write_text(people_csv())
    return read_table(tmp_path / "people.csv")


@pytest.fixture
def book(tmp_path):
    return LedgerFile(tmp_path / "ledger.sqlite")


def terms_of(spec="marginals:2", domain=DOMAIN, **more) -> Terms:
    return releases.terms_of(spec, domain, **more)


def spent(book: LedgerFile) -> list[tuple[Amount, str]]:
    """Every release in the ledger: what it costs, and its state."""
    return [(entry.amount, entry.state) for account in book.accounts() for entry in account.entries]


class Failing(Seeded):
    """A noise source that draws once, and then fails with a message that holds a value."""

    drawn = False

    def laplace(self, *draw):
        if self.drawn:
            raise RuntimeError("secret value 39")
        self.drawn = True
        return super().laplace(*draw)


class Interrupted(Seeded):
    """A noise source in whose first draw the user stops the program."""

    def laplace(self, *draw):
        raise KeyboardInterrupt


def test_a_release_is_charged_what_it_promises_and_is_settled(table, book):
    files = release(terms_of(epsilon=0.1), table, book, noise=Seeded(0))
    assert json.loads(files["manifest.json"])["spent"]["charged"] == "ε = 0.1"
    assert spent(book) == [(Amount(Fraction(1, 10), "ε"), "settled")]


def test_a_changed_table_goes_on_with_its_account_only_if_the_user_says_so_and_its_note_is_kept(table, book):
    release(terms_of(), table, book, noise=Seeded(0))
    with pytest.raises(ValueError, match=r"^the table has changed since the last release under this name"):
        release(terms_of(), table.slice(1), book, noise=Seeded(0))
    release(terms_of(), table.slice(1), book, noise=Seeded(0), changed=True, note="one person fewer")
    assert [entry.note for entry in book.accounts()[0].entries] == ["", "one person fewer"]


def test_under_zcdp_it_is_charged_in_rho(table, book):
    release(terms_of(delta=1e-6), table, book, noise=Seeded(0))
    assert spent(book) == [(Amount.of(1.0, 1e-6), "settled")]


def test_a_release_for_persons_is_charged_for_persons_and_spends_less_on_a_record(table, book):
    files = release(terms_of(unit=Unit("smoker", 4)), table, book, noise=Seeded(0))
    assert spent(book) == [(Amount.of(1.0), "settled")]
    assert book.accounts()[0].person == "smoker"
    assert json.loads(files["manifest.json"])["spent"]["of_a_record"] == pytest.approx(0.25)


def test_a_release_above_the_cap_is_refused_before_it_draws(table, book):
    release(terms_of(epsilon=0.7), table, book, noise=Seeded(0), cap=Cap.of(1.0))
    with pytest.raises(ValueError, match="above the cap"):
        release(terms_of(epsilon=0.7), table, book, noise=Interrupted(0))
    assert spent(book) == [(Amount.of(0.7), "settled")]


def test_a_release_that_would_measure_nothing_is_refused_unless_n_is_measured_and_then_says_so(table, book):
    """60 records at ε = 0.005. With a measured n, here 1, what is worth measuring is decided when that is spent."""
    tiny = terms_of(epsilon=0.005, total="public")
    with pytest.raises(ValueError, match=exactly(NO_MEASUREMENT)):
        release(tiny, table, book, noise=Seeded(0))
    assert spent(book) == []
    files = release(terms_of(epsilon=0.005), table, book, noise=Seeded(1))
    assert "Nothing was measured of the attributes" in files["report.html"].decode()
    assert len(spent(book)) == 1


def test_what_fails_after_the_first_draw_counts_and_says_one_fixed_sentence(table, book):
    with pytest.raises(ValueError, match=r"^the release failed") as failed:
        release(terms_of(), table, book, noise=Failing(0))
    assert str(failed.value) == FAILURE
    assert failed.value.__context__ is None  # so no traceback shows the first error
    assert spent(book) == [(Amount.of(1.0), "drawing")]
    with pytest.raises(KeyboardInterrupt):
        release(terms_of(), table, book, noise=Interrupted(0))
    assert [state for _, state in spent(book)] == ["drawing", "drawing"]


@pytest.mark.parametrize(
    ("old", "new", "terms"),
    [
        ("sex", "gender", {}),
        (",M,", ",X-secret,", {}),
        ("age", "age", {"unit": Unit("patient", 2)}),
        ("age", "age", {"spec": "parities:2"}),
    ],
)
def test_what_can_be_refused_is_refused_without_a_charge_or_a_value(tmp_path, book, old, new, terms):
    (tmp_path / "bad.csv").write_text(people_csv().replace(old, new))
    with pytest.raises(ValueError, match=r"\w") as refused:
        release(terms_of(**terms), read_table(tmp_path / "bad.csv"), book, noise=Interrupted(0))
    assert "secret" not in str(refused.value)
    assert spent(book) == []


def test_a_public_total_is_in_the_settings_and_a_private_one_is_measured(table, book):
    public = json.loads(release(terms_of(total="public"), table, book, noise=Seeded(0))["measurements.json"])
    private = json.loads(release(terms_of(), table, book, noise=Seeded(0))["measurements.json"])
    assert "measured" not in public[0]
    assert private[0]["attributes"] == []
    assert private[0]["spent"]["start"] == pytest.approx(constants.SHARE_OF_N * (1 - OFFSETS_SHARE))


def test_the_decimal_mark_of_a_release_is_declared_and_never_detected(tmp_path, book):
    """Detected, one record could change how all others are read."""
    rows = people_csv().splitlines()
    comma = "\n".join(
        [rows[0], *(row.replace(",", ",00;", 1).replace(",", ";").replace(";00", ",00") for row in rows[1:])]
    )
    table = read_table(comma.replace(rows[0], rows[0].replace(",", ";")).encode())
    assert table.schema.metadata[b"decimal"] == b","
    with pytest.raises(ValueError, match="column 'age' has values outside the schema"):
        release(terms_of(), table, book, noise=Seeded(0))
    facts = json.loads(release(terms_of(decimal=","), table, book, noise=Seeded(0))["manifest.json"])["public"]
    assert {"fact": "decimal mark of the table", "from": "the user: comma"} in facts


def test_a_release_keeps_the_rules_and_says_nothing_of_the_records_that_break_them(table, book):
    ruled = Domain(DOMAIN.attributes, ("sex == 'F' and smoker == 1",))
    files = release(terms_of(domain=ruled), table, book, noise=Seeded(0))
    assert encode(table, ruled).broken[0] > 0
    rows = encode(read_table(files["rows.csv"], name="rows.csv"), ruled)
    assert rows.broken == (0,)
    assert {"fact": "rules: what no record has", "from": "the schema"} in json.loads(files["manifest.json"])["public"]
    assert not [name for name, content in files.items() if b"records break" in content]


def test_a_release_from_a_public_table_says_so_and_costs_the_same(table, book, tmp_path):
    start = read_public_table(tmp_path / "people.csv", DOMAIN)
    files = release(terms_of(public=start), table, book, noise=Seeded(0))
    manifest = json.loads(files["manifest.json"])
    assert manifest["settings"]["start"] == {"type": "PublicStart", "table": start.summary()}
    assert start.records.digest in json.dumps(manifest["public"])
    assert spent(book) == [(Amount.of(1.0, 0.0), "settled")]
    elsewhere = PublicTable("other.csv", start.records.project(["age", "sex"]))
    with pytest.raises(ValueError, match="is under another schema"):
        release(terms_of(public=elsewhere), table, book, noise=Seeded(0))
    assert len(spent(book)) == 1, "what is refused costs nothing"


ONE = {  # a table of a single record, in each way in which another has none
    "a record": ("age,sex\n20,F\n", {}),
    "a person": ("who,age,sex\nann,20,F\n", {"unit": Unit("who")}),
    "a person of several": ("who,age,sex\nann,20,F\n", {"unit": Unit("who", 3)}),
    "a weight": ("age,sex,count\n20,F,1\n", {"count": "count"}),
    "measured bins": ("age,sex\n20,F\n", {"domain": SCHEMA.replace("edges = [17, 25, 35, 90]", OPEN)}),
}


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("one", ONE)
def test_a_table_without_records_is_released_like_one_of_a_single_record(book, one, delta):
    """The one differs from the other by one unit, so a refusal would tell them apart."""
    text, more = ONE[one][0], dict(ONE[one][1])
    domain = Domain.from_toml(more.pop("domain", SCHEMA)).project(["age", "sex"])
    terms = terms_of(domain=domain, dataset="few", epsilon=0.5, delta=delta, **more)
    header = text.partition("\n")[0] + "\n"
    tables = [text, header, *([text.replace(",1\n", ",0\n")] if "count" in header else [])]
    names = [
        set(release(terms, read_table(each.encode(), min_rows=0), book, noise=Seeded(0), changed=True))
        for each in tables
    ]
    assert all(each == names[0] for each in names)
    assert [state for _, state in spent(book)] == ["settled"] * len(tables)


def test_a_table_without_records_is_refused_where_their_number_is_public(book):
    with pytest.raises(ValueError, match=r"^the table has no records: there is nothing to release$"):
        release(terms_of(total="public"), read_table(b"age,hours,sex,smoker\n", min_rows=0), book, noise=Seeded(0))
    assert spent(book) == []


def test_a_table_with_a_column_more_does_not_get_an_account_of_its_own_without_a_word(table, book):
    release(terms_of(), table, book, noise=Seeded(0))
    wider = table.append_column("town", table["sex"])
    with pytest.raises(ValueError, match=r"^the table looks like 'people' in the ledger: it has 4 of the 4 columns"):
        release(terms_of(dataset="with towns"), wider, book, noise=Interrupted(0))
    grown = read_table((people_csv() + "20,1,F,0\n").encode())  # each column has changed
    with pytest.raises(ValueError, match=r"^the table looks like 'people' in the ledger: it declares 4 of the 4"):
        release(terms_of(dataset="one more"), grown, book, noise=Interrupted(0))
    assert len(spent(book)) == 1
    release(terms_of(dataset="with towns"), wider, book, noise=Seeded(0), others=True)
    release(terms_of(), grown, book, noise=Seeded(0), changed=True)
    assert [len(account.entries) for account in book.accounts()] == [2, 1]
