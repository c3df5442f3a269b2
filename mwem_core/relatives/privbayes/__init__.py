"""PrivBayes: a Bayesian network chosen by the exponential mechanism, with noisy conditionals."""

from mwem_core.relatives.privbayes.privbayes import PrivBayes

__all__ = ["PrivBayes"]  # scripts downloaded from 0.3 import it from here
