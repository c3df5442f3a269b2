"""`.ci/commands.py` runs what the documents tell a reader to type: whole commands, which must end well, or answer."""

import re
import runpy
import sys
import time
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PYTHON = sys.executable


def test_the_pinned_versions_are_of_all_dependencies_and_within_their_bounds():
    pins = re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / ".ci" / "constraints.txt").read_text("utf-8"), re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = [*project["dependencies"], *(each for extra in project["optional-dependencies"].values() for each in extra)]
    for requirement in map(Requirement, named):
        name = requirement.name.replace("_", "-")
        pinned = [version for pin, version in pins if pin == name]
        assert pinned or name == project["name"], name
        assert all(version in requirement.specifier for version in pinned), name


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(ROOT / ".ci" / "commands.py"))


def test_commands_are_the_lines_of_blocks_of_sh_with_continued_lines_joined(script):
    text = "```sh\na --b \\\n  c\n\nd\n```\ntext\n```python\ne\n```\n```sh\nf && g\n```\n"
    assert script["commands"](text) == ["a --b c", "d", "f && g"]


def test_every_block_that_a_document_has_of_a_shell_is_run(script):
    texts = [page.read_text(encoding="utf-8") for page in script["PAGES"]]
    assert script["PAGES"][0].name == "README.md"
    for text in texts:
        assert len(script["commands"](text)) >= text.count("```sh\n")
    assert sum("audit" in command for text in texts for command in script["commands"](text)) == 1


def test_a_block_of_another_shell_is_refused_as_nothing_would_run_it(script):
    with pytest.raises(SystemExit, match="blocks of bash, which nothing runs"):
        script["commands"]("```bash\nrm -r /\n```\n")


def test_a_command_runs_in_its_folder(script, tmp_path):
    script["run"]("printf %s 'a b&c' > found", tmp_path, 20)
    assert (tmp_path / "found").read_text() == "a b&c"


@pytest.mark.parametrize("command", ["exit 3", "false | cat", "nosuchprogram --help", "cat nosuchfile && true"])
def test_a_command_that_fails_or_cannot_run_ends_the_script(script, tmp_path, command):
    with pytest.raises(SystemExit, match=r"^a documented command ended with [1-9]"):
        script["run"](command, tmp_path, 20)


def test_a_command_that_does_not_end_in_time_ends_the_script(script, tmp_path):
    with pytest.raises(SystemExit, match="did not end, or answer, in 0 s: sleep 30"):
        script["run"]("sleep 30", tmp_path, 0.2)


@pytest.mark.parametrize("server", ["streamlit run", "mwem app"])
def test_a_server_must_answer_and_is_stopped(script, server, tmp_path):
    (tmp_path / "_stcore").mkdir()
    (tmp_path / "_stcore" / "health").write_text("ok")
    began = time.monotonic()
    serve = f"touch started && {PYTHON} -m http.server $STREAMLIT_SERVER_PORT --bind 127.0.0.1 && touch ended"
    script["run"](f"{serve} # {server}", tmp_path, 60)
    assert (tmp_path / "started").exists()
    assert not (tmp_path / "ended").exists()
    assert time.monotonic() - began < 60


def test_a_server_that_ends_before_it_answers_ends_the_script(script, tmp_path):
    with pytest.raises(SystemExit, match="ended with 4 and never answered"):
        script["run"]("exit 4 # streamlit run", tmp_path, 20)
