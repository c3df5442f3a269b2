"""Releasing: the one path by which what a run made may leave. `terms` says what is asked and `words` what is promised;
`releasing` reserves the cost, runs once and settles; `bundle` makes the files, `report` the page and `copies` the
further tables among them, `folder` writes all or none; `rehearsal` tries the same terms on simulated data."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
