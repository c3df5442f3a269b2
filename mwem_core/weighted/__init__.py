"""A beyond a junction tree: `weighted_records` are rows with weights.

`reweighting` is their replay, on `row_counts` in cells, and rakes weights to given sums; `resampling`
replaces poor rows; `tilting` fits single queries. `average` has the models made of others.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
