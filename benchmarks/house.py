"""Figures of the code that a reader feels: `python benchmarks/house.py`, from the project's folder.

Fields and refusals of MWEM, comparisons of a mode's name outside the class that has it, lines to open for the paper,
fitted numbers, docstrings and comments that name a data set, and imports of inner modules in tests.
"""

import ast
import re
import runpy
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from mwem_core import MWEM, fitted

ROOT = Path(__file__).parents[1]
CORE = ROOT / "mwem_core"
# A first reading of the paper's room: `docs/code.md`.
FIRST = ("mwem", "updates", "candidates", "start", "schedule", "theorem", "presets")
MODES = ("plan", "update", "select", "candidates", "penalty", "costs", "first", "last_fit", "within", "output", "start")


def main() -> None:
    """Print the figures, one a line."""
    tests = runpy.run_path(str(ROOT / "tests" / "test_fitted.py"))
    notebooks = [
        line
        for path in CORE.rglob("*.py")
        if path.relative_to(CORE).parts[0] not in tests["ABOUT_DATA"]
        and str(path.relative_to(CORE)) not in tests["ALLOWED"]
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(tests["DATA"], line)
    ]
    paper = {path.stem: lines(path) for path in (CORE / "mwem").glob("*.py")}
    inner = [path for path in (ROOT / "tests").rglob("*.py") if inner_imports(path)]
    figures = {
        "fields of MWEM": len(fields(MWEM)),
        "ValueErrors of class MWEM": raised(CORE / "mwem" / "mwem.py"),
        "lines of the loop, without its signature and docstring": loop_lines(),
        "comparisons of a mode's name outside its class": sum(len(list(comparisons(p))) for p in sources()),
        "files and lines of mwem/": f"{len(paper)}, {sum(paper.values()):,}",
        "lines of a first reading": sum(paper[name] for name in FIRST),
        "files and lines of automatic/": f"{len(list((CORE / 'automatic').rglob('*.py')))}, "
        f"{sum(map(lines, (CORE / 'automatic').rglob('*.py'))):,}",
        "fitted numbers": sum(name.isupper() for name in vars(fitted)),
        "lines of the core that name a data set": len(notebooks),
        "imports of inner modules in tests": f"{sum(map(inner_imports, inner)):,} in {len(inner)} files",
    }
    for name, figure in figures.items():
        print(f"{name}: {figure}")


def sources() -> Iterator[Path]:
    """The files of the core, the UI and the pages."""
    for folder in ("mwem_core", "mwem_app", "pages"):
        yield from (ROOT / folder).rglob("*.py")


def lines(path: Path) -> int:
    """The number of lines of a file."""
    return len(path.read_text(encoding="utf-8").splitlines())


def raised(path: Path) -> int:
    """How often a file raises a ValueError."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)]
    return sum(isinstance(call.func, ast.Name) and call.func.id == "ValueError" for call in calls)


def loop_lines() -> int:
    """The lines of `loop` that are neither blank, comment, signature nor docstring."""
    text = (CORE / "mwem" / "mwem.py").read_text(encoding="utf-8")
    loop = next(n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name == "loop")
    body = text.splitlines()[loop.body[1].lineno - 1 : loop.end_lineno]
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in body)


def comparisons(path: Path) -> Iterator[int]:
    """The lines that compare an attribute named as a mode with a text; not `self.mode`, in the class that has it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Compare) or not isinstance(node.left, ast.Attribute) or node.left.attr not in MODES:
            continue
        own = isinstance(node.left.value, ast.Name) and node.left.value.id == "self"
        texts = [n for n in ast.walk(node.comparators[0]) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        if texts and not own:
            yield node.lineno


def inner_imports(path: Path) -> int:
    """How many imports of a test name a module within a room of the core."""
    text = path.read_text(encoding="utf-8")
    return len(re.findall(r"^\s*(?:from|import) mwem_core\.\w+", text, flags=re.MULTILINE))


if __name__ == "__main__":
    main()
