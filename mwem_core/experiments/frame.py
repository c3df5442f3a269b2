"""The type of a pandas DataFrame or Series here: what pyright infers of pandas' own sources is mostly wrong."""

from typing import Any, TypeAlias

Frame: TypeAlias = Any
Series: TypeAlias = Any
