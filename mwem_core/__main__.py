"""The command line: `mwem run --table czech --workload marginals:2 --epsilon 1`."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from mwem_core.cli import take_sample_table, write_in_any_encoding

COMMANDS = {  # each with its file in `cli`, which has `add_…_options`
    "app": ("app_commands", "open the app in a browser"),
    "lessons": ("app_commands", "write the lessons as files that need no server"),
    "run": ("run_command", "run MWEM or another system on a table"),
    "compare": ("compare_command", "run several systems at several seeds and print their errors"),
    "report": ("report_command", "compare synthetic rows with the original, column by column"),
    "schema": ("schema_command", "write a schema from a code book, from a table or from both"),
    "release": ("release_command", "release a table once, with exact noise and a ledger"),
    "ask": ("ask_command", "ask a release: shares, means and regressions with intervals, from its folder alone"),
    "ledger": ("ledger_command", "show what releases have spent, and what is left"),
    "audit": ("evidence_commands", "test the privacy of this program: replays, attacks, broken twins"),
    "paper": ("evidence_commands", "rerun an experiment of the paper; without a name, list the verdicts"),
}


def main(words: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 for success, 2 for an error, 130 for an interruption.

    An audit that finds a violation returns 1, and a command whose output nobody reads any more 141.

    An error prints one sentence on stderr. After an interruption, the file of a comparison has the finished trials.
    """
    write_in_any_encoding()
    words = sys.argv[1:] if words is None else words
    try:
        try:
            arguments = _parser(words).parse_args(words)
            take_sample_table(arguments)
            return arguments.function(arguments) or 0
        finally:
            print(end="", flush=True)
    except ValueError as problem:
        message = str(problem)
    except KeyboardInterrupt:
        print("\nmwem: stopped", file=sys.stderr)
        return 130
    except OSError as problem:  # of a file to write, or of stdout: an unreadable file raises ValueError
        if problem.filename is None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python writes what is left at the end
        if isinstance(problem, BrokenPipeError):  # whoever reads the output has seen enough, as `head` has
            return 141
        where = repr(str(problem.filename)) if problem.filename else "the output"
        message = f"{where} cannot be written: {problem.strerror}"
    print(f"mwem: {message}", file=sys.stderr)
    return 2


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of all commands, with the options of the one that is called: the others need not be imported."""
    parser = argparse.ArgumentParser(prog="mwem", description="Differentially private data release with MWEM.")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version, and exit")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (file, what) in COMMANDS.items():
        command = commands.add_parser(name, help=what)
        if name in words[:1]:
            getattr(import_module(f"mwem_core.cli.{file}"), f"add_{name}_options")(command)
    return parser


class _Version(argparse.Action):
    """Prints the installed version. It is looked up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from mwem_core.output import versions

        print(f"mwem {versions()['mwem-explorer']}")
        parser.exit()


if __name__ == "__main__":
    sys.exit(main())
