from .measured_bins import (
    OFFSETS_SHARE as OFFSETS_SHARE,
    SHARE as SHARE,
    MeasuredBins as MeasuredBins,
    check_bins as check_bins,
    check_share as check_share,
    in_measured_bins as in_measured_bins,
)
from .measured_total import MeasuredTotal as MeasuredTotal
from .system import (
    DEFAULT_DELTA as DEFAULT_DELTA,
    METHODS as METHODS,
    QUERY_BY_QUERY as QUERY_BY_QUERY,
    RELEASABLE as RELEASABLE,
    SYSTEMS as SYSTEMS,
    System as System,
    system as system,
)
