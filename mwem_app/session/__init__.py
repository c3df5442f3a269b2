"""What a session holds: its settings, its run and its trials on threads of their own, and its seat in a live class."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
