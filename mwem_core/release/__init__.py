"""Releasing: the one path by which the results of a run may leave. `terms` says what is released and `words` what is
promised. `release` reserves the cost, runs once and settles. `bundle` makes the files of a `release_run`, and writes
all or none; `report` and `quality_pages` are its pages, with `charts`. `quality` compares rows with the original.
`rehearsal` tries the same terms on simulated data."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
