from . import metrics as metrics, trials_file as trials_file
from .classification import (
    MAJORITY as MAJORITY,
    REAL as REAL,
    ClassifierScore as ClassifierScore,
    Evaluation as Evaluation,
    check_installed as check_installed,
    evaluate_rows as evaluate_rows,
    hold_out as hold_out,
    predict_majority as predict_majority,
    synthetic_rows as synthetic_rows,
    train_and_test as train_and_test,
)
from .classifiers import CLASSIFIERS as CLASSIFIERS
from .course import Course as Course, course as course, least_fall as least_fall, updates as updates
from .executors import cluster as cluster, pool as pool, processors as processors
from .metrics import (
    LEAST_ERROR as LEAST_ERROR,
    ROUNDING as ROUNDING,
    Errors as Errors,
    TermError as TermError,
    errors as errors,
    errors_by_term as errors_by_term,
    relative_entropy as relative_entropy,
)
from .target import MAX_CLASSES as MAX_CLASSES, Target as Target
from .trials import (
    CHEAPEST_FIRST as CHEAPEST_FIRST,
    Judge as Judge,
    Result as Result,
    Trial as Trial,
    cheapest_first as cheapest_first,
    grid as grid,
    run_system as run_system,
    run_trial as run_trial,
    run_trials as run_trials,
    settings_of as settings_of,
    title_of as title_of,
)
from .trials_file import from_csv as from_csv, to_csv as to_csv
from .verdict import (
    Interval as Interval,
    geometric_mean as geometric_mean,
    verdict as verdict,
    verdict_sentences as verdict_sentences,
)
