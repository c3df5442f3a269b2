"""Files hold the user's own values, and read back as the records, answers and weights that were written."""

import copy
import io

import numpy as np
import pandas as pd
import pytest
from runs import awkward_records, run_on

from mwem_core import encode, read_table, round_rows
from mwem_core.output.run_files import answers_csv, rows_csv, rows_parquet, weights_csv


@pytest.mark.parametrize(("write", "format"), [(rows_csv, "csv"), (rows_parquet, "parquet")])
def test_rows_have_the_columns_of_the_schema_and_encode_to_the_same_codes(run, write, format, tmp_path):
    rng = np.random.default_rng(run.seed)
    rows = round_rows(run.domain, run.model, round(run.model.total), rng)
    path = tmp_path / f"rows.{format}"
    path.write_bytes(write(rows, rng))
    table = read_table(path)
    assert tuple(table.column_names) == run.domain.names
    read = encode(table, run.domain)
    assert read.total == 1841
    assert all(np.array_equal(a, b) for a, b in zip(read.codes, rows.codes, strict=True))


@pytest.mark.parametrize(("write", "format"), [(rows_csv, "csv"), (rows_parquet, "parquet")])
def test_quotes_empty_values_bins_and_missing_numbers_survive_a_file(write, format, tmp_path):
    records = awkward_records()
    path = tmp_path / f"rows.{format}"
    path.write_bytes(write(records, np.random.default_rng(1)))
    read = encode(read_table(path), records.domain)
    assert all(np.array_equal(a, b) for a, b in zip(read.codes, records.codes, strict=True))


def test_csv_and_parquet_from_the_same_generator_hold_the_same_values():
    records, rng = awkward_records(), np.random.default_rng(1)
    csv = pd.read_csv(io.BytesIO(rows_csv(records, copy.deepcopy(rng))), dtype=str, keep_default_na=False)
    parquet = pd.read_parquet(io.BytesIO(rows_parquet(records, copy.deepcopy(rng))))
    assert (csv == parquet.astype(str)).all(axis=None)


def test_answers_are_the_model_s_under_the_queries_names_in_the_workload_s_order(run):
    answers = pd.read_csv(io.BytesIO(answers_csv(run.workload, run.model)))
    assert list(answers["query"]) == [run.workload.query(j)[2] for j in range(run.workload.size)]
    assert answers["answer"].to_numpy() == pytest.approx(run.workload.answers(run.model))


def test_weights_are_the_model_s_and_sum_to_its_total(run):
    weights = pd.read_csv(io.BytesIO(weights_csv(run)))
    assert tuple(weights.columns) == (*run.domain.names, "weight")
    assert len(weights) == run.domain.size
    assert weights["weight"].sum() == pytest.approx(run.model.total)
    smokers = weights.groupby("smoking")["weight"].sum()[["no", "yes"]]
    assert smokers.to_numpy() == pytest.approx(run.model.marginal((0,)))


def test_beside_an_attribute_named_weight_the_weights_are_named_after_A():
    records = awkward_records()
    weights = pd.read_csv(io.BytesIO(weights_csv(run_on(records))))
    assert set(weights["weight"]) == set(records.domain.attributes[1].labels)
    assert weights["A(x)"].sum() == pytest.approx(60)


def test_weights_of_a_large_domain_are_refused_with_advice(run, monkeypatch):
    monkeypatch.setattr("mwem_core.output.run_files.MAX_WEIGHTS_CELLS", 63)
    message = "the domain has 64 cells, but weights are written for at most 63: take the rows instead"
    with pytest.raises(ValueError, match=message):
        weights_csv(run)
