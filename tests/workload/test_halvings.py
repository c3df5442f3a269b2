"""Ranges by level of differences, against vectors written out."""

import numpy as np
import pytest
from oracles import domain_of

from mwem_core import parse_workload
from mwem_core.model import differences, heights, up_to
from mwem_core.workload.operators import squares_by_level


@pytest.mark.parametrize("sizes", [(2,), (5,), (13,), (16,), (3, 5), (7, 4)], ids=str)
def test_a_box_is_the_sum_of_its_components(sizes):
    """The oracle projects every box on the span of each level's differences."""
    columns = ",".join("abc"[: len(sizes)])
    Q = parse_workload(f"ranges:{columns}:50", domain_of(sizes))
    boxes = np.array([Q.query(j)[1].ravel() for j in range(Q.size)])
    found = squares_by_level(Q.blocks[0].operator)
    assert found.sum() == pytest.approx((boxes**2).sum(axis=1).mean())
    unit = np.eye(boxes.shape[1]).reshape(-1, *sizes)
    for k in up_to(heights(sizes)):
        rows = np.array([differences(e, k, sizes).ravel() for e in unit]).T
        projected = boxes @ np.linalg.pinv(rows) @ rows
        assert found[k] == pytest.approx((projected**2).sum(axis=1).mean(), abs=1e-9)
