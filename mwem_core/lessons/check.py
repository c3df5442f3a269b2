"""What a lesson has just verified of a mechanism."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """A law that a mechanism must obey: `measured`, found by running it now, is at most `limit`."""

    measured: float
    limit: float

    @property
    def holds(self) -> bool:
        """Whether the law holds; a NaN does not."""
        return self.measured <= self.limit
