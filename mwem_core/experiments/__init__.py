"""The paper's experiments, one a file: claim, set-up, trials, and a verdict computed from committed trials."""
