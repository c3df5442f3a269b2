from . import privacy as privacy
from .attributes import choose_attributes as choose_attributes, default_attributes as default_attributes
from .counts import COUNTS as COUNTS, OTHER as OTHER, choose_kind as choose_kind
from .data import (
    OWN as OWN,
    TYPES as TYPES,
    Data as Data,
    choose_file as choose_file,
    original_table as original_table,
    read_new_file as read_new_file,
)
from .encoding import choose_encoding as choose_encoding
from .privacy import (
    BY_RULE as BY_RULE,
    ROUNDS_HELP as ROUNDS_HELP,
    Variant as Variant,
    choose_advanced as choose_advanced,
    choose_bins_share as choose_bins_share,
    choose_delta as choose_delta,
    choose_epsilon as choose_epsilon,
    choose_rounds as choose_rounds,
    current_rounds as current_rounds,
)
from .public_start import choose_public_start as choose_public_start
from .samples import SAMPLE as SAMPLE, load_sample as load_sample, read_sample as read_sample
from .schema import CODE_BOOK as CODE_BOOK, CODE_BOOK_TYPES as CODE_BOOK_TYPES
from .schema_editor import (
    edited_rows as edited_rows,
    edited_rules as edited_rules,
    reasons_in_words as reasons_in_words,
)
from .schema_rows import (
    CATEGORIES as CATEGORIES,
    KINDS as KINDS,
    Row as Row,
    domain_of as domain_of,
    rows_of as rows_of,
)
from .task import begin as begin, choose_task as choose_task, confirm_upload as confirm_upload
from .unit import choose_unit as choose_unit, describe_unit as describe_unit, warn_of_records as warn_of_records
from .upload import MAX_UPLOAD_BYTES as MAX_UPLOAD_BYTES, Upload as Upload
from .workload import choose_workload as choose_workload, describe as describe
