"""An interval for every answer of a workload, from what a run released alone.

`pooled_estimates` combines what was measured of marginals, and says how far noise goes. From it come the intervals of
`query_intervals`, and of `range_intervals` where halvings were measured. `intervals` makes one for every answer, with
bounds on queries that were on offer and not chosen.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
