"""The solutions of the problems: every number in them is computed again. The syllabus is complete and in time."""

import math
import re

import numpy as np
import pytest
from course import COURSE, NOTEBOOKS

from mwem_app.course import LESSONS, chance
from mwem_core.model import JunctionTree
from mwem_core.mwem import theorem_bound
from mwem_core.privacy import cap

PROBLEMS = (COURSE / "problems.md").read_text(encoding="utf-8")
SOLVED = (COURSE / "teacher" / "solutions.md").read_text(encoding="utf-8")
SYLLABUS = (COURSE / "README.md").read_text(encoding="utf-8")


def solution(number: int, part: str) -> str:
    """The text of one part, on one line."""
    of_problem = re.split(r"^## \d\. .*$", SOLVED, flags=re.MULTILINE)[number]
    return " ".join(re.split(rf"^\({part}\) ", of_problem, flags=re.MULTILINE)[1].split("\n\n")[0].split())


def test_six_problems_of_ten_marks_have_a_solution_of_each_part():
    titles = re.findall(r"^## (\d\. .*)$", PROBLEMS, flags=re.MULTILINE)
    assert len(titles) == 6
    assert titles == re.findall(r"^## (\d\. .*)$", SOLVED, flags=re.MULTILINE)
    for number, text in enumerate(re.split(r"^## ", PROBLEMS, flags=re.MULTILINE)[1:], start=1):
        assert sum(map(int, re.findall(r"\((\d)\s+marks\)", text))) == 10
        for part in re.findall(r"^\(([a-d])\) ", text, flags=re.MULTILINE):
            assert solution(number, part)


def test_one_noisy_count():
    assert f"{math.exp(-6 * 0.5):.4f}" in solution(2, "a")
    assert f"{math.log(20) / 10:.3f}" in solution(2, "b")
    assert f"{chance('laplace', 0.5):.3f}" in solution(2, "c")
    assert f"{cap(0.5):.3f}" in solution(2, "c")
    deviations = math.sqrt(2) * 2 / math.sqrt(16), math.sqrt(2) / 8
    assert all(f"{each:.3f}" in solution(2, "d") for each in deviations)


def test_the_exponential_mechanism():
    weights = np.exp(0.1 * np.array([40, 30, 10, 0]))
    assert all(f"**{p:.3g}**" in solution(3, "a") for p in weights / weights.sum())
    others = weights[1:].sum()
    assert f"**{math.ceil(weights[0] - others)}**" in solution(3, "b")
    p = math.e / (math.e + 1 / math.e)
    assert f"**{math.log(0.5 / (1 - p)):.2f}**" in solution(3, "d")


def test_mwem_by_hand():
    A = np.full(4, 25.0) * np.exp(np.array([1, 1, 0, 0]) * 20 / 200)
    A *= 100 / A.sum()
    assert all(f"**{each:.2f}**" in solution(4, "a") for each in A)
    assert f"**{A[0]:.2f}**" in solution(4, "b")
    assert f"{100 * math.exp(-0.1) / (1 + math.exp(-0.1)):.1f}" in solution(4, "c")
    assert f"{math.log(4) / 0.01:.1f}" in solution(4, "d")


def test_how_many_rounds():
    n, D, Q = 100_000, 1024, 10_000
    T = (n * math.sqrt(math.log(D)) / (10 * math.log(Q))) ** (2 / 3)
    assert f"**{T:.1f}**" in solution(5, "c")

    def as_printed(rounds):
        return theorem_bound(n=n, domain_size=D, queries=Q, rounds=rounds, epsilon=1.0, beta=2 * rounds / Q)

    rounds = min(range(1, 1000), key=as_printed)
    bound = as_printed(rounds)
    assert f"{rounds} rounds" in solution(5, "c")
    assert f"**{bound:,.0f}**" in solution(5, "c")
    assert f"**{bound / n:.1%}**" in solution(5, "c")
    small = (200 * math.sqrt(math.log(27)) / (10 * math.log(27))) ** (2 / 3)
    least = 2 * 200 * math.sqrt(math.log(27) / small) + 10 * small * math.log(27)
    assert f"gives the bound {least:.0f}" in PROBLEMS
    assert f"{least:.0f} is more than n" in solution(5, "d")


