"""Cells of a column beside cells that rows may hold, and the proof that a proposed attribute writes what it reads."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from mwem_core.domain import Attribute
from mwem_core.forms import COMMA, MISSING_TEXTS, POINT, SIGN_SWAP, is_number
from mwem_core.values import Codes, Values

EXAMPLES = 3  # cells of the file, and of rows
TRIALS = 200  # cells that are drawn to be read again
SAMPLE = 300  # different texts of a column
MIN_SHARE = 0.95  # of the rows, whose texts come back in their own form
NUMBER = re.compile(r"(?:\d[\d.,'’٫٬\s]*|\.\d+)(?:[eE][-+−]?\d+)?|[-+−–()\s]")
PARTS = re.compile(r"\d+|[^\W\d_]+\.?")


def own_cells(texts: Sequence[str], rows: np.ndarray) -> tuple[str, ...]:
    """Three different cells of a column, drawn by how many rows have each; those that are missing only if need be."""
    at = _sample(rows)
    filled = [i for i in at if texts[i] not in MISSING_TEXTS] or at
    if not filled:
        return ()
    share = rows[filled] / rows[filled].sum()
    drawn = np.random.default_rng(0).choice(len(filled), min(EXAMPLES, len(filled)), replace=False, p=share)
    return tuple(texts[filled[int(i)]] for i in drawn)


def drawn_cells(attribute: Attribute, decimal: str) -> tuple[str, ...]:
    """Three cells that rows may hold, of different values; fewer if there are not so many. Only the schema is read."""
    rng, size = np.random.default_rng(0), attribute.value_set.size
    cells = _cells(attribute, rng.choice(size, min(EXAMPLES, size), replace=False), rng)
    swaps = attribute.numeric and decimal == COMMA
    return tuple(cell.translate(SIGN_SWAP) if swaps and is_number(cell, attribute.form) else cell for cell in cells)


def fault_of(attribute: Attribute, texts: Sequence[str], rows: np.ndarray, decimal: str) -> str:
    """Why rows could not hold what a column holds, as a sentence after its name; empty if they can.

    At least 95% of the rows must be read as a value that is written in the form of their text, and what is drawn must
    be read again as the value it was drawn for. Both are tried on a sample.
    """
    rng = np.random.default_rng(0)
    codes = rng.integers(attribute.size, size=TRIALS)
    again = attribute.encode(attribute.as_declared(_cells(attribute, codes, rng), POINT))
    if not np.array_equal(again, codes):
        return "would be written in cells that are read back as other values"
    at = _sample(rows)
    own, times, size = [texts[i] for i in at], rows[at], attribute.value_set.size
    codes = attribute.encode(attribute.as_declared(own, decimal))
    cells = zip(own, codes.tolist(), _cells(attribute, np.maximum(codes, 0), rng), strict=True)
    back = [code >= size or (code >= 0 and _form(a, attribute) == _form(b, attribute)) for a, code, b in cells]
    return "" if back @ times >= MIN_SHARE * times.sum() else "would come back in another form"


def _sample(rows: np.ndarray) -> list[int]:
    """Texts that fill rows, by index, evenly spread."""
    used = np.flatnonzero(rows)
    return used[:: max(1, -(-len(used) // SAMPLE))].tolist()


def _cells(attribute: Attribute, codes: np.ndarray, rng: np.random.Generator) -> tuple[str, ...]:
    return tuple(map(str, attribute.decode(codes, rng).tolist()))


def _form(text: str, attribute: Attribute) -> str:
    """What numbers have around them, or what dates have between their parts; nothing of listed texts."""
    if isinstance(attribute.value_set, Values | Codes):
        return ""
    return (
        NUMBER.sub("", text) if attribute.numeric else PARTS.sub(lambda part: "9" if part[0].isdigit() else "a", text)
    )
