"""The class survey and its questions, which most lessons are about."""

import pytest
from runs import SAMPLES

from mwem_core import Domain, encode, parse_workload, read_table


@pytest.fixture(scope="session")
def survey():
    domain = Domain.from_toml((SAMPLES / "class_survey.toml").read_text(encoding="utf-8"))
    return encode(read_table(SAMPLES / "class_survey.csv"), domain)


@pytest.fixture(scope="session")
def students(survey):
    """Year, sleep and drink of each student, as texts."""
    names = [attribute.labels for attribute in survey.domain.attributes]
    return [
        tuple(names[a][code] for a, code in enumerate(codes)) for codes in zip(*map(list, survey.codes), strict=True)
    ]


@pytest.fixture(scope="session")
def B(survey):
    return survey


@pytest.fixture(scope="session")
def Q(B):
    return parse_workload("marginals:2", B.domain)
