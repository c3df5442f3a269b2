"""A table that several tests read."""

from adult import adult  # noqa: F401
