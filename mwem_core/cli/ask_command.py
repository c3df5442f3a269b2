"""The command `ask`: put questions to a release, from its folder alone."""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from mwem_core.ask import (
    Answer,
    LoadedRelease,
    Question,
    column_name,
    examples,
    in_digits,
    load_files,
    load_release,
    read_questions,
    refused_by_reason,
    unpack,
)
from mwem_core.output import json_values


def add_ask_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.set_defaults(function=ask)
    parser.add_argument("release", type=Path, metavar="RELEASE", help="the folder of a release, or a zip of its files")
    parser.add_argument(
        "questions",
        nargs="*",
        metavar="QUESTION",
        help="SQL, such as 'select avg(age) from release group by sex', or a formula of R, such as 'age ~ sex'; without"
        " one, what was released is described",
    )
    parser.add_argument(
        "--of",
        choices=["population", "table"],
        default="population",
        help="what an interval holds: the number of the population that the table is a sample of, which is the default,"
        " or of the private table itself",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def ask(arguments: argparse.Namespace) -> None:
    """Print an answer, or why it is refused, for each question. Raises ValueError for one that cannot be read."""
    release = _read(arguments.release)
    questions = [each for text in arguments.questions for each in read_questions(text, release.domain)]
    answered = [(question, release.ask(question, of=arguments.of)) for question in questions]
    if arguments.json:
        print(json.dumps(_as_json(release, answered), indent=2, ensure_ascii=False))
        return
    for note in release.notes:
        print(f"mwem: {note}", file=sys.stderr)
    lines = [line for question, those in answered for line in _lines(question, those)]
    if not questions:
        lines = [f"{name:<10}  {text}" for name, text in release.facts.items()]
        asked = examples(release.domain, release.known.residuals)
        lines += ["Ask, for example:", *(f"  {text}" for text in asked)]
    print("\n".join(lines))


def _read(path: Path) -> LoadedRelease:
    return load_files(unpack({path.name: path.read_bytes()})) if path.is_file() else load_release(path)


def _as_json(release: LoadedRelease, answered: list[tuple[Question, tuple[Answer, ...]]]) -> dict:
    return {
        "release": {key: release.manifest.get(key) for key in ("dataset", "statement", "epsilon", "delta")},
        "notes": list(release.notes),
        "questions": [
            {"question": question.text, "answers": [json_values(vars(answer)) for answer in answers]}
            for question, answers in answered
        ],
    }


def _lines(question: Question, answers: tuple[Answer, ...]) -> list[str]:
    """A line for each answer, or a table of groups; what is to know of all; what is refused, by its reason."""
    given = [answer for answer in answers if not answer.refused]
    if question.by and given:
        lines = [f"{question.sentence} (of the {given[0].of}, {given[0].rests_on})"]
        columns = [*(column_name(by) for by in question.by), question.kind, "low", "high"]
        rows = [(*answer.group, *map(in_digits, (answer.value, *answer.interval))) for answer in given]
        widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
        for row in (columns, *rows):
            cells = [
                f"{text:<{w}}" if i < len(question.by) else f"{text:>{w}}"
                for i, (text, w) in enumerate(zip(row, widths, strict=True))
            ]
            lines.append("  ".join(cells))
    else:
        lines = [str(replace(answer, note="")) for answer in given]
    lines += dict.fromkeys(answer.note for answer in answers if answer.note)
    for reason, refused in refused_by_reason(answers).items():
        few = str(refused[0]) if len(refused) == 1 else ""
        some = "" if len(refused) == len(answers) else f", {len(refused)} of {len(answers)} answers"
        lines.append(few or f"{question.text}{some}: refused. {reason}")
    return lines
