#!/usr/bin/env python3
"""Checks the format of the project's JavaScript and lints it. `python .ci/javascript.py --fix` formats it first."""

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

TOOLS = "dprint@0.57.4", "@dprint/typescript@0.96.1", "@biomejs/biome@2.6.8"
# Names that Python, or a page, puts before a script.
GIVEN = {"PIECES", "Plotly", "SETS", "drawing", "player"}
RULES = {
    "preset": "recommended",
    "complexity": {"noCommaOperator": "off", "useOptionalChain": "off"},
    "correctness": {"noUndeclaredVariables": "error", "noUnusedVariables": "error"},
    "performance": {"noAccumulatingSpread": "off"},
    "suspicious": {"noAssignInExpressions": "off", "useIterableCallbackReturn": "off"},
}
TOP = re.compile(r"^((?:async )?(?:function\*?|const|let|class) ([\w$]+))", re.MULTILINE)


def formatted(root: Path, files: list[str], tools: Path, *, fix: bool) -> bool:
    """Whether the files are as `dprint.json` wants them, which `fix` makes them."""
    plugin = tools / "@dprint" / "typescript" / "plugin.wasm"
    task = [tools / ".bin" / "dprint", "fmt" if fix else "check", "--plugins", plugin, "--", *files]
    return subprocess.call(task, cwd=root) == 0


def linted(root: Path, files: list[str], tools: Path, place: Path) -> bool:
    """Python joins the files to scripts: what stands at the top of one may be used in all, and has to be in one."""
    texts = {file: (root / file).read_text(encoding="utf-8") for file in files}
    names = {name for text in texts.values() for _, name in TOP.findall(text)}
    words = Counter(word for text in texts.values() for word in re.findall(r"[\w$]+", text))
    unused = sorted(name for name in names if words[name] == 1)
    if unused:
        print("No script uses", *unused)
    for file, text in texts.items():
        copy = place / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(TOP.sub(r"export \1", text), encoding="utf-8")
    settings = {"javascript": {"globals": sorted(names | GIVEN)}, "linter": {"rules": RULES}}
    (place / "biome.json").write_text(json.dumps(settings), encoding="utf-8")
    return subprocess.call([tools / ".bin" / "biome", "lint", "--error-on-warnings"], cwd=place) == 0 and not unused


def main() -> int:
    """Install the tools for this run alone, and use them. Returns the exit code."""
    root = Path(__file__).resolve().parents[1]
    files = subprocess.check_output(["git", "ls-files", "*.js"], cwd=root, text=True).split()
    with tempfile.TemporaryDirectory() as place:
        subprocess.check_call(["npm", "install", "--silent", "--ignore-scripts", "--prefix", place, *TOOLS])
        tools = Path(place, "node_modules")
        form = formatted(root, files, tools, fix="--fix" in sys.argv)
        return not (linted(root, files, tools, Path(place, "scripts")) and form)


if __name__ == "__main__":
    sys.exit(main())
