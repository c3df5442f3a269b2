"""Noise and its privacy cost. `mechanisms` adds noise, which `noise` draws; `budget` sets scales; `ledger` checks what
is spent; `conversion` turns ρ into (ε, δ); `exponential` chooses from any list of candidates."""
