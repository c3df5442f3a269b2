from .bins_to_measure import BinsToMeasure as BinsToMeasure, Steps as Steps
from .dates import PERIODS as PERIODS, SECONDS as SECONDS, Dates as Dates
from .inside import FINE as FINE, places_by_rows as places_by_rows, tilted_variances as tilted_variances
from .numbers import (
    BINS as BINS,
    BITS as BITS,
    Edges as Edges,
    Range as Range,
    equal_edges as equal_edges,
    log_edges as log_edges,
    public_edges as public_edges,
)
from .values import Codes as Codes, Values as Values, ValueSet as ValueSet
