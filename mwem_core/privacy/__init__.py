"""Noise and its privacy cost.

`mechanisms` has every mechanism. A source of `noise` draws for them; in a release that is `opendp_noise`. `laws` has
the scales of noise and the chances of a selection, and `grid` makes scores exact.

A `guarantee` promises (ε, δ) for a unit of privacy and allows a `budget`, which sets scales. The `accountant` of a run
draws and charges in one call. `amounts` adds up what releases cost, and converts ρ into (ε, δ).

In `randomised_response` people add the noise to their own answers.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
