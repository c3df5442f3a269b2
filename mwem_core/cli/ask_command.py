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
    examples,
    load_files,
    load_release,
    read_question,
    refused_by_reason,
    unpack,
)
from mwem_core.cli.console import align_columns
from mwem_core.output import json_values

COLUMNS = "answer", "value", "low", "high", "rests on"


def add_ask_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.set_defaults(function=ask)
    parser.add_argument("release", type=Path, metavar="RELEASE", help="the folder of a release, or a zip of its files")
    parser.add_argument(
        "questions",
        nargs="*",
        metavar="QUESTION",
        help="""such as 'mean age by sex' or 'income == ">50K"'; without one, what was released is described""",
    )
    parser.add_argument(
        "--of",
        choices=["population", "table"],
        default="population",
        help="what an interval holds: the number of the population that the table is a sample of, which is the default,"
        " or of the private table itself",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object")
    form.add_argument("--table", action="store_true", help="print a table with a row for each answer")


def ask(arguments: argparse.Namespace) -> None:
    """Print an answer, or why it is refused, for each question. Raises ValueError for one that cannot be read."""
    release = _read(arguments.release)
    questions = [read_question(text, release.domain) for text in arguments.questions]
    answered = [(question, question.ask(release, arguments.of)) for question in questions]
    if arguments.json:
        print(json.dumps(_as_json(release, answered), indent=2, ensure_ascii=False))
        return
    for note in release.notes:
        print(f"mwem: {note}", file=sys.stderr)
    answers = [answer for _, those in answered for answer in those]
    if not questions:
        lines = [f"{name:<10}  {text}" for name, text in release.facts.items()]
        print(
            "\n".join(
                [
                    *lines,
                    "Ask, for example:",
                    *(f"  {text}" for text in examples(release.domain, release.known.residuals)),
                ]
            )
        )
    elif arguments.table:
        print(
            "\n".join(
                [*align_columns([COLUMNS, *map(_row, answers)]), *dict.fromkeys(a.note for a in answers if a.note)]
            )
        )
    else:
        print("\n".join(line for question, those in answered for line in _lines(question, those)))


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
    """A line for each answer, one for what is to know of all, and one for all that are refused for the same reason."""
    lines = [str(replace(answer, note="")) for answer in answers if not answer.refused]
    lines += dict.fromkeys(answer.note for answer in answers if answer.note)
    for reason, refused in refused_by_reason(answers).items():
        few = str(refused[0]) if len(refused) == 1 else ""
        some = "" if len(refused) == len(answers) else f", {len(refused)} of {len(answers)} answers"
        lines.append(few or f"{question.text}{some}: refused. {reason}")
    return lines


def _row(answer: Answer) -> tuple[str, ...]:
    if answer.refused:
        return answer.name, "refused", "", "", answer.refused
    return answer.name, *(f"{x:.4g}" for x in (answer.value, *answer.interval)), str(answer.rests_on)
