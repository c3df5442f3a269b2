"""Every system by name, and what wraps any of them: a measured total, measured bins."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
