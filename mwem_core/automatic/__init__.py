"""The automatic choice, and what it chooses among.

`plans` says what to measure once, at most the `sizes` that fit; `plan_fit` fits it, with the `correction` of its
answers. `hierarchy` counts intervals and `refinement` fits them; `counts` measures predicates. `compositions` run one
algorithm after another, and move a model to its `nearest_model`. Beside them are MWEM's rounds (`mwem_core.mwem`).

`choice` takes what is expected to err least: `expected_error` and `expected_rounds` add up what each leaves unknown of
`typical_tables`. `announcement` tells people.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
