"""Table 1: one number that is not the printed one decides."""

import pytest

from mwem_core.experiments.contingency import FACTS, METRIC, OURS, PAPER, PRINTED_FACTS, TABLE1, UNIFORM
from mwem_core.experiments.results import frame_of


def table1(**changed):
    rows = [{"table": table, "method": UNIFORM, "system": UNIFORM, METRIC: 1.0} for table in PRINTED_FACTS]
    for table, printed in PRINTED_FACTS.items():
        facts = dict(zip(FACTS, printed, strict=True))
        rows += [{"table": table, "method": PAPER, **facts}, {"table": table, "method": OURS, **facts}]
        rows[-1] |= changed if table == "czech" else {}
    return frame_of(rows, TABLE1.metrics)


@pytest.mark.parametrize(
    ("frame", "holds", "told"),
    [
        (table1(), "holds", "16 of 16 numbers equal the printed ones."),
        (
            table1(non_zero=62),
            "does not hold",
            "15 of 16 numbers equal the printed ones: czech has 62 non-zero, not 63.",
        ),
    ],
)
def test_table_1(frame, holds, told):
    verdict = TABLE1.verdict(frame)
    assert verdict.holds == holds
    assert verdict.numbers.startswith(told)
