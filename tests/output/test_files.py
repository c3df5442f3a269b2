"""Files hold the user's own values, and read back as the records and answers that were written."""

import io

import numpy as np
import pandas as pd
import pytest
from runs import awkward_records

from mwem_core import encode, read_table, round_rows
from mwem_core.output.run_files import answers_csv, rows_csv


def test_rows_have_the_columns_of_the_schema_and_encode_to_the_same_codes(run):
    rng = np.random.default_rng(run.seed)
    rows = round_rows(run.domain, run.model, round(run.model.total), rng)
    table = read_table(rows_csv(rows, rng))
    assert tuple(table.column_names) == run.domain.names
    read = encode(table, run.domain)
    assert read.total == 1841
    assert all(np.array_equal(a, b) for a, b in zip(read.codes, rows.codes, strict=True))


def test_quotes_empty_values_bins_and_missing_numbers_survive_a_file():
    records = awkward_records()
    read = encode(read_table(rows_csv(records, np.random.default_rng(1))), records.domain)
    assert all(np.array_equal(a, b) for a, b in zip(read.codes, records.codes, strict=True))


def test_answers_are_the_model_s_under_the_queries_names_in_the_workload_s_order(run):
    answers = pd.read_csv(io.BytesIO(answers_csv(run.workload, run.model)))
    assert list(answers["query"]) == [run.workload.query(j)[2] for j in range(run.workload.size)]
    assert answers["answer"].to_numpy() == pytest.approx(run.workload.answers(run.model))
