"""The approximating distribution: triangulation, the log-linear model, replay, averages."""
