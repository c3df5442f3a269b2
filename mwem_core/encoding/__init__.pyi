from .bin_numbers import (
    UNITS as UNITS,
    attrs_in_bins as attrs_in_bins,
    offset_sums as offset_sums,
    points_of as points_of,
    spans as spans,
    squares as squares,
)
from .cell_parts import PAIR as PAIR, column_of as column_of, part_of as part_of, parts_among as parts_among
from .encode import (
    COUNT_NAMES as COUNT_NAMES,
    COUNTS as COUNTS,
    EXPLORING_KEY as EXPLORING_KEY,
    NONE as NONE,
    WEIGHT_NAMES as WEIGHT_NAMES,
    Count as Count,
    CountPolicy as CountPolicy,
    check_columns as check_columns,
    count_column as count_column,
    count_of as count_of,
    encode as encode,
    encode_unit as encode_unit,
    likely_count as likely_count,
    read_public_table as read_public_table,
    records_of as records_of,
)
from .row_numbers import number_texts as number_texts, read_rows as read_rows, rows_of_values as rows_of_values
