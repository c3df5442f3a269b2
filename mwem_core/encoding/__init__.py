"""A table as records of its public domain, and what one of its rows stands for."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
