#!/usr/bin/env python3
"""Lints the project's JavaScript: `python .ci/javascript.py`."""

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

LINTER = "@biomejs/biome@2.6.8"
# Names that Python, or a page, puts before a script.
GIVEN = {"ANSWERS", "NOTES_STYLE", "PIECES", "Plotly", "STYLES", "drawing", "player"}
RULES = {
    "preset": "recommended",
    "complexity": {"noCommaOperator": "off", "useOptionalChain": "off"},
    "correctness": {"noUndeclaredVariables": "error", "noUnusedVariables": "error"},
    "performance": {"noAccumulatingSpread": "off"},
    "suspicious": {"noAssignInExpressions": "off", "useIterableCallbackReturn": "off"},
}
TOP = re.compile(r"^((?:async )?(?:function\*?|const|let|class) ([\w$]+))", re.MULTILINE)


def lint(root: Path, files: list[str]) -> int:
    """Python joins the files to scripts: what stands at the top of one may be used in all, and has to be in one."""
    texts = {file: (root / file).read_text(encoding="utf-8") for file in files}
    names = {name for text in texts.values() for _, name in TOP.findall(text)}
    words = Counter(word for text in texts.values() for word in re.findall(r"[\w$]+", text))
    unused = sorted(name for name in names if words[name] == 1)
    if unused:
        print("No script uses", *unused)
    with tempfile.TemporaryDirectory() as place:
        for file, text in texts.items():
            copy = Path(place, file)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(TOP.sub(r"export \1", text), encoding="utf-8")
        settings = {"javascript": {"globals": sorted(names | GIVEN)}, "linter": {"rules": RULES}}
        Path(place, "biome.json").write_text(json.dumps(settings), encoding="utf-8")
        command = ["npx", "--yes", LINTER, "lint", "--error-on-warnings"]
        return subprocess.call(command, cwd=place) or bool(unused)


if __name__ == "__main__":
    ROOT = Path(__file__).resolve().parents[1]
    tracked = subprocess.check_output(["git", "ls-files", "*.js"], cwd=ROOT, text=True).split()
    sys.exit(lint(ROOT, tracked))
