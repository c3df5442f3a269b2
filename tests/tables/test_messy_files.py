"""Files as people have them become rows of the same kind, precision and form, with nothing chosen but a sheet."""

import io
import re

import numpy as np
import pandas as pd
import pytest
from messy_files import MESSY

from mwem_core import Seeded, default, nearest_rows, parse_workload, rows_csv
from mwem_core.encoding import encode
from mwem_core.schemas import first_schema
from mwem_core.tables import decimal_of, read_table


@pytest.mark.parametrize("messy", MESSY, ids=lambda messy: messy.name)
def test_a_messy_file_becomes_rows_of_its_own_kind_precision_and_form(messy):
    table = read_table(messy.data, name=messy.name, **messy.choices)
    first = first_schema(table)
    assert {*first.domain.names} == messy.forms.keys()
    assert {name for name, part in messy.left_out.items() if part in first.left_out[name]} == {*first.left_out}
    B = encode(table, first.domain)
    workload = parse_workload("marginals:2", first.domain)
    *_, last = default(workload, n=B.total, epsilon=1.0).rounds(B, workload, noise=Seeded(0))
    rng = np.random.default_rng(0)
    rows = nearest_rows(workload, last.model, B.total, rng)
    written = rows_csv(rows, rng, decimal=decimal_of(table))
    again = encode(read_table(written, decimal=decimal_of(table)), first.domain)
    assert all((codes == own).all() for codes, own in zip(again.codes, rows.codes, strict=True)), "nothing is lost"
    frame = pd.read_csv(
        io.BytesIO(written), sep=";" if decimal_of(table) == "," else ",", dtype=str, keep_default_na=False
    )
    for name, form in messy.forms.items():
        outside = [cell for cell in frame[name].unique() if not re.fullmatch(form, cell)]
        assert not outside, f"{name}: {outside[:5]}"
