"""Every number in the answers of the handouts and in the speaker notes, computed again from the bundled table itself.

What is computed here is the whole list of a text's numbers, in order: a number that is added to a text fails.
"""

import csv
import itertools
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from mwem_app.course.blocks import PredictNumber
from mwem_app.course.composition import DELTA
from mwem_app.course.lesson import LESSONS, blocks_of, lesson_at, sheet_of
from mwem_app.course.mwem.mwem_numbers import EPSILON, T, watch
from mwem_app.course.mwem.mwem_runs import example
from mwem_app.course.sheet import Data
from mwem_app.course.site.pages import all_blocks
from mwem_core.privacy import Seeded

SURVEY = Path(__file__).parents[4] / "sample_data" / "class_survey.csv"
NUMBER = re.compile(
    r"(?<![\w.,])−?\d+(?:,\d{3})*(?:\.\d+)?(?![\dεΔTn]|[.,]\d)"
)  # a factor of a symbol, as in 2T, is none
LABELS = re.compile(r"(sleep )?(under 6 h|6 to 8 h|over 8 h)")  # answers of the survey, which have numbers in them
CELLS = list(itertools.product((0, 1), repeat=3))  # coffee or not, first year or later, short sleep or longer
ADULT = {
    "workclass": 9,
    "education": 16,
    "marital-status": 7,
    "occupation": 15,
    "relationship": 6,
    "race": 5,
    "sex": 2,
    "native-country": 42,
}


def numbers(text):
    return NUMBER.findall(LABELS.sub("", text))


def answers(path, seed=1):
    return [task.answer for task in sheet_of(lesson_at(path), seed)[1]]


def asked(path, task, seed=1):
    """The numbers of a task's question."""
    return [float(each.replace(",", "")) for each in numbers(sheet_of(lesson_at(path), seed)[1][task].text)]


def asked_names(path, task):
    """The attributes of a loop in a question: "Now the loop a, b, c, a. Which …"."""
    text = sheet_of(lesson_at(path), 1)[1][task].text
    return text.removeprefix("Now the loop ").split(". ")[0].split(", ")


def rows_of(path, number, seed=1):
    found = [part for part in sheet_of(lesson_at(path), seed)[0] if isinstance(part, Data)][number]
    return {row[0]: row[1:] for row in found.rows}


def per_cent(share):
    """Two significant digits, as the pages write a share."""
    return f"{100 * share:.{1 if share < 0.1 else 0}f}"


def laplace_best(epsilon, steps=200_000):
    """How often the nearer of two counts is right: the noise of one count, integrated over half of the line."""
    x = (np.arange(steps) + 0.5) * (40 / epsilon) / steps - 0.5
    return float((epsilon / 2 * np.exp(-epsilon * np.abs(x))).sum() * (40 / epsilon) / steps)


def cap(epsilon):
    """The most that a ratio of e^ε between two events allows, found on a grid of their probabilities."""
    p = np.linspace(0, 1, 200_001)
    q = np.maximum(p / math.exp(epsilon), 1 - math.exp(epsilon) * (1 - p))
    return float(((p + 1 - q) / 2).max())


@pytest.fixture(scope="module")
def survey():
    with SURVEY.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def eight(survey):
    """The survey in eight cells, and the cells that each of the six questions counts."""
    kept = {"drink": "coffee", "year": "first", "sleep": "under 6 h"}
    counts = Counter(tuple(int(row[name] != value) for name, value in kept.items()) for row in survey)
    singles = [[float(cell[a] == 0) for cell in CELLS] for a in range(3)]
    masks = np.array([*singles, *(np.multiply(singles[a], singles[b]) for a, b in ((0, 1), (0, 2), (1, 2)))])
    return np.array([counts[cell] for cell in CELLS], float), masks


def guesses(survey):
    """How far five guesses about the survey are off: each names a value of a column."""
    shares = [
        ("sleep", "6 to 8 h"),
        ("sleep", "under 6 h"),
        ("year", "third"),
        ("drink", "coffee"),
        ("drink", "neither"),
    ]
    return [abs(sum(row[name] == value for row in survey) - round(len(survey) / 3)) for name, value in shares]


def test_attack():
    first, second, third, fourth = map(numbers, answers("attack"))
    assert (first, second, fourth) == ([], [], ["1"])
    (least, _), (larger, smaller) = asked("attack", 2), map(int, third)
    assert larger - 1 == smaller >= least


