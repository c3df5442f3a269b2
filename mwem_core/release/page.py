"""The sections of a page that extends `page.html.jinja`."""

from __future__ import annotations

import re
from html import unescape


def sections_of(page: str) -> dict[str, str]:
    """What is below each heading of a page, as HTML, by heading."""
    found = re.findall(r"<section>\s*<h2>(.*?)</h2>\s*(.*?)\s*</section>", page, flags=re.DOTALL)
    return {unescape(heading): below for heading, below in found}
