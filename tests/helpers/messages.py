"""Error messages in tests are quoted word for word."""

import re


def exactly(message: str) -> str:
    """The pattern for `pytest.raises` that matches this message and no other."""
    return f"^{re.escape(message)}$"
