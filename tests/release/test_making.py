"""A release in one call: from a frame to what its receiver can ask, charged once, refused before it costs anything."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from command_line import SCHEMA, people_csv

from mwem_core import Domain, load_release, make_release
from mwem_core.accounts import LedgerFile
from mwem_core.privacy import Amount

TERMS = {"epsilon": 1.0, "name": "people", "cap": 1.5}


@pytest.fixture
def people(tmp_path) -> pd.DataFrame:
    (tmp_path / "people.csv").write_text(people_csv(200))
    return pd.read_csv(tmp_path / "people.csv")


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_a_frame_becomes_a_folder_that_can_be_asked(kind, people, tmp_path):
    (tmp_path / "schema.toml").write_text(SCHEMA)
    book, out = tmp_path / "book.db", tmp_path / "out"
    release = make_release(kind(people), tmp_path / "schema.toml", "marginals:2", ledger=book, out=out, **TERMS)
    (name, *_) = release.domain.names
    own, read = (each.ask(f"share(*) group by {name}") for each in (release, load_release(out)))
    assert own == read
    (account,) = LedgerFile(book).accounts()
    assert [(entry.amount, entry.state) for entry in account.entries] == [(Amount.of(1.0), "settled")]


def test_what_exceeds_the_cap_is_refused_and_writes_no_folder(people, tmp_path):
    domain, book = Domain.from_toml(SCHEMA), tmp_path / "book.db"
    make_release(people, domain, "marginals:1", ledger=book, out=tmp_path / "first", **TERMS)
    with pytest.raises(ValueError, match=r"would bring the cost of all to ε = 2, above the cap of ε = 1\.5"):
        make_release(people, domain, "marginals:1", ledger=book, out=tmp_path / "second", **TERMS)
    assert not (tmp_path / "second").exists()


def test_a_schema_with_values_off_the_data_is_refused_before_anything_is_spent(people, tmp_path):
    (tmp_path / "schema.toml").write_text(SCHEMA.replace("[[attribute]]", '[[attribute]]\nfrom_data = ["values"]', 1))
    with pytest.raises(ValueError, match="from_data"):
        make_release(
            people, tmp_path / "schema.toml", "marginals:1", ledger=tmp_path / "book.db", out=tmp_path / "out", **TERMS
        )
    assert not (tmp_path / "book.db").exists()
