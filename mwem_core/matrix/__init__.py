"""The workload as a matrix that is never built: inner products, residuals, consistency, the SVD bound."""
