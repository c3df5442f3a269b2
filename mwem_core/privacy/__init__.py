"""Noise and its privacy cost. `mechanisms` adds noise, which `noise` draws, in a release `releasing`; `laws` has the
scales of noise and the chances of a selection; `grid` makes scores exact; `budget` sets scales, and `unit` says what
they protect; `ledger` checks what a run spends, and `ledger_file`, by `amounts`, what all releases do; `conversion`
turns ρ into (ε, δ); `exponential` chooses from a list of any candidates; in `randomised_response` people add the noise
to their own answers."""
