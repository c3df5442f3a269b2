from .bundled import BUNDLED as BUNDLED
from .counts import (
    COUNTS as COUNTS,
    LIKELY as LIKELY,
    NONE as NONE,
    WEIGHTS as WEIGHTS,
    Count as Count,
    Unsaid as Unsaid,
    count_column as count_column,
    count_in_words as count_in_words,
    likely_count as likely_count,
    records_of as records_of,
)
from .encode import (
    bad_weights as bad_weights,
    check_columns as check_columns,
    check_total as check_total,
    encode as encode,
    outside_schema as outside_schema,
)
from .persons import EXPLORING_KEY as EXPLORING_KEY, encode_unit as encode_unit
from .public_table import PublicTable as PublicTable
from .row_numbers import (
    QUANTILE_NAMES as QUANTILE_NAMES,
    QUANTILES as QUANTILES,
    Numbers as Numbers,
    Rows as Rows,
    number_texts as number_texts,
    numbered as numbered,
    quantiles as quantiles,
    read_rows as read_rows,
    rows_of_values as rows_of_values,
    share_text as share_text,
    spans as spans,
    summarise as summarise,
)
from .stand_in import stand_in as stand_in
