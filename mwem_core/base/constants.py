"""The numbers of MWEM and of the automatic choice that were fitted to tables; `benchmarks/FITTED.md` says to which.

What holds whatever these numbers are stands where they are used. The seconds of `automatic.announcement` and the
sweeps of the fits in `model` were fitted too, and stand there.
"""

# The number of rounds, and what they may cost
ROUNDS_RATE = 0.6  # c of T = c d (nε)^(1/3) / (k √(k s)), and of single queries, T = c (nε)^(1/3)
PARITY_ROUNDS_RATE = 1.7  # the same of parities
RANGES_SPLIT = 0.3  # of a round's budget, for the selection of a range
CELLS_PER_RECORD = 5  # cells of a model that pay, for each record and ε
MIN_DEFAULT_CELLS, MAX_DEFAULT_CELLS = 10**5, 5 * 10**5  # bounds of MWEM's cell budget for tables
MAX_SCORED = 2 * 10**8  # rounds times cells of the candidates: a few seconds
MAX_PRICED = 13_000  # rounds on connected attributes times candidates: a few seconds
LARGE_TABLE = 1000  # cells in the mean, from which most are taken to be nearly empty
MAX_RELATIVE_COST = 2.0  # of a measurement, times the typical one; and one over it at least
COST_POWER = 2 / 5  # under ε a table of c cells costs ∝ c to this power
LARGE_COST_POWER = 1 / 4  # the same of large tables
ROWS_FROM = 0.5  # of ε, after which weighted records take over where a much larger tree would pay

# What tables are like
ONE_WAY_STRENGTH = 8.0  # records: one-way marginals are that far from uniform
PAIR_INFORMATION = 0.0125  # nats that two attributes tell of each other
DECAY = 10.0  # divides it for each further attribute
SPREAD = 1.0  # standard deviation of the logarithm of that information, from table to table
UNCERTAINTY = 1.5  # standard deviation of the logarithm of a strength, within a table too
SPREAD_IN_ORDER = 1.0  # standard deviation of the logarithm of a prior's strength among the residuals of an order
UNEVENNESS = 2.0  # standard deviation of the logarithm of the cells' prior variances within a table
LEFT_OF_LOWER = 0.5  # of the typical variance of higher residuals, that a fit to all lower marginals leaves

# The automatic choice
WORTH = 0.005  # of the error without data, that a run must be expected to gain

# Fits
REFIT_STRENGTH = 0.5  # of the most probable strength, in the last fit of rounds
REFIT_SWEEPS = 32  # of that fit, for each order of residuals
SWEEPS_BETWEEN = 2  # of weighted rows between rounds, and as many at shrinking steps
PLANNED_TOLERANCE, TREE_TOLERANCE = 0.0005, 0.003  # of a plan's fit on one table, and on a tree
ROWS_TOLERANCE, ROWS_REDRAWS, FEW_ROWS_REDRAWS = 0.03, 2, 1  # of a plan's weighted rows; where they are too few
ROWS_PER_CELL = 10  # of a marginal of mean size, that weighted rows need to hold it
PREDICATE_ROWS = 30_000  # weighted rows for predicates, at most
COUNTED_VARIANCE = 1.0  # of a mean answer's noise, below which noisy cells are the rows of the model

FORECAST_LOW, FORECAST_HIGH = 1 / 3, 1.5  # of an expected error: the range that is shown
FORECAST_HIGH_OF_QUERIES = 2.0  # the same of ranges, parities and predicates
FORECAST_EXACT = 3.0  # ε from which the range begins at 0

SHARE_OF_N = 0.08  # of the budget, for a noisy number of records
