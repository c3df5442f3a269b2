"""The paper.

`mwem` has the loop of Figures 1 and 8 and its settings; `candidates` scores what may be selected, and `prices` says
what each would cost the model; `start` makes A_0; `updates` moves A, and `rows` goes on where a tree is full;
`schedule` decides T and the noise on the way; `presets` and `rules` choose settings; `theorem` bounds the error.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
