"""How a file writes numbers, dates and cells: forms of numbers and of dates, numerals, cells of CSV."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
