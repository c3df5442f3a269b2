"""Noise and what it costs: mechanisms, noise sources, budgets and the ledger."""
