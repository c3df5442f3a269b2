"""The questions: families of linear queries on low-dimensional marginals."""
