"""The paper.

`figures` has Figures 1 and 8 as they are printed, for small tables. `mwem` has their loop on a junction tree, with all
its settings; `candidates` scores what may be selected; `start` makes A_0; `updates` moves A; `schedule` decides T and
the noise on the way; `theorem` bounds the error.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
