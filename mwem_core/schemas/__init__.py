"""Proposed schemas of a table, and code books.

`code_books` reads public ones. `proposal` suggests an attribute for a
column by what it holds: `proposed_dates`, `proposed_numbers` or `proposed_texts`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
