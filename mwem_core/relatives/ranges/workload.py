"""What the systems for ranges read of a workload: its boxes, and some of them as intervals of each attribute."""

import numpy as np

from mwem_core.workload import Boxes, Workload


def boxes_of(Q: Workload, system: str, max_cells: int) -> Boxes:
    """The boxes of a workload of ranges on one or two attributes with at most `max_cells` cells.

    Raises ValueError for another workload.
    """
    operator = Q.blocks[0].operator
    if Q.terms or not isinstance(operator, Boxes) or len(operator.sizes) > 2:
        asked = "ranges of more" if Q.family == "ranges" else Q.families
        raise ValueError(f"{system} answers ranges of one or two attributes, not {asked}: choose such ranges")
    if Q.cells > max_cells:
        raise ValueError(
            f"{system} reads every cell of {Q.domain.label(Q.attrs(0))}, which has {Q.cells:,}, "
            f"but at most {max_cells:,} fit its time and memory: declare coarser bins"
        )
    return operator


def intervals(boxes: Boxes, axis: int, at_most: int) -> np.ndarray:
    """The sides, along an axis, of at most that many of the boxes, evenly spaced: (boxes, size) booleans."""
    chosen = np.linspace(0, len(boxes.low) - 1, min(at_most, len(boxes.low))).astype(int)
    codes = np.arange(boxes.sizes[axis])
    return (codes >= boxes.low[chosen, axis, None]) & (codes <= boxes.high[chosen, axis, None])
