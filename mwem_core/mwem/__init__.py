"""The paper.

`mwem` has the loop of Figures 1 and 8 and its settings; `candidates` scores what may be selected, and `prices` says
what each would cost the model; `start` makes A_0; `updates` moves A, and `rows` goes on where a tree is full;
`schedule` decides T and the noise on the way; `presets` and `rules` choose settings; `theorem` bounds the error.
"""

from mwem_core.mwem.mwem import MWEM

__all__ = ["MWEM"]  # scripts downloaded from 0.3 import it from here