@pytest.mark.parametrize("seed", [1, 2])
def test_under_attack(seed, survey):
    released, with_ada, without, *_ = asked("under_attack", 0, seed)
    ada = tuple(survey[0].values())
    assert with_ada == sum(tuple(row.values()) == ada for row in survey) == without + 1
    near, far = abs(released - with_ada), abs(released - without)
    first, second, third = map(numbers, answers("under_attack", seed))
    assert first == ["1", f"{far:g}", f"{near:g}", f"{math.exp(far) / math.exp(near):.2f}", per_cent(cap(1))]
    assert second == []
    years = Counter(row["year"] for row in survey)
    assert third == [f"{years[year]}" for year in ("first", "second", "third")]
    released, drawn = (
        np.array(rows_of("under_attack", 1, seed)[name], float) for name in ("released", "noise of the seed")
    )
    assert np.abs(released - drawn - np.array(third, float)).max() < 0.011


@pytest.mark.parametrize("seed", [1, 2])
def test_noise(seed, survey):
    coffee = sum(row["drink"] == "coffee" for row in survey)
    first, second, third, fourth = map(numbers, answers("noise", seed))
    published = [float(each) for each in rows_of("noise", 0, seed)["published"]]
    sides = answers("noise", seed)[0].split(". ")[0].split(", ")
    right = sum((value > coffee - 0.5) == (side == "with") for value, side in zip(published, sides, strict=True))
    assert first == [f"{coffee - 1}", f"{coffee}", f"{right}", per_cent(laplace_best(1)), per_cent(cap(1))]
    assert second == [*(f"{1 / epsilon:g}" for epsilon in asked("noise", 1, seed)), "1"]
    (oldest,) = asked("noise", 2, seed)
    table = Counter((row["drink"], row["year"]) for row in survey)
    moved = sum((table - Counter((row["drink"], row["year"]) for row in survey[1:])).values())
    assert third == [f"{coffee - (coffee - 1)}", f"{moved}", f"{oldest:g}"]
    each, _ = asked("noise", 3, seed)
    tenth = answers("noise", seed)[3].split(":")[0]
    assert (tenth, round(1 / each)) == ("On the tenth", 10)
    assert fourth == ["1", "1", "1", "1", per_cent(cap(10 * each))]


def test_choosing(survey):
    scores = np.array(guesses(survey))
    assert [float(row[0]) for row in rows_of("choosing", 0).values()] == scores.tolist()
    first, second, third = map(numbers, answers("choosing"))
    low, double = (np.exp(epsilon * (scores - scores.max()) / 2) for epsilon in (0.1, 0.2))
    shares = [[per_cent(share) for share in weights / weights.sum()] for weights in (low, double)]
    assert first == [*(f"{weight:.2f}" for weight in low), *shares[0], *shares[1]]
    assert second == [f"{math.log(math.e) * 2 / 0.1:g}"]

    def factor(divisor):
        """The most by which a chance changes as one score rises by 1 and all others fall by 1."""
        gaps = np.linspace(-400, 400, 8001)
        before, after = (1 / (1 + np.exp(-0.1 * (gaps + move) / divisor)) for move in (0, 2))
        return float((after / before).max())

    assert third == [f"{factor(2):.3f}", "2", f"{factor(1):.3f}"]  # without the 2


def test_reweighting(eight):
    B, masks = eight
    *cells, measured = rows_of("reweighting", 0).values()
    assert [float(row[0]) for row in cells] == [25.0] * 8
    assert [[float(mark == "●") for mark in row[1:7]] for row in cells] == masks.T.tolist()
    assert [float(each) for each in measured[1:7]] == (masks @ B).tolist()
    A, found = np.full(8, 25.0), [[], []]
    states = [A]
    for j in (0, 1):
        factor = math.exp((masks[j] @ B - masks[j] @ A) / 400)
        A = np.where(masks[j] == 1, A * factor, A)
        A = A * 200 / A.sum()
        states.append(A)
        found[j] = [f"{factor:.4f}", *(f"{cell:.1f}" for cell in A)]
    first, second, third, fourth = map(numbers, answers("reweighting"))
    assert [first, second] == found
    assert third == [*(f"{masks[0] @ state:.1f}" for state in states), f"{masks[0] @ B:.0f}"]
    fall = ((masks[0] @ B - 100) / 400) ** 2
    potential = float((B / 200 * np.log(np.where(B > 0, B, 1) / 25)).sum())
    assert asked("reweighting", 3) == [round(potential, 3)]
    updates = next(k for k in itertools.count() if (k + 1) * fall > potential)
    assert fourth == [f"{fall:.4f}", f"{updates}"]


