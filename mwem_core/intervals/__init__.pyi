from .columns import (
    correlation_of_cells as correlation_of_cells,
    measured_correlation as measured_correlation,
    measured_numbers as measured_numbers,
    measured_table as measured_table,
)
from .ends import ALPHA as ALPHA
from .intervals import Intervals as Intervals, intervals as intervals
from .known import Known as Known
from .quantiles import deviations as deviations
from .queries import by_tables_within as by_tables_within
