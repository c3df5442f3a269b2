from .capacity import Capacity as Capacity, Omissions as Omissions
from .component import MIN_SHARE as MIN_SHARE, Component as Component
from .contraction import grouped_by_union as grouped_by_union
from .junction_tree import JunctionTree as JunctionTree
from .loglinear import LogLinear as LogLinear, share_a_component as share_a_component
from .measurement import (
    Levels as Levels,
    Measurement as Measurement,
    Prior as Prior,
    bounds as bounds,
    counts as counts,
    differences as differences,
    heights as heights,
    pool as pool,
    pool_residuals as pool_residuals,
    up_to as up_to,
    values as values,
)
from .most_probable_fit import most_probable as most_probable
from .possible import check_rules as check_rules, possible_table as possible_table
from .replay import replay as replay, update as update
from .sampling import (
    drawn_columns as drawn_columns,
    draws_in_order as draws_in_order,
    independent_draws as independent_draws,
    last_positive as last_positive,
)
from .sums import align as align, centre as centre, marginalise as marginalise, table_marginals as table_marginals
from .sweep import MarginalView as MarginalView
from .triangulation import connected_components as connected_components, triangulate as triangulate
