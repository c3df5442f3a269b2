"""Every fitted number is told of, and no other place of the core is a notebook of what was tried on which table."""

import re
from pathlib import Path

from mwem_core.base import constants

ROOT = Path(__file__).parents[2]
TOLD = (ROOT / "benchmarks" / "FITTED.md").read_text(encoding="utf-8")
DATA = r"\b(Adult|[Ff]lights|Czech|Rochdale|mildew|NLTCS|wives|fertility|doctor-visits|class-size|capital-loss)\b"
ABOUT_DATA = ("experiments", "lessons", "cli")  # folders that are about these tables
ALLOWED = {"tables/encodings.py"}  # Czech, the language


def test_every_fitted_number_has_a_row_that_says_what_it_was_fitted_to():
    names = {name for name in vars(constants) if name.isupper()}
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| .+ \|$", TOLD, flags=re.MULTILINE)
    assert {name for name, _ in rows} == names
    assert len(rows) == len(names)


def test_no_docstring_or_comment_of_the_core_names_a_data_set():
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sorted((ROOT / "mwem_core").rglob("*.py"))
        if path.parts[len(ROOT.parts) + 1] not in ABOUT_DATA
        and str(path.relative_to(ROOT / "mwem_core")) not in ALLOWED
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(DATA, line)
    ]
    assert found == []
