"""The app's theme for a page outside Streamlit, which gives its pages the same colours by the same names."""

import tomllib
from typing import Any

from mwem_app.base import SERVED

FONTS = {"font": 'system-ui, "Source Sans 3", sans-serif', "heading-font": 'Georgia, "Source Serif 4", serif'}


def theme_properties() -> str:
    """The colours of the theme as Streamlit's custom properties, light and dark."""
    theme = tomllib.loads((SERVED / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
    light = FONTS | {"base-radius": theme["baseRadius"]} | _colours(theme["light"])
    return _properties(":root", light) + _properties(":root[data-scheme=dark]", _colours(theme["dark"]))


def _colours(theme: dict[str, Any]) -> dict[str, str]:
    """The properties of a theme: "textColor" is "text-color", which headings have too."""
    names = {"".join(f"-{c.lower()}" if c.isupper() else c for c in key): value for key, value in theme.items()}
    lists = {name: ", ".join(value) if isinstance(value, list) else value for name, value in names.items()}
    return lists | {"heading-color": theme["textColor"]}


def _properties(selector: str, values: dict[str, str]) -> str:
    return f"{selector} {{ {' '.join(f'--st-{name}: {value};' for name, value in values.items())} }}\n"
