"""What the README shows is what happens."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

from mwem_core import Domain
from mwem_core.evaluation.trials_file import from_csv
from mwem_core.systems import SYSTEMS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def section(heading: str) -> list[str]:
    """The rows of the table in it."""
    text = README.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return [line for line in text.splitlines() if line.startswith("| `")]


def test_the_two_commands_stand_alone_on_their_lines():
    assert "\npip install -e . && streamlit run app.py\n" in README
    assert "\npip install -e '.[test]' && pytest\n" in README


def test_the_python_example_runs(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    (example,) = blocks("python")
    exec(compile(example, "README.md", "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) > 5


def test_the_command_line_examples_run(tmp_path):
    """Each in the same folder; a run leaves its release, and a comparison its trials."""
    text = "".join(blocks("sh")).replace("\\\n", " ").replace("sample_data/", f"{ROOT}/sample_data/")
    commands = [shlex.split(line) for line in text.splitlines() if "mwem_core" in line]
    assert [words[3] for words in commands] == ["run", "run", "compare"]
    for words in commands:
        done = subprocess.run([sys.executable, *words[1:]], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert "mean total variation" in done.stdout
    assert sorted(path.name for path in (tmp_path / "release").iterdir()) == [
        "manifest.json",
        "rows.csv",
        "script.py",
        "transcript.json",
    ]
    assert len(from_csv((tmp_path / "trials.csv").read_text(encoding="utf-8"))) == 4 * 2 * 10


def test_every_system_is_in_its_table():
    named = re.findall(r"`([^`]+)`", "".join(line.split("|")[1] for line in section("Beside its relatives")))
    assert {*named, "laplace-clean", "gaussian-clean", "laplace-cells", "planner-clean"} == set(SYSTEMS)


def test_the_schema_example_is_a_schema():
    (example,) = blocks("toml")
    assert tomllib.loads(example)
    assert Domain.from_toml(example).names == ("age", "sex", "capital-loss", "workclass")


def test_every_file_the_map_names_is_there():
    folder = ROOT / "mwem_core"
    for line in section("A map of the code"):
        for name in re.findall(r"`([^`]+)`", line.split("|")[1]):
            assert (ROOT / name).exists() or (folder / name).exists(), name
