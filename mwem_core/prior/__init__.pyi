from .fits import (
    MAX_FITTED_CELLS as MAX_FITTED_CELLS,
    MAX_FUNCTIONS as MAX_FUNCTIONS,
    fitted_by_attribute as fitted_by_attribute,
    fitted_by_order as fitted_by_order,
    refit as refit,
    tree_for as tree_for,
)
from .strength import (
    MIN_STRENGTH as MIN_STRENGTH,
    NODE_WEIGHTS as NODE_WEIGHTS,
    NODES as NODES,
    query_strength as query_strength,
    table_strength as table_strength,
    typical_strength as typical_strength,
)