def test_many_tables():
    log = math.log(1e6)
    rho = (math.sqrt(log + 1) - math.sqrt(log)) ** 2
    assert f"{rho:.4f}" in solution(6, "a")
    sigma = math.sqrt(28 / (2 * rho))
    assert f"{sigma:.1f}" in solution(6, "a")
    assert f"**{sigma * math.sqrt(2 / math.pi):.1f}**" in solution(6, "a")
    one = math.sqrt(1 / (2 * rho)) * math.sqrt(2 / math.pi)
    assert f"**{math.ceil(one**2)}**" in solution(6, "b")
    assert f"{one:.2f}" in solution(6, "b")


def test_the_cells_of_a_model():
    sizes = 10, 2, 30, 5
    chain = [(0, 1), (1, 2), (2, 3)]

    def held(pairs):
        return sum(math.prod(sizes[a] for a in clique) for clique in JunctionTree.over(pairs, sizes).cliques)

    assert f"**{held(chain)}**" in solution(6, "c")
    assert f"**{math.prod(sizes):,}**" in solution(6, "c")
    loop = [*chain, (0, 3)]
    assert f"**{held(loop)}**" in solution(6, "d")
    assert held([*loop, (1, 3)]) == held(loop) < held([*loop, (0, 2)])


def test_the_questions_of_the_notebooks():
    answers = " ".join(SOLVED.split())
    mean_of_hundred = 0.5 * math.erfc(
        -0.5 / (math.sqrt(2) * 10 / 10) / math.sqrt(2)
    )  # of noise of scale 10, near normal
    assert f"about {mean_of_hundred:.0%}, for {chance('laplace', 0.1):.0%} with one answer" in answers
    assert f"it would be {chance('laplace', 10):.1%}" in answers
    assert f"e^0.5 = {math.exp(0.5):.2f}" in answers
    bound = 2 * 200 * math.sqrt(math.log(27) / 16), 10 * 16 * math.log(27) / 8
    assert f"{bound[0]:.0f} + {bound[1]:.0f} = {sum(bound):.0f} records" in answers
    sizes, loop = (9, 16, 15, 5, 2), [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)]
    held, of_more = (
        sum(math.prod(among[a] for a in clique) for clique in JunctionTree.over(loop, among).cliques if min(clique) < 5)
        for among in (sizes, (*sizes, 2, 2, 2, 2))  # nine attributes, four of them in no loop
    )
    assert held == 918
    assert "for up to eight attributes" in answers
    assert f"would hold {of_more:,} here" in answers
    fans = [[(a, (a + i) % 5, (a + i + 1) % 5) for i in (1, 2, 3)] for a in range(5)]  # each cut of five has a fan
    fewest = min((sum(cells), *cells) for cells in ([math.prod(sizes[a] for a in t) for t in fan] for fan in fans))
    assert sorted(fewest) == [150, 288, 480, 918]
    assert "288 + 480 + 150 = 918" in answers


def test_the_sessions_use_every_lesson_and_notebook_and_end_after_two_hours():
    sessions = re.split(r"^## Session \d: .*$", SYLLABUS, flags=re.MULTILINE)[1:]
    assert len(sessions) == 4
    for session in sessions:
        assert "\nAim: " in session
        slots = [(int(a), int(b)) for a, b in re.findall(r"^\| (\d+) to (\d+) \|", session, flags=re.MULTILINE)]
        assert [start for start, _ in slots] == [0, *(end for _, end in slots[:-1])]
        assert slots[-1][1] == 120
    assert all(f"*{lesson.title}*" in SYLLABUS and f"`{lesson.path}`" in SYLLABUS for lesson in LESSONS)
    assert re.findall(r"\((\d-[\w-]+\.ipynb)\)", SYLLABUS) == [notebook.name for notebook in NOTEBOOKS]
    assert set(re.findall(r"[Pp]roblems? (\d)(?: and (\d))?", SYLLABUS)) >= {
        ("1", "2"),
        ("3", ""),
        ("4", "5"),
        ("6", ""),
    }


@pytest.mark.parametrize("text", ["README.md", "problems.md"])
def test_links_of_the_course_lead_to_files(text):
    for target in re.findall(r"\]\(([^)#]+)", (COURSE / text).read_text(encoding="utf-8")):
        assert (COURSE / target).exists(), target
