from .classification import (
    CLASSIFIERS as CLASSIFIERS,
    MAJORITY as MAJORITY,
    MAX_CLASSES as MAX_CLASSES,
    REAL as REAL,
    ClassifierScore as ClassifierScore,
    Evaluation as Evaluation,
    Target as Target,
    evaluate_rows as evaluate_rows,
    hold_out as hold_out,
    predict_majority as predict_majority,
    synthetic_rows as synthetic_rows,
    train_and_test as train_and_test,
)
from .errors import (
    LEAST_ERROR as LEAST_ERROR,
    Errors as Errors,
    TermError as TermError,
    errors as errors,
    errors_by_term as errors_by_term,
    least_fall as least_fall,
    relative_entropy as relative_entropy,
    updates as updates,
)
from .executors import pool as pool, processors as processors
from .trials import (
    Result as Result,
    Trial as Trial,
    cheapest_first as cheapest_first,
    from_csv as from_csv,
    grid as grid,
    run_system as run_system,
    run_trial as run_trial,
    run_trials as run_trials,
    settings_of as settings_of,
    title_of as title_of,
    to_csv as to_csv,
)
from .verdict import (
    Interval as Interval,
    geometric_mean as geometric_mean,
    verdict as verdict,
    verdict_sentences as verdict_sentences,
)
