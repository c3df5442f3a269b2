from .frames import frame_of_rows as frame_of_rows
from .manifest import (
    FORMAT as FORMAT,
    MAX_ROWS as MAX_ROWS,
    check_seal as check_seal,
    digest as digest,
    json_text as json_text,
    json_values as json_values,
    manifest as manifest,
    measured_bins as measured_bins,
    run_facts as run_facts,
    seal as seal,
    transcript as transcript,
    versions as versions,
)
from .model_file import model_json as model_json, read_model as read_model
from .packages import croissant as croissant, data_package as data_package, sdmetrics_metadata as sdmetrics_metadata
from .run import (
    SCHEMA_REASONS as SCHEMA_REASONS,
    Provenance as Provenance,
    Run as Run,
    provenance_of_a_release as provenance_of_a_release,
)
from .run_files import (
    answers_csv as answers_csv,
    copies_csv as copies_csv,
    copy_column as copy_column,
    data_frame as data_frame,
    guard_in_words as guard_in_words,
    guarded_texts as guarded_texts,
    has_plain_rows as has_plain_rows,
    intervals_csv as intervals_csv,
    rows_csv as rows_csv,
)
from .script import script as script
from .synthesis import (
    decode as decode,
    exchange_limit as exchange_limit,
    gives_rows as gives_rows,
    nearest_rows as nearest_rows,
    round_rows as round_rows,
    sample as sample,
)
