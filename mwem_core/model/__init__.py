"""The approximating distribution A on a junction tree.

`loglinear` is A, a product of independent `component`s; `triangulation` and `junction_tree` make and hold its cliques,
`capacity` says what they can take, and `possible` which cells rules leave. `contraction` and `sums` compute marginals,
`sampling` draws records. A `measurement` is what a mechanism returned. `replay` updates A by multiplicative weights:
`sweep` makes one update, `acceleration` many. `most_probable_fit` fits residuals near a base, in `coordinates`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
