"""The paper. `mwem` has the loop of Figures 1 and 8 and its settings; `candidates` scores what may be selected, and
`prices` says what each would cost the model; `start` makes A_0; `schedule` decides T and the noise on the way;
`presets` and `rules` choose settings; `theorem` bounds the error. Runs that select nothing: `plans` says what is
measured once, `planned` fits it with the `prior`, `strength` says how strong that is, `correction` weighs what was
measured against the model, `queried` measures predicates, and `hierarchy` and `refining` intervals; of a mixed workload
some parts are `asked` by themselves, and `moving` moves the model to them; `choice` takes what is `expected` to err
least, and `expected_stages` says how a plan of one-way marginals and rounds share ε."""

from mwem_core.mwem.mwem import MWEM

__all__ = ["MWEM"]  # scripts downloaded from 0.3 import it from here
