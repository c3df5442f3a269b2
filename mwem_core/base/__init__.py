"""What every room may need: checks of input, settings, the files of the package, and constants fitted to tables."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
