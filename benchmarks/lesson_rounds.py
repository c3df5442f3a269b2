"""The runs behind the lesson How many rounds?: the class survey a hundred times over, every ε and T, 20 seeds.

    nice python benchmarks/lesson_rounds.py

It takes some minutes on one core, and writes `sample_data/lessons/rounds.csv`. The same version gives the same errors.
"""

from rows import SAMPLES

from mwem_core import Domain, encode, parse_workload, read_table
from mwem_core.lessons.committed import to_csv
from mwem_core.lessons.rounds import COPIES, EPSILONS, ROUNDS, SEEDS, copies, trials

FILE = SAMPLES / "lessons" / "rounds.csv"


def main() -> None:
    """Run all trials and write them."""
    domain = Domain.from_toml((SAMPLES / "class_survey.toml").read_text(encoding="utf-8"))
    B = copies(encode(read_table(SAMPLES / "class_survey.csv"), domain), COPIES)
    results = trials(B, parse_workload("marginals:2", domain), EPSILONS, (*ROUNDS, None), SEEDS)
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(to_csv(results), encoding="utf-8")


if __name__ == "__main__":
    main()
