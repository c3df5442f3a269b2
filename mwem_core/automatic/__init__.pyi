from .announcement import (
    MAX_ROWS as MAX_ROWS,
    Turn as Turn,
    as_range as as_range,
    bytes_of_run as bytes_of_run,
    effort as effort,
    error_noun as error_noun,
    forecast as forecast,
    measured_in_words as measured_in_words,
    run_in_words as run_in_words,
    turn_of as turn_of,
    what_ran as what_ran,
)
from .choice import (
    TOTAL_SHARE as TOTAL_SHARE,
    default as default,
    first_model as first_model,
    from_table as from_table,
    narrowest as narrowest,
    public_start as public_start,
    starting_from as starting_from,
)
from .compositions import (
    Apart as Apart,
    Staged as Staged,
    later_parts as later_parts,
    parts_of as parts_of,
    rounds_in as rounds_in,
    terms_by_part as terms_by_part,
    with_epsilon as with_epsilon,
)
from .counts import Counts as Counts
from .hierarchy import (
    Hierarchy as Hierarchy,
    best_hierarchy as best_hierarchy,
    boxes_of as boxes_of,
    serves as serves,
)
from .mwem_rules import mwem_by_rule as mwem_by_rule, rounds_by_rule as rounds_by_rule
from .plan_fit import Nothing as Nothing, Planned as Planned
from .plans import ResidualPlan as ResidualPlan
from .public_model import PublicStart as PublicStart
from .refinement import Halvings as Halvings
from .sizes import are_rows as are_rows, goes_beyond as goes_beyond
from .typical_tables import lower_name as lower_name
