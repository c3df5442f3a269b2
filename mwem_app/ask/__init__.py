"""The pieces of the page Ask: a release that is given, a line for questions, and their answers."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
