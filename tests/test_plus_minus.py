"""± has one meaning wherever the program shows it: how far a 95% interval reaches. Words say how large noise is."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]

# The files that show one, and what each says beside it.
SHOWN = {
    "mwem_core/cli/compare_command.py": "mean ± 95% interval over seeds",
    "mwem_core/release/quality_pages.py": "",  # its page is the next
    "mwem_core/release/quality.html.jinja": "± is how far the 95% interval of",
    "mwem_core/release/report.html.jinja": "A 95% interval is the value ±",
    "mwem_core/release/rehearsal.py": "will be answered, 95% interval",
    "mwem_app/release/rehearsal_view.py": "usual 95% interval, in records",
    "mwem_app/compare/decision.py": "95% of {noun} within ±",
    "mwem_app/compare/ranking.py": "± and ×/÷ show how far the 95% interval",
}
RANGES = {"mwem_core/values/numbers.py"}  # numbers within ±2^53: no uncertainty


def texts(file):
    """The texts of a program, without its docstrings and comments."""
    if file.suffix == ".jinja":
        return file.read_text(encoding="utf-8")
    if file.suffix == ".js":
        return re.sub(r"(^|\s)//.*", "", file.read_text(encoding="utf-8"))
    tree = ast.parse(file.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, documented)}
    values = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return "\n".join(value for value in values if value not in docstrings)


def test_plus_minus_is_shown_where_it_is_said_to_be_a_95_percent_interval_and_nowhere_else():
    files = [
        f
        for room in ("mwem_app", "pages", "mwem_core")
        for f in (ROOT / room).rglob("*")
        if f.suffix in (".py", ".js", ".jinja")
    ]
    found = {str(file.relative_to(ROOT)) for file in files if "±" in texts(file)}
    assert found - RANGES == SHOWN.keys()
    for file, said in SHOWN.items():
        assert said in " ".join((ROOT / file).read_text(encoding="utf-8").split())
