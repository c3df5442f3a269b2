"""Sphinx's settings for the reference of the library, which is made from its docstrings.

A type in a signature that leads nowhere is a warning, as is a docstring that cannot be read.
"""

import inspect
import re
from dataclasses import is_dataclass

project = html_title = "MWEM Explorer"
extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "myst_parser"]
templates_path, exclude_patterns = ["templates"], ["templates"]
html_theme, html_show_copyright = "furo", False
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
nitpicky = True
OTHERS = "np", "numpy", "pd", "pandas", "pa", "pyarrow", "ir", "collections", "fractions", "pathlib", "typing"
INNER = (  # of no use outside the package, or names of unions
    r"mwem_core\.algorithm\.(M|ReleasedModel)",
    r"mwem_core\.ask\.(estimates\.Estimator|question\.Question|statistic\.Statistic)",
    r"mwem_core\.domain\.(attribute\.Words|predicates\.Predicate|source\.Queries)",
    r"mwem_core\.model\.component\.Component",
    r"mwem_core\.intervals\.(bin_values\.BinValues|pooled_estimates\.Estimates)",
    r"mwem_core\.mwem\.candidates\.(Candidates|Offer)",
    r"mwem_core\.workload\.table_sizes\.Costs",
    r"mwem_core\.relatives\.bayesian_network\.Network",
    r"mwem_app\.session\.steps\.(Plan|Step)",
    r"Count|Counted|Of|Path|TableLike",
)
nitpick_ignore_regex = [("py:.*", rf"({'|'.join(OTHERS)})\..*"), ("py:class", "|".join(INNER))]


def setup(app):
    """Docstrings are plain text with code in backticks, and fields have their comments."""
    app.connect("autodoc-process-docstring", lambda *given: _read(given[3], given[5]))


def _read(obj: object, lines: list[str]) -> None:
    """Escape what reStructuredText would read into a docstring, and add the comments of a dataclass's fields.

    Examples stand as they are: a backslash would be shown there.
    """
    parts = re.split(r"(^>>> (?:.+\n?)+|`[^`]+`)", "\n".join(lines), flags=re.MULTILINE)
    escaped = [(part if part[0] == ">" else f"`{part}`") if i % 2 else _escaped(part) for i, part in enumerate(parts)]
    lines[:] = "".join(escaped).split("\n")
    if inspect.isclass(obj) and is_dataclass(obj):
        comments = re.findall(r"^    (\w+): .*?  # (.+)$", inspect.getsource(obj), flags=re.MULTILINE)
        lines += ["", *(f"* ``{name}``: {_escaped(comment)}" for name, comment in comments), ""]


def _escaped(text: str) -> str:
    return re.sub(r"([*|_`\\])", r"\\\1", text)
