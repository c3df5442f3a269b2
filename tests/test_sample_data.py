"""The bundled tables: their sizes, and the counts that the literature reports of them."""

from pathlib import Path

import numpy as np
import pytest
from sample_counts import count_of

from mwem_core.ask import Question, load_files, unpack
from mwem_core.domain import Domain, Records
from mwem_core.encoding import encode
from mwem_core.tables import read_table

SAMPLES = Path(__file__).parents[1] / "sample_data"


def sample(table: str, schema: str) -> Records:
    return encode(
        read_table(SAMPLES / table),
        Domain.from_toml((SAMPLES / schema).read_text(encoding="utf-8")),
        count=count_of(table),
    )


@pytest.mark.parametrize(
    ("table", "schema", "total"),
    [
        ("adult.parquet", "adult.toml", 48842),
        ("adult.parquet", "adult_unbinned.toml", 48842),
        ("czech.csv", "czech.toml", 1841),
        ("rochdale.csv", "rochdale.toml", 665),
        ("class_survey.csv", "class_survey.toml", 200),
    ],
)
def test_bundled_tables_fit_their_schemas(table, schema, total):
    records = sample(table, schema)
    assert records.total == total
    assert all(len(column) == len(records.codes[0]) for column in records.codes)


def test_the_release_of_adult_is_small_and_nearly_all_of_its_intervals_hold_the_tables_numbers():
    file = SAMPLES / "releases" / "adult.zip"
    assert file.stat().st_size <= 200_000
    release = load_files(unpack({file.name: file.read_bytes()}))
    truth = sample("adult.parquet", "adult.toml").project(release.domain.names)
    assert truth.domain == release.domain
    question = Question("share", "income = '>50K'", by=("education",))
    statistic = question.statistic(release.domain)
    held = [
        answer.low <= share <= answer.high
        for answer, share in zip(release.ask(question, of="table"), statistic.of(truth), strict=True)
    ]
    assert sum(held) >= len(held) - 2


def test_adult_has_the_sizes_of_the_paper():
    records = sample("adult.parquet", "adult_unbinned.toml")
    eight = ["workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country"]
    assert records.project(eight).domain.shape == (9, 16, 7, 15, 6, 5, 2, 42)
    assert records.project(["capital-loss"]).domain.shape == (4357,)
    train = Records(records.domain, tuple(column[:32561] for column in records.codes)).project(eight)
    missing = [a.value_set.size if a.missing else a.size for a in train.domain.attributes]
    whole = np.all([column != code for column, code in zip(train.codes, missing, strict=True)], axis=0)
    without_missing = Records(train.domain, tuple(column[whole] for column in train.codes))
    assert without_missing.total == 30162
    assert len(without_missing.distinct().codes[0]) == 7722


@pytest.mark.parametrize(("name", "filled", "cells"), [("czech", 63, 64), ("rochdale", 91, 256)])
def test_contingency_tables_have_as_many_filled_cells_as_published(name, filled, cells):
    records = sample(f"{name}.csv", f"{name}.toml")
    joint = records.marginal(range(len(records.domain)))
    assert (np.count_nonzero(joint), joint.size) == (filled, cells)
