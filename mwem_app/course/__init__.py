"""The course: lessons, their numbers and drawings, the site without a server, and the live class."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
