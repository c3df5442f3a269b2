"""The notebooks of docs/course: their cells, the functions that they leave open, and the solutions in these places."""

import ast
import json
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
COURSE = ROOT / "docs" / "course"
sys.path.append(str(COURSE))  # as the notebooks find their checks: beside them

NOTEBOOKS = sorted(COURSE.glob("*.ipynb"))
SOLUTIONS = (COURSE / "teacher" / "solutions.py").read_text(encoding="utf-8")


def cells(notebook: Path, kind: str = "code") -> list[str]:
    """The sources of a notebook's cells of one kind."""
    read = json.loads(notebook.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in read["cells"] if cell["cell_type"] == kind]


def functions(source: str) -> dict[str, ast.FunctionDef]:
    """The functions that a source defines at its top, by name."""
    return {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}


def is_open(function: ast.FunctionDef) -> bool:
    """Whether its body is a docstring and `...`."""
    last = function.body[-1]
    return isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant) and last.value.value is ...


def blanks(notebook: Path) -> dict[str, str]:
    """The cells that a student fills in, by the name of their function."""
    return {name: cell for cell in cells(notebook) for name, each in functions(cell).items() if is_open(each)}


def solutions() -> dict[str, str]:
    """The source of each solution, by name."""
    return {name: ast.get_source_segment(SOLUTIONS, node) or "" for name, node in functions(SOLUTIONS).items()}


def filled(notebook: Path, answers: Mapping[str, str]) -> list[str]:
    """The code of a notebook with these functions in place of its blanks."""
    sources = []
    for cell in cells(notebook):
        names = [name for name, each in functions(cell).items() if is_open(each)]
        sources.append("\n\n".join(answers[name] for name in names) if names else cell)
    return sources
