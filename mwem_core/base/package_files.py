"""The files that come with the core, in a checkout and in a wheel; and HTML from Jinja2 templates among them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup

CORE = Path(__file__).parents[1]
OTHER_TEMPLATE = re.compile(r'{%-? *(?:extends|from|include) "(.+?)"')


def find_folder(name: str, core: Path = CORE) -> Path:
    """A folder that a wheel has within the package, and a checkout beside it."""
    within = core / name
    return within if within.exists() else core.parent / name


SAMPLES = find_folder("sample_data")


def template(file: Path) -> Callable[..., Markup]:
    """A function that fills the template with values by name, each escaped unless it is Markup, as the result is.

    A template names others in its own folder or from the core's. All are read here, once, as a release has spent its
    budget before it fills one: OSError for a file that is missing. The function raises jinja2.UndefinedError for a
    name without a value.
    """
    from jinja2 import DictLoader, Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=DictLoader(_texts(file.parent, file.name)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["number"] = format  # {{ total | number(",.0f") }}
    return lambda **values: Markup(environment.get_template(file.name).render(values))


def _texts(folder: Path, name: str) -> dict[str, str]:
    """The text of a template, and of all that it names, by name."""
    own = folder / name
    text = (own if own.exists() else CORE / name).read_text(encoding="utf-8")
    texts = {name: text}
    for other in OTHER_TEMPLATE.findall(text):
        texts |= _texts(folder, other)
    return texts
