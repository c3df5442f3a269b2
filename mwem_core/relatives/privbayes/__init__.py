"""PrivBayes: a Bayesian network learned by noisy choices, then its noisy conditionals."""

from mwem_core.relatives.privbayes.privbayes import PrivBayes

__all__ = ["PrivBayes"]  # scripts downloaded from 0.3 import it from here
