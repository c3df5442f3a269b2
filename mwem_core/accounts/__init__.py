"""The ledger of releases: what each spent of the epsilon that a table may spend in all, kept in a database."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
