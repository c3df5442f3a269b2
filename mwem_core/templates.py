"""HTML from Jinja2 templates: files beside the modules that fill them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mwem_core.places import CORE

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def filled(template: Path, **values: Any) -> Markup:
    """The template with these values, each escaped unless it is Markup, as the result is.

    It may name other templates, from its own folder or from the core's. Raises jinja2.UndefinedError for a name that
    has no value.
    """
    from markupsafe import Markup

    return Markup(_environment(template.parent).get_template(template.name).render(values))


@cache
def _environment(folder: Path) -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([folder, CORE]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["number"] = format  # {{ total | number(",.0f") }}
    return environment
