"""Attacks on releases, run by the core itself: what each finds out, and the most that ε lets any attack find out."""
