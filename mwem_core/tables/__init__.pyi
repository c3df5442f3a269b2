from .archives import (
    DAMAGE as DAMAGE,
    ZIP as ZIP,
    limit_memory as limit_memory,
    open_archive as open_archive,
    unpack as unpack,
)
from .dataframes import TableLike as TableLike, as_table as as_table, is_pandas as is_pandas
from .delimited_text import (
    CHOICES as CHOICES,
    MAX_COLUMNS as MAX_COLUMNS,
    read_delimited as read_delimited,
)
from .encodings import USUAL as USUAL
from .library_files import (
    declared_labels as declared_labels,
    is_statistics_file as is_statistics_file,
    labels_of as labels_of,
)
from .table_files import read_table as read_table
from .table_frame import (
    FIRST_ROW as FIRST_ROW,
    LAST_ROW as LAST_ROW,
    asked_about as asked_about,
    declarations as declarations,
)
from .table_reading import (
    DEFAULT_READING as DEFAULT_READING,
    MAX_FOOTER as MAX_FOOTER,
    MAX_HEADER as MAX_HEADER,
    Reading as Reading,
    TableProblem as TableProblem,
    count_of as count_of,
    notes_of as notes_of,
    without_values as without_values,
)
from .texts import (
    column_fingerprints as column_fingerprints,
    distinct_texts as distinct_texts,
    fingerprint as fingerprint,
    text_column as text_column,
    text_of as text_of,
)
from .workbooks import MAX_CELLS as MAX_CELLS
