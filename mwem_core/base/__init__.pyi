from . import fitted as fitted
from .checks import (
    check_choices as check_choices,
    check_kind as check_kind,
    check_positive as check_positive,
    got as got,
    hint as hint,
    is_whole as is_whole,
    repeated as repeated,
)
from .fitted import (
    FEW_ROWS_REDRAWS as FEW_ROWS_REDRAWS,
    PLANNED_TOLERANCE as PLANNED_TOLERANCE,
    REFIT_STRENGTH as REFIT_STRENGTH,
    REFIT_SWEEPS as REFIT_SWEEPS,
    ROWS_REDRAWS as ROWS_REDRAWS,
    ROWS_TOLERANCE as ROWS_TOLERANCE,
    TREE_TOLERANCE as TREE_TOLERANCE,
    WORTH as WORTH,
)
from .places import CORE as CORE, SAMPLES as SAMPLES, bundled as bundled
from .settings import change as change, classes_of as classes_of, settings_from as settings_from
from .templates import template as template
from .words import listed as listed, named as named
