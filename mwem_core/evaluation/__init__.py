"""Reads the truth, so NOT PRIVATE: errors, many trials, verdicts, classifiers."""
