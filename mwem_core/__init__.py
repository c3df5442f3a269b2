"""MWEM: differentially private data release by Multiplicative Weights and the Exponential Mechanism.

Hardt, Ligett & McSherry, "A Simple and Practical Algorithm for Differentially Private Data Release", NIPS 2012.
Names in the code are the paper's:

    D   domain: product of the attributes' value sets        |D|  number of cells
    B   private data as counts over D                        n    number of records
    A   the approximation, weights over D summing to n       A_i  after round i
    q   linear query: q(A) = Σ_x q(x) A(x), q(x) in [-1, 1]  Q    workload, |Q| queries
    m   a noisy measurement of q(B)                          T    rounds
    S   a set of attributes, a sorted tuple of indices       ε, δ, ρ  privacy parameters

Neighbours: tables are neighbours when one is the other with one record added or removed. Under it a query has
sensitivity 1, a whole marginal has L1 and L2 sensitivity 1, a ±1 parity 1. The total n is taken as public, as in the
paper, unless a run measures it first.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
