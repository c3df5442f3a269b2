"""Weighted rows: the approximation where a junction tree would need too many cells."""
