"""The paper's experiments: claim, set-up, trials, and a verdict computed from committed trials."""
