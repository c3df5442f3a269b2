from .bin_values import BinValues as BinValues, bin_values as bin_values, with_means as with_means
from .intervals import Intervals as Intervals, intervals as intervals
from .pooled_estimates import ALPHA as ALPHA, Estimates as Estimates, deviations as deviations, of_counts as of_counts
from .query_intervals import by_tables_within as by_tables_within
