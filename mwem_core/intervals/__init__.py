"""An interval for every answer of a workload, from what a run released alone. `quantiles` says how far noise goes;
`known` combines what was measured of marginals, and `halvings` of intervals; `selected` bounds what was on offer and
not chosen; `intervals` makes one of all."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
