"""Workloads: linear queries on low-dimensional marginals.

To add a family: its function goes in `families`, its linear operator on marginals in `operators`, and its text form,
as in `marginals:2`, in `spec`. `domain.predicates` reads questions that users write; `subsets` has all
smaller marginals, `residuals` and `readings` what they tell, `gram_matrix` inner products of queries.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
