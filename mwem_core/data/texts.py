"""Columns of text: Arrow's columns of any type as dictionaries of distinct texts.

The texts have no surrounding blanks. Whole numbers become "39", also if stored as floats; booleans "1" and "0", which
`bits = true` reads; nulls "", like an empty cell; NaN and infinities "nan", "inf" and "-inf". A column of lists or
structs is not converted, and a schema cannot name it.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mwem_core.data.problem import TableProblem

TEXT_TYPE = pa.dictionary(pa.int32(), pa.string())


def text_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column as a dictionary of distinct texts without surrounding blanks; a column of lists or structs unchanged."""
    try:
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        array = pa.chunked_array(encoded.unify_dictionaries().chunks, encoded.type).combine_chunks()
        texts, indices = array.dictionary, array.indices.cast(pa.int32())
        if pa.types.is_boolean(texts.type):
            texts = texts.cast(pa.int8())
        texts = pc.call_function("utf8_trim_whitespace", [texts.cast(pa.string())])
    except pa.ArrowException:
        return column
    if array.null_count or texts.null_count or len(texts.unique()) < len(texts):
        return pa.chunked_array([pc.fill_null(texts.take(indices), "").dictionary_encode()])
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, texts)])


def distinct_texts(column: pa.ChunkedArray, name: str) -> tuple[list[str], np.ndarray]:
    """The distinct texts of a column, and for each row the index of its text, (m,).

    Raises TableProblem for a column of lists or structs.
    """
    if not pa.types.is_dictionary(column.type):
        rest = "not text or numbers; leave it out of the schema"
        raise TableProblem(
            f"column {name!r} holds {column.type}, {rest}", public=f"column {name!r} holds values that are {rest}"
        )
    array = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    return array.dictionary.to_pylist(), np.from_dlpack(
        array.indices
    )  # `to_numpy` would import pandas, which takes 0.4 s
