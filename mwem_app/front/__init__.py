"""The front page: land on a question, drag ε, and see what runs of MWEM say."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
