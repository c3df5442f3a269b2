import numpy as np
import pytest
from messages import exactly
from people import PEOPLE, people

from mwem_core.domain.records import Records
from mwem_core.domain.table import check_not_empty


def test_a_table_without_records_is_refused():
    check_not_empty(people("age,sex\n20,F\n"))
    no_rows = Records(PEOPLE, (np.zeros(0, dtype=np.uint8),) * 2)
    no_weight = Records(PEOPLE, (np.zeros(1, dtype=np.uint8),) * 2, np.zeros(1, dtype=np.int64))
    for empty in (no_rows, no_weight):
        with pytest.raises(ValueError, match=exactly("the table has no records: there is nothing to release")):
            check_not_empty(empty)
