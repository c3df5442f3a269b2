"""The systems that MWEM is compared with. Each file says how they differ from MWEM; they yield rounds too.

A system is a frozen class of settings. If its paper's settings depend on the task, its file also has a function
`..._preset`, whose keyword arguments say what it reads of workload, n, epsilon, delta and T. Systems that are settings
of MWEM's loop are functions in `pgm`, and the two without a budget are in `extremes`. `hierarchical` has the tree of
intervals that `dawa` uses too. `privbayes` chooses a `bayesian_network` by `network_choice` and `network_scores`.
`relaxed_projection` and `boosting` project on the `parity_body`. `number_bins` places the bins of numbers.
`mwem_core.systems` lists all systems by name.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
