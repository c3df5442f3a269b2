"""Errors against the truth, trials, verdicts and classifiers. NOT PRIVATE: all of it reads the truth."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
