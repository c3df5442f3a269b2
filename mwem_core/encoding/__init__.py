"""A table as records of its public domain (`encode`), and rows with the numbers in their columns (`row_numbers`)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
