"""The approximating distribution A: log-linear on a junction tree, updated by multiplicative weights."""
