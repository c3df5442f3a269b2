"""Noise and its privacy cost. `mechanisms` adds noise, which a source of `noise` draws, in a release that of
`releasing`; `laws` has the scales of noise and the chances of a selection; `grid` makes scores exact.

`budget` sets scales, and `unit` says what they protect. The `accountant` of a run draws and charges in one call, to its
`ledger`; what all releases spend is in a `ledger_file`, by `amounts`; `conversion` turns ρ into (ε, δ).

`exponential` chooses from a list of any candidates; in `randomised_response` people add the noise to their own answers.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
