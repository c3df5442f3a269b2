"""What every room may need: checks, words, places of files, templates, settings, fitted constants."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
