"""What a rehearsal promises of declared questions, beside what a release then answers.

    python benchmarks/asking_declared.py FOLDER > lines.csv

CSV files of the folder get proposed schemas, and lists of two, four or eight questions about six attributes are drawn.
A promise reads the schema, n and ε alone. A line a question: the usual and the largest half width that were promised,
none where it will not be answered; what it was; and the share of answers that was refused.
"""

import csv
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np

from mwem_core import Domain, Seeded, Unit, encode_unit, nearest_rows, parse_workload, read_table
from mwem_core.ask import LoadedRelease, asked_domain, offsets_share, read_questions, workload_of
from mwem_core.domain import quoted_name, quoted_text
from mwem_core.release import ReleaseRun, Terms, forecast, likely_tables, rows_to_make
from mwem_core.schemas import first_schema

SIZES, EPSILONS, LISTS, ATTRIBUTES, GROUPS = (2, 4, 8), (0.3, 1.0, 3.0), 2, 6, 12  # at most 12 groups


def drawn_questions(domain: Domain, number: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Questions of five kinds about attributes of the domain."""
    few = [a for a in domain.attributes if a.size <= GROUPS]
    numeric = [a for a in domain.attributes if a.number_set and a.value_set.size > 2]
    found = set[str]()
    while len(found) < number:
        group, of = (few[i] for i in rng.choice(len(few), 2, replace=False))
        by, holds = quoted_name(group.name), f"{quoted_name(of.name)} = {quoted_text(of.labels[0])}"
        texts = [f"avg({holds}) group by {by}", f"count(*) where {holds}", f"share(*) group by {by}"]
        if numeric:
            name = quoted_name(numeric[rng.integers(len(numeric))].name)
            texts += [f"avg({name})"] + [f"avg({name}) group by {by}"] * (name != by)
        found.add(str(rng.choice(texts)))
    return tuple(sorted(found))


def lines_of(file: Path, epsilon: float, size: int, seed: int) -> Iterator[list]:
    """A line for each question of one list about a table."""
    table, rng = read_table(file), np.random.default_rng(seed)
    whole = first_schema(table).domain
    own = whole.project([whole.names[a] for a in sorted(rng.permutation(len(whole))[:ATTRIBUTES])])
    texts = drawn_questions(own, size, rng)
    questions = tuple(question for text in texts for question in read_questions(text, own))
    domain, share = asked_domain(questions, own), offsets_share(questions, own)
    Q, B = parse_workload(workload_of(questions, domain), domain), encode_unit(table, domain, Unit())
    asked = {"system": "tables", "questions": tuple(question.text for question in questions), "offsets_share": share}
    terms = Terms(dataset=file.stem, workload=Q, provenance="file", epsilon=epsilon, **asked)
    promises = forecast(terms, likely_tables(domain, B.total))
    settings = terms.settings(B.total)
    found = ReleaseRun.of(terms, settings, settings.rounds(B, Q, noise=Seeded(seed)))
    rows = nearest_rows(found.run.workload, found.run.model, rows_to_make(found.run.model.total), rng)
    release = LoadedRelease.of_rounds(found.rounds, rows)
    for question, promise in zip(questions, promises, strict=True):
        answers = release.ask(question)
        halves = [(answer.high - answer.low) / 2 for answer in answers if not answer.refused]
        promised = (promise.half, promise.most) if promise.halves else ("", "")
        width = np.median(halves) if halves else ""
        yield [file.stem, epsilon, seed, question.text, *promised, width, 1 - len(halves) / len(answers)]


def main() -> None:
    """Print the lines of all lists."""
    writer = csv.writer(sys.stdout)
    writer.writerow(["table", "epsilon", "list", "question", "usual", "promised", "width", "refused"])
    lists = product(sorted(Path(sys.argv[1]).glob("*.csv")), EPSILONS, range(LISTS))
    for seed, (file, epsilon, _) in enumerate(lists):
        writer.writerows(lines_of(file, epsilon, SIZES[seed % 3], seed))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
