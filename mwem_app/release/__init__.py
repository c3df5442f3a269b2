"""The pieces of the page Release: what is public, what it may cost, a rehearsal, and the files that may leave."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
