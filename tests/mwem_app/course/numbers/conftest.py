"""The class survey and its questions, which most lessons are about."""

import pytest
from bundled_tasks import bundled_task


@pytest.fixture(scope="session")
def survey():
    return bundled_task("class")[0]


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
def Q():
    return bundled_task("class")[1]
