from .composed.apart import (
    Apart as Apart,
    later_parts as later_parts,
    parts_of as parts_of,
    rounds_in as rounds_in,
    terms_by_part as terms_by_part,
    with_epsilon as with_epsilon,
)
from .composed.staged import Staged as Staged
from .default_choice import (
    default as default,
    first_model as first_model,
    from_table as from_table,
    public_start as public_start,
    starting_from as starting_from,
)
from .effort import MAX_ROWS as MAX_ROWS, bytes_of_run as bytes_of_run, effort as effort
from .expected_lower import lower_name as lower_name
from .forecast import as_range as as_range, error_noun as error_noun, forecast as forecast
from .in_words import (
    Turn as Turn,
    measured_in_words as measured_in_words,
    run_in_words as run_in_words,
    turn_of as turn_of,
    what_ran as what_ran,
)
from .narrowest import TOTAL_SHARE as TOTAL_SHARE, narrowest as narrowest
from .planned.counts import Counts as Counts
from .planned.hierarchy import (
    Hierarchy as Hierarchy,
    best_hierarchy as best_hierarchy,
    boxes_of as boxes_of,
    serves as serves,
)
from .planned.nothing import Nothing as Nothing
from .planned.planned import Planned as Planned
from .planned.plans import ResidualPlan as ResidualPlan
from .planned.public_model import PublicStart as PublicStart
from .planned.refining import Halvings as Halvings
from .planned.sizes import counted as counted, goes_beyond as goes_beyond
from .rules import mwem_by_rule as mwem_by_rule, rounds_by_rule as rounds_by_rule
