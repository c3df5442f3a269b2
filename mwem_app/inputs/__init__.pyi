from .file_reading import choose_encoding as choose_encoding
from .privacy import (
    BY_RULE as BY_RULE,
    Variant as Variant,
    choose_advanced as choose_advanced,
    choose_bins_share as choose_bins_share,
    choose_delta as choose_delta,
    choose_epsilon as choose_epsilon,
    choose_rounds as choose_rounds,
    current_rounds as current_rounds,
)
from .public_start_choice import choose_public_start as choose_public_start
from .query_choice import choose_attributes as choose_attributes, default_attributes as default_attributes
from .schema_editor import (
    edited_rows as edited_rows,
    edited_rules as edited_rules,
)
from .schema_form import upload_code_book as upload_code_book
from .schema_rows import (
    KINDS as KINDS,
    domain_of as domain_of,
    rows_of as rows_of,
    unused_row as unused_row,
)
from .table_choice import (
    OWN as OWN,
    SAMPLE as SAMPLE,
    TYPES as TYPES,
    Data as Data,
    choose_file as choose_file,
    load_sample as load_sample,
    original_table as original_table,
    read_new_file as read_new_file,
    read_sample as read_sample,
)
from .task_choice import (
    choose_task as choose_task,
    choose_workload as choose_workload,
    confirm_upload as confirm_upload,
    describe as describe,
    queries_in_words as queries_in_words,
)
from .unit_choice import (
    choose_kind as choose_kind,
    choose_unit as choose_unit,
    describe_unit as describe_unit,
    warn_of_records as warn_of_records,
)
from .upload import MAX_UPLOAD_BYTES as MAX_UPLOAD_BYTES, Upload as Upload
