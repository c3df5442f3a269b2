"""What a console or a file of an old encoding cannot show is written in words; a file is UTF-8 everywhere."""

import codecs
import sys
from io import TextIOWrapper

IN_WORDS = {
    "ε": "epsilon",
    "δ": "delta",
    "ρ": "rho",
    "Δ": "Delta",
    "σ": "sigma",
    "×": "x",
    "≤": "<=",
    "√": "sqrt",
    "·": "-",
}
ERRORS = "in words"


def write_in_any_encoding() -> None:
    """Let stdout and stderr write every text in the encoding that they have, such as cp1252: ε becomes epsilon."""
    codecs.register_error(ERRORS, _in_words)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=ERRORS)


def write_file(text: str) -> None:
    """Write the text of a file to stdout: in UTF-8 with its own line ends, unless a console shows it."""
    if isinstance(sys.stdout, TextIOWrapper) and not sys.stdout.isatty():
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    sys.stdout.write(text)


def _in_words(problem: UnicodeError) -> tuple[str, int]:
    assert isinstance(problem, UnicodeEncodeError)
    lost = problem.object[problem.start : problem.end]
    return "".join(IN_WORDS.get(character, "?") for character in lost), problem.end
