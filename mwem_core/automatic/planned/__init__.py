"""Measure once, then fit near a prior. `plans` says what is measured and how precisely, `sizes` what the model
would need, `planned` fits it order by order, `correction` weighs what was measured against the model. Ranges have a
`hierarchy` of halvings, refined by `refining` and `halves`; predicates are measured as `counts`."""
