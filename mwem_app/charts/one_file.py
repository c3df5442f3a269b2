"""What a page in one file needs around its script: its policy, and its data as a part of the page."""

import base64
import hashlib
import json
from typing import Any

from markupsafe import Markup


def digest_of(script: str) -> str:
    """The digest by which a content security policy allows an inline script."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def embedded(data: Any) -> Markup:
    """Data as JSON for a script element, which no text in them can end. Raises ValueError for NaN."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c"))
