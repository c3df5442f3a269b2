"""The workload as a matrix W, queries by cells of D, without building it.

`gram` gives W Wᵀ; `residuals` decomposes marginals into orthogonal tables; `consistency` projects noisy answers on
possible ones; `svd_bound` sums singular values.
"""
