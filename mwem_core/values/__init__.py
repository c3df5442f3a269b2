"""The sets of values an attribute may have.

`values` are categories and codes, `numbers` bins, also by public facts, and whole numbers, `bins_to_measure` bins that
a run measures, `dates` dates and times.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