@pytest.mark.parametrize("seed", [1, 2])
def test_mwem(seed, survey):
    first, second, third, fourth = map(numbers, answers("mwem", seed))
    epsilon, rounds = asked("mwem", 0, seed)
    assert first == [f"{epsilon / (2 * rounds):g}", f"{1 / (epsilon / (2 * rounds)):g}"]
    cells = Counter((row["year"], row["sleep"]) for row in survey)
    counts = {f"{year}, {sleep}": count for (year, sleep), count in cells.items()}
    assert {name: float(row[1]) for name, row in rows_of("mwem", 0, seed).items()} == counts
    gaps = {cell: abs(count - 200 / 9) for cell, count in counts.items()}
    weights = {cell: math.exp(epsilon * gap / (4 * rounds)) for cell, gap in gaps.items()}
    likeliest = max(weights, key=weights.__getitem__)
    ratio = math.exp(epsilon * (gaps[likeliest] - (gaps[likeliest] - 10)) / (4 * rounds))
    assert second == [per_cent(weights[likeliest] / sum(weights.values())), f"{ratio:.1f}"]
    assert likeliest in answers("mwem", seed)[1]
    m = float(numbers(sheet_of(lesson_at("mwem"), seed)[1][2].text)[0])
    # m is printed with one decimal: the factor, and with it the counts, with an error of 0.05/400
    factor, raised, others = map(float, third)
    assert factor == pytest.approx(math.exp((m - 200 / 9) / 400), abs=2e-4)
    assert raised == pytest.approx(200 * factor / (factor + 8), abs=0.01)
    assert others == pytest.approx((200 - raised) / 8, abs=0.01)
    assert fourth == []


def test_rounds(survey):
    Ts, n, cells = (1, 2, 3, 4, 6, 8, 12, 16, 20, 27), 100 * len(survey), 27
    first, second, third, fourth = map(numbers, answers("rounds"))
    assert first == [*(f"{100 * (2 * T / 0.08) / n:.2g}" for T in Ts), *(f"{cells - T}" for T in Ts)]
    pairs = [Counter((row[a], row[b]) for row in survey) for a, b in itertools.combinations(survey[0], 2)]
    uniform = max(abs(100 * pair[cell] - n / 9) for pair in pairs for cell in pair)
    assert second == [f"{max(T for T in Ts if 2 * T / 0.01 < uniform)}"]
    assert asked("rounds", 1) == [0.01, 8, round(100 * uniform / n)]
    assert (third, fourth) == ([], ["100"])
    # the formula on the page, at the β of 5% that it names
    second_terms = {T: 2 * T * (2 * math.log(cells) + 3 * math.log(2 * T / 0.05)) for T in (4, 16)}
    bounds = [2 * n * math.sqrt(math.log(cells) / T) + second_terms[T] for T in (4, 16)]
    assert asked("rounds", 3) == [1, round(100 * bounds[0] / n), 4, round(100 * bounds[1] / n), 16]


def test_factored():
    first, second, third, fourth, fifth = map(numbers, answers("factored"))
    sizes = ADULT
    (shown,) = rows_of("factored", 0).items()
    assert [shown[0], *shown[1]] == [f"{size}" for size in sizes.values()]
    assert first == [f"{math.prod(sizes.values()):,}"]
    loop = asked_names("factored", 2)
    chain = list(itertools.pairwise(loop[:-1]))
    assert second == [f"{sum(sizes[a] * sizes[b] for a, b in chain)}"]
    a, b, c, d = loop[:-1]
    diagonals = {
        (p, q): sum(sizes[p] * sizes[q] * sizes[r] for r in (a, b, c, d) if r not in (p, q))
        for p, q in ((a, c), (b, d))
    }
    cheaper = min(diagonals, key=diagonals.__getitem__)
    assert third == [f"{diagonals[cheaper]}"] == ["198"]
    assert set(re.split(r" × |: ", answers("factored")[2])[:2]) == set(cheaper)
    ab, bc = np.array([[30, 10], [5, 15]]), np.array([[20, 15], [5, 20]])
    assert ab.sum(axis=0).tolist() == bc.sum(axis=1).tolist()  # they agree about b
    one, two = ((ab[i, i], bc[i, i], bc[i].sum()) for i in (0, 1))
    assert fourth == [
        *map(str, one),
        f"{one[0] * one[1] / one[2]:.1f}",
        *map(str, two),
        f"{two[0] * two[1] / two[2]:.1f}",
    ]
    pairs = [
        pair.split(" × ") for pair in answers("factored")[4].split(": ")[0].removeprefix("For example ").split(", ")
    ]
    triangle = {"workclass", "race", "sex"}
    apart = [pair for pair in pairs if not set(pair) <= triangle]
    assert len(pairs) == len(apart) + 3 == asked("factored", 4)[0] == 6
    assert {name for pair in pairs for name in pair} == set(sizes)
    held = math.prod(sizes[name] for name in triangle) + sum(sizes[p] * sizes[q] for p, q in apart)
    assert fifth == [f"{held}"]
    assert held <= asked("factored", 4)[-1]


def zcdp(rounds, epsilon, delta):
    """ε of T selections (ρ = ε²/8) and T measurements (ρ = ε²/2), by the conversion of Canonne, Kamath and Steinke."""
    rho, a = rounds * (epsilon**2 / 8 + epsilon**2 / 2), 1 + np.logspace(-4, 4, 400_001)
    return float((a * rho + np.log((1 - 1 / a)) + (np.log(1 / delta) - np.log(a)) / (a - 1)).min())


