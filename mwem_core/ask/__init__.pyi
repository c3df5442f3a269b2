from . import descriptive_statistics as descriptive_statistics, regressions as regressions
from .analysis_workload import (
    asked_domain as asked_domain,
    offsets_share as offsets_share,
    sets_of as sets_of,
    workload_of as workload_of,
)
from .answers import (
    PERHAPS_EMPTY as PERHAPS_EMPTY,
    Answer as Answer,
    Of as Of,
    in_digits as in_digits,
    refused_by_reason as refused_by_reason,
)
from .conditions import column_name as column_name, condition as condition, note as note
from .loaded_release import LoadedRelease as LoadedRelease, bounds_answer as bounds_answer, half_widths as half_widths
from .question import Kind as Kind, Question as Question, examples as examples
from .release_reader import load_files as load_files, load_release as load_release, unpack as unpack
from .sql import read_questions as read_questions
from .statistic import Statistic as Statistic, influences as influences
from .unshrunk_fits import copy_records as copy_records, without_shrinkage as without_shrinkage
