"""The approximating distribution A. `loglinear` is A, a product of independent `component`s; `replay` updates it by
multiplicative weights, `sweep` makes one update, `acceleration` makes many fast; `triangulation` and `junction_tree`
hold its cliques; `sums`, `pairs` and `contraction` compute marginals; `average` is the mean of several models. Where a
tree would need too many cells, A is `weighted_records`: `drawing` makes them from a tree, `reweighting` is their
replay, `redrawing` replaces poor rows, `raking` gives them sums that are known, and `corrected` answers some marginals
better than its rows do. Most probable fits near a base: `most_probable` of residuals, by `quasi_newton` in
`coordinates`; `tilting` of single queries, on rows by `proposals`. `dyadic` has intervals in halves."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
