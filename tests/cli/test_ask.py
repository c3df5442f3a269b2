"""`mwem ask` answers from the folder of a release, or a zip of it, in sentences or as JSON."""

import json
import zipfile
from pathlib import Path

import pytest

from mwem_core.__main__ import main
from mwem_core.ask import Answer, Question
from mwem_core.cli.ask_command import _lines

RELEASES = Path(__file__).parents[1] / "ask" / "stored"
RELEASE = str(RELEASES / "format-2")


def printed(capsys, *words: str) -> list[str]:
    assert main(["ask", *words]) == 0
    return capsys.readouterr().out.splitlines()


def test_an_answer_is_a_sentence_and_one_by_groups_a_table_with_low_and_high(capsys):
    answer, note, title, header, *rows, again = printed(
        capsys, RELEASE, "avg(hours)", "select smoker, avg(hours) from t group by smoker"
    )
    assert note.startswith("hours is in bins: each counts as its m")
    assert "are taken to be nearly alike in all groups" in again
    assert answer.startswith("mean of hours: ")
    assert answer.endswith("of the population, measured together)")
    assert title == "Average hours by smoker (of the population, measured together)"
    assert header.split() == ["smoker", "mean", "low", "high"]
    assert [row.split()[0] for row in rows] == ["0", "1"]
    assert all(float(low) < float(mean) < float(high) for _, mean, low, high in map(str.split, rows))


def test_several_questions_and_of_the_table(capsys):
    lines = printed(capsys, RELEASE, "smoker = 1; smoker = 1 where age >= 25", "--of", "table")
    assert [line.partition(":")[0] for line in lines] == [
        "share of smoker = 1",
        "share of smoker = 1 among age >= 25",
    ]
    assert all("of the table" in line for line in lines)


def test_answers_that_are_refused_for_the_same_reason_are_one_line():
    answered = Answer(name="a", of="table", value=1.0, low=0.0, high=2.0, rests_on="by the model")
    refused = Answer(name="b", of="table", refused="Too noisy.")
    question = Question("ols", "y ~ x")
    lines = _lines(question, (refused, answered, refused))
    assert lines == ["a: 1 (0 to 2, of the table, by the model)", "lm(y ~ x), 2 of 3 answers: refused. Too noisy."]
    assert _lines(question, (refused, refused)) == ["lm(y ~ x): refused. Too noisy."]


def test_json_has_every_number(capsys):
    found = json.loads("\n".join(printed(capsys, RELEASE, "avg(age)", "smoker ~ colour", "--json")))
    assert found["release"]["dataset"] == "people"
    assert [each["question"] for each in found["questions"]] == ["select avg(age) from release", "lm(smoker ~ colour)"]
    (answer,) = found["questions"][0]["answers"]
    assert answer["low"] < answer["value"] < answer["high"]
    assert answer["note"].startswith("age is in bins")


def test_without_a_question_it_says_what_was_released_and_gives_examples(capsys):
    lines = printed(capsys, RELEASE)
    assert lines[0] == "Data set    people"
    examples = [line.strip() for line in lines[lines.index("Ask, for example:") + 1 :]]
    assert len(printed(capsys, RELEASE, *examples)) >= len(examples)


def test_a_zip_of_the_files_is_asked_too_and_one_of_another_format_is_refused(capsys, tmp_path):
    for version, name in ((b'"format": 2', "release.zip"), (b'"format": 1', "old.zip")):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for file in Path(RELEASE).iterdir():
                archive.writestr(f"release/{file.name}", file.read_bytes().replace(b'"format": 2', version))
    line, _ = printed(capsys, str(tmp_path / "release.zip"), "avg(age)")
    assert line.startswith("mean of age: ")
    assert main(["ask", str(tmp_path / "old.zip"), "avg(age)"]) == 2
    assert "the release has the format 1, and this version reads 2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([RELEASE, "avg(age)", "avg(agee)"], "SELECT: no attribute 'agee' in the schema; did you mean 'age'?"),
        ([str(RELEASES)], "there is no manifest.json"),
        (["nothing"], "'nothing' is no folder"),
        ([RELEASE + "/rows.csv"], "there is no manifest.json"),
    ],
)
def test_a_question_that_cannot_be_read_and_a_folder_that_is_no_release_are_refused_in_a_sentence(
    words, sentence, capsys
):
    assert main(["ask", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"mwem: {sentence}")
    assert err.count("\n") == 1


def test_a_run_that_explores_is_no_release(capsys, tmp_path):
    run = ["--table", "class_survey", "--workload", "marginals:1", "--epsilon", "1", "--out", str(tmp_path / "run")]
    assert main(["run", *run]) == 0
    assert main(["ask", str(tmp_path / "run"), "sleep == '6 to 8 h'"]) == 2
    assert "so this is no release" in capsys.readouterr().err
