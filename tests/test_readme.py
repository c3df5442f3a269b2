"""What the README shows is what happens."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

from mwem_core import Domain

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_two_commands_stand_alone_on_their_lines():
    assert "\npip install -e . && streamlit run app.py\n" in README
    assert "\npip install -e '.[test]' && pytest\n" in README


def test_the_python_example_runs(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    (example,) = blocks("python")
    exec(compile(example, "README.md", "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) > 5


def test_the_command_line_example_runs(tmp_path):
    (example,) = [block for block in blocks("sh") if "mwem_core run" in block]
    words = shlex.split(example.replace("\\\n", " ").replace("sample_data/", f"{ROOT}/sample_data/"))
    done = subprocess.run([sys.executable, *words[1:]], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "mean total variation" in done.stdout
    assert sorted(path.name for path in (tmp_path / "release").iterdir()) == [
        "manifest.json",
        "rows.csv",
        "transcript.json",
    ]


def test_the_schema_example_is_a_schema():
    (example,) = blocks("toml")
    assert tomllib.loads(example)
    assert Domain.from_toml(example).names == ("age", "sex", "capital-loss", "workclass")


def test_every_file_the_map_names_is_there():
    rows = [line.split("|")[1] for line in README.splitlines() if line.startswith("| `")]
    folder = ROOT / "mwem_core"
    for row in rows:
        for name in re.findall(r"`([^`]+)`", row):
            assert (ROOT / name).exists() or (folder / name).exists(), name