def test_composition():
    first, second, third, fourth = map(numbers, answers("composition"))
    assert first == [f"{1 / 4:g}", f"{1 / (1 / 4):g}"]
    means = np.random.default_rng(0).laplace(scale=1 / 0.1, size=(400_000, 5)).mean(axis=1)
    assert (second[0], second[2], second[3]) == ("0.1", "0.5", f"{1 / 0.5:.1f}")
    assert float(second[1]) == pytest.approx(np.abs(means).mean(), abs=0.07)
    crossing = next(T for T in range(1, 51) if zcdp(T, 0.1, 1e-6) < 2 * T * 0.1)
    assert third == [f"{2 * 50 * 0.1:g}", f"{zcdp(50, 0.1, 1e-6):.1f}", f"{crossing}"]
    may, june = asked("composition", 3)
    assert fourth == [f"{may + june:g}"]


def test_every_lesson_has_its_answers_computed_here():
    assert {f"test_{lesson.path}" for lesson in LESSONS} <= set(globals())


# ---- speaker notes ----
def spoken(path):
    notes = lesson_at(path).notes
    return [each for note in notes for text in (note.say, note.ask, note.errors) for each in numbers(text)]


def nearer_by_the_mean(count, draws=400_000):
    """How often the mean of answers at ε = 0.1 is nearer to the right count, in per cent: of drawn sums of noise."""
    rng = np.random.default_rng(5)
    sums = rng.gamma(count, 10, draws) - rng.gamma(count, 10, draws)  # of as many Laplace draws
    return f"{100 * float((sums > -count / 2).mean()):.0f}"


def test_notes_of_noise(survey):
    blocks = list(all_blocks(blocks_of(lesson_at("noise"), 1)))
    (drawn,) = (block.data["kinds"] for block in blocks if getattr(block, "key", "") == "noise")
    (bets,) = (block.high for block in blocks if isinstance(block, PredictNumber))
    tables = [("drink",), ("sleep",), ("year", "drink")]  # those that a student can be left out of
    counts = [
        [Counter(tuple(row[a] for a in table) for row in rows) for table in tables] for rows in (survey, survey[1:])
    ]
    moved = [sum((before - after).values()) for before, after in zip(*counts, strict=True)]
    means = [nearer_by_the_mean(10), "10", nearer_by_the_mean(100), "100"]
    caps = [per_cent(cap(10 * 0.1)), "10", f"{100 * cap(100 * 0.1):.0f}", "100"]
    assert spoken("noise") == [
        f"{np.shape(drawn[0]['dots'])[-1]}",
        *map(str, (moved[0], sum(moved))),
        *("0", "0", f"{bets}", "0", "1"),  # ε = 0; from 0 to all bets; the ε of both guesses
        *means,
        *caps,
    ]
    assert bets * cap(0) == pytest.approx(10)  # "ten", which is ε = 0
    assert bets * cap(1) < 19  # "nineteen", which is beyond ε = 1


def test_notes_of_mwem():
    B, Q = example()
    wins = [watch(B, Q, epsilon=EPSILON, T=T, noise=Seeded(seed)).best_bets for seed in range(1, 61)]
    assert spoken("mwem") == ["2", f"{EPSILON:g}", f"{min(wins):.1f}", f"{max(wins):.1f}", "1", f"{len(wins)}"]


def test_notes_of_composition():
    few, one = map(float, spoken("composition"))
    means = np.random.default_rng(0).laplace(scale=1 / one, size=(100_000, round(few / one))).mean(axis=1)
    assert (few, one) == (0.5, 0.1)
    assert few == pytest.approx(5 * one)  # the mean of five
    assert 1 / few < np.abs(means).mean()
    assert "a chance of one in a million" in " ".join(note.say for note in lesson_at("composition").notes)
    assert DELTA == 1 / 1_000_000


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("attack", [f"{100 / 2:g}", "1"]),  # a coin; an ε that is named
        ("under_attack", ["1", "0", per_cent(cap(1))]),  # odds to 1; an ε that is named; the cap at ε = 1
        ("choosing", ["2", "2", "2", "2", f"{100 / 5:g}", "100"]),  # the 2 of the formula; five at random; certainty
        ("reweighting", []),
        ("rounds", ["30", "0.1"]),  # of a question that is left open
        ("factored", []),
    ],
)
def test_other_notes(path, expected):
    assert spoken(path) == expected


def test_every_lesson_has_the_numbers_of_its_notes_computed_here():
    other = {"attack", "under_attack", "choosing", "reweighting", "rounds", "factored"}
    assert {lesson.path for lesson in LESSONS} == {"noise", "mwem", "composition"} | other
