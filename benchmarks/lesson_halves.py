"""The runs behind a picture of the lesson MWEM: the class survey, each share of a round that measures, 40 seeds.

    nice python benchmarks/lesson_halves.py

It takes half a minute on one core, and writes `sample_data/lessons/halves.csv`. The same version gives the same errors.
"""

from rows import SAMPLES

from mwem_core import Domain, encode, parse_workload, read_table
from mwem_core.lessons.committed import to_csv
from mwem_core.lessons.halves import trials

FILE = SAMPLES / "lessons" / "halves.csv"


def main() -> None:
    """Run all trials and write them."""
    domain = Domain.from_toml((SAMPLES / "class_survey.toml").read_text(encoding="utf-8"))
    B = encode(read_table(SAMPLES / "class_survey.csv"), domain)
    FILE.write_text(to_csv(trials(B, parse_workload("marginals:2", domain))), encoding="utf-8")


if __name__ == "__main__":
    main()
