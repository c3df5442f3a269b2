"""The sets of values an attribute may have: categories, codes, numbers and dates, in bins or not."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
