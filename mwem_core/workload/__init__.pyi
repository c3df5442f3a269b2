from . import families as families
from .consistency import (
    check_non_negative as check_non_negative,
    consistent_projection as consistent_projection,
    nearest_possible as nearest_possible,
    non_negative as non_negative,
    to_simplex as to_simplex,
)
from .families import (
    cuboids as cuboids,
    listed_ranges as listed_ranges,
    marginals as marginals,
    mixture as mixture,
    parities as parities,
    predicates as predicates,
    ranges as ranges,
)
from .gram_matrix import gram as gram
from .groups import named_groups as named_groups, proposed_groups as proposed_groups
from .operators import (
    Boxes as Boxes,
    Cells as Cells,
    Parity as Parity,
    signs as signs,
    squares_by_level as squares_by_level,
)
from .residuals import (
    MAX_SUBSET_CELLS as MAX_SUBSET_CELLS,
    Residuals as Residuals,
    check_subsets as check_subsets,
    subset_cells as subset_cells,
)
from .spec import parse_workload as parse_workload
from .subsets import (
    Subsets as Subsets,
    closure as closure,
    lower as lower,
    overlap as overlap,
    subsets_of as subsets_of,
    tables_of as tables_of,
)
from .table_sizes import (
    Costs as Costs,
    are_large as are_large,
    relative_costs as relative_costs,
    rows_hold as rows_hold,
    weights_of_tables as weights_of_tables,
)
from .workload import Block as Block, Workload as Workload, require_tables as require_tables
