"""Errors against the truth, trials, verdicts and classifiers. NOT PRIVATE: all of it reads the truth."""
