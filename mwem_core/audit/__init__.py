"""Audits the privacy of this program: replays on neighbouring tables, lower bounds on ε, and broken twins to catch."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
