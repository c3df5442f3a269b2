"""The notebooks run with the solutions filled in; their checks take right answers, and name what is wrong in others."""

import ast
import importlib
import json
import re

import pandas as pd
import pytest
from course import COURSE, NOTEBOOKS, SOLUTIONS, blanks, cells, filled, functions, solutions

SLOW = [NOTEBOOKS[0], *NOTEBOOKS[2:]]  # those of a second or more
CHECKS = {name: notebook.stem[2:].replace("-", "_") for notebook in NOTEBOOKS for name in blanks(notebook)}
PEOPLE = pd.DataFrame({"age": [18, 71], "hours-per-week": [1, 99], "sex": ["Male", "Female"], "income": [">50K"] * 2})


def check(name: str, source: str) -> None:
    """Judge a student's function as its notebook does; `source` may define others that it calls."""
    names: dict = {}
    exec(compile(source, "student", "exec"), names)
    judged = getattr(importlib.import_module(f"checks.{CHECKS[name]}"), name)
    judged(names[name], *([PEOPLE] if name == "schema" else []))


@pytest.mark.parametrize(
    "notebook",
    [pytest.param(each, marks=pytest.mark.slow) if each in SLOW else each for each in NOTEBOOKS],
    ids=lambda notebook: notebook.stem,
)
def test_a_notebook_runs_from_top_to_bottom_with_the_solutions(notebook, capsys, monkeypatch):
    monkeypatch.chdir(COURSE)
    names: dict = {}
    for source in filled(notebook, solutions()):
        exec(compile(source, notebook.name, "exec"), names)
    assert capsys.readouterr().out.count("Right: ") == len(blanks(notebook)) == 5


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_a_notebook_has_no_outputs_and_no_solution(notebook):
    read = json.loads(notebook.read_text(encoding="utf-8"))
    assert (read["nbformat"], read["nbformat_minor"]) == (4, 5)
    assert read["metadata"]["kernelspec"]["name"] == "python3"
    identifiers = [cell["id"] for cell in read["cells"]]
    assert len(set(identifiers)) == len(identifiers)
    code = [cell for cell in read["cells"] if cell["cell_type"] == "code"]
    assert [(cell["outputs"], cell["execution_count"]) for cell in code] == [([], None)] * len(code)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_every_blank_is_checked_next_and_has_a_solution_of_its_signature(notebook):
    sources, solved = cells(notebook), functions(SOLUTIONS)
    for name, cell in blanks(notebook).items():
        assert sources[sources.index(cell) + 1].startswith(f"check.{name}({name}")
        blank = functions(cell)[name]
        assert ast.dump(blank.args) == ast.dump(solved[name].args)
        assert ast.get_docstring(blank)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_the_minutes_of_the_parts_are_those_of_the_notebook_and_at_most_an_hour(notebook):
    text = "\n".join(cells(notebook, "markdown"))
    (stated,) = re.findall(r"It takes (\d+) minutes", text)
    assert sum(map(int, re.findall(r"^## .*\((\d+) minutes\)", text, flags=re.MULTILINE))) == int(stated) <= 60


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_a_notebook_imports_public_names_and_its_checks_alone(notebook):
    code = "\n".join(cells(notebook))
    imported = re.findall(r"^(?:from|import) (mwem_\w+[.\w]*|checks[.\w]*)", code, flags=re.MULTILINE)
    assert set(imported) <= {"mwem_core", "mwem_app.notebook", f"checks.{notebook.stem[2:].replace('-', '_')}"}


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_lines_of_code_are_not_cut_in_a_window_of_1300_pixels(notebook):
    assert max(len(line) for cell in cells(notebook) for line in cell.splitlines()) <= 97


def test_the_solutions_are_those_of_the_blanks_in_their_order():
    assert list(solutions()) == [name for notebook in NOTEBOOKS for name in blanks(notebook)]


@pytest.mark.parametrize("name", CHECKS)
def test_a_blank_is_said_to_be_open_in_a_sentence_without_a_traceback(name):
    (cell,) = (blanks(notebook)[name] for notebook in NOTEBOOKS if name in blanks(notebook))
    with pytest.raises(Exception, match=r"gives nothing back\. Replace its \.\.\. by your code") as caught:
        check(name, cell)
    shown = caught.value._render_traceback_()  # Jupyter shows these lines instead of a traceback
    assert " ".join(shown) == f"Not yet: {caught.value}"


@pytest.mark.parametrize("name", CHECKS)
def test_a_function_that_stops_is_told_why_without_a_traceback(name):
    with pytest.raises(Exception, match=f"^{name} stops with ZeroDivisionError: division by zero. Call it") as caught:
        check(name, f"def {name}(*arguments): return 1 / 0")
    assert caught.value.__suppress_context__


# (function, what stands in its solution, what a student writes instead, what the check says)
WRONG = [
    ("largest_change", "max(", "min(", "changes the count of tea"),
    (
        "largest_change",
        "np.abs(whole - answer(people[positions != i])).sum()",
        "np.abs((whole - answer(people[positions != i])).sum())",
        "one falls while the other rises",
    ),
    ("largest_change", ".sum() for", ".max() for", "three tables"),
    ("largest_change", "people[positions != i]", "people.drop(people.index[i])", "the same label"),
    ("laplace", "sensitivity / epsilon", "epsilon / sensitivity", "A smaller ε promises more"),
    ("laplace", "sensitivity / epsilon", "1 / epsilon", "does not grow with the sensitivity"),
    ("laplace", "sensitivity / epsilon", "epsilon", "A smaller ε promises more"),
    ("laplace", "sensitivity / epsilon", "sensitivity / epsilon / np.sqrt(2)", "standard deviation √2·b"),
    ("laplace", "sensitivity / epsilon", "2 * sensitivity / epsilon", "should be 1.00"),
    ("laplace", "np.shape(exact)", "None", "the same noise"),
    ("laplace", "exact + rng", "exact + 0 * rng", "where is the noise"),
    (
        "laplace",
        "exact + rng.laplace(scale=sensitivity / epsilon",
        "exact + rng.normal(scale=1.2533 * sensitivity / epsilon",
        "the distribution is another",
    ),
    (
        "laplace",
        "exact + rng.laplace(scale=sensitivity / epsilon, size=np.shape(exact))",
        "np.maximum(exact + rng.laplace(scale=sensitivity / epsilon, size=np.shape(exact)), 0)",
        "cutting them off",
    ),
    ("laplace", "exact + rng", "rng", "the answers are off"),
    ("laplace", "rng.laplace", "np.random.default_rng(1).laplace", "two calls give the same noise"),
    ("guess", "noisy > without + 0.5", "noisy > without", "nearer"),
    ("guess", "noisy > without + 0.5", "noisy < without + 0.5", "turned around"),
    ("noisy_tables", "epsilon / len(tables)", "epsilon", "together they cost 4 times"),
    ("noisy_tables", "epsilon / len(tables), 1", "epsilon / len(tables), np.size(table)", "no more than one count"),
    (
        "noisy_tables",
        "[laplace(table, epsilon / len(tables), 1, rng) for table in tables]",
        "laplace(tables[0], epsilon, 1, rng)",
        "a noisy table for each",
    ),
    ("gaussian_scale", "np.sqrt(k / (2 * rho))", "np.sqrt(1 / (2 * rho))", "adds up over the counts"),
    ("gaussian_scale", "np.sqrt(k / (2 * rho))", "k / np.sqrt(2 * rho)", "adds up over the counts"),
    ("gaussian_scale", "np.sqrt(k / (2 * rho))", "k / (2 * rho)", "Solve the cost"),
    ("probabilities", "(2 * sensitivity)", "sensitivity", "promises 2ε"),
    ("probabilities", "(2 * sensitivity)", "2", "does not depend on the sensitivity"),
    ("probabilities", "scores - scores.max()", "scores.max() - scores", "The higher score"),
    ("probabilities", "(scores - scores.max())", "scores", "exp grows too large"),
    ("probabilities", "weights / weights.sum()", "weights", "Divide by their sum"),
    (
        "choose",
        "rng.choice(len(scores), p=probabilities(scores, epsilon, sensitivity))",
        "np.argmax(scores)",
        "takes the best candidate every time",
    ),
    (
        "choose",
        "rng.choice(len(scores), p=probabilities(scores, epsilon, sensitivity))",
        "rng.choice(len(scores))",
        "does not look at the scores",
    ),
    (
        "choose",
        "rng.choice(len(scores), p=probabilities(scores, epsilon, sensitivity))",
        "rng.choice(scores)",
        "Return the index",
    ),
    ("choose", "epsilon, sensitivity)", "2 * epsilon, sensitivity)", "promises less than ε"),
    ("privacy_loss", "np.abs(np.log(p / p_neighbour)).max()", "np.log(p / p_neighbour).max()", "both directions"),
    ("privacy_loss", "np.abs(np.log(p / p_neighbour)).max()", "np.abs(p - p_neighbour).max()", "the logarithm"),
    ("error_scores", "np.abs(exact - approximate)", "exact - approximate", "an overestimate"),
    ("error_scores", "np.abs(exact - approximate)", "(exact - approximate) ** 2", "squared"),
    ("error_scores", "np.abs(exact - approximate)", "np.abs(exact - approximate) / 2", "are off by 5, 10 and 0"),
    ("choose_by_noise", "2 * sensitivity", "sensitivity", "promises less than ε"),
    ("choose_by_noise", "2 * sensitivity / epsilon", "4 * sensitivity / epsilon", "wastes ε"),
    ("choose_by_noise", "rng.gumbel(scale=2 * sensitivity / epsilon, size=len(scores))", "rng.gumbel()", "every time"),
    ("choose_by_noise", "rng.gumbel", "rng.laplace", "which noise"),
    (
        "select",
        "noise.choose(np.abs(queries @ B - queries @ A), epsilon, 1)",
        "int(np.argmax(np.abs(queries @ B - queries @ A)))",
        "never asked `noise`",
    ),
    ("select", "epsilon, 1", "epsilon, 2", "at ε/Δ = 0.15"),
    ("select", "np.abs(queries @ B - queries @ A)", "queries @ B - queries @ A", "below zero"),
    ("select", "np.abs(queries @ B - queries @ A)", "np.abs(queries @ B)", "not the errors"),
    ("measure", "noise.laplace(query @ B, epsilon, 1)", "query @ B", "never asked `noise`"),
    ("measure", "epsilon, 1", "epsilon, len(B)", "One record moves a query's answer by 1"),
    ("measure", "query @ B", "B", "one number"),
    ("update", "m - query @ A", "query @ A - m", "Look at the sign"),
    ("update", "(2 * n)", "n", "twice the step"),
    ("update", " / (2 * n)", "", "divided by"),
    ("update", "A * n / A.sum()", "A", "Scale it back"),
    ("update", "A = A * np.exp", "A *= np.exp", "changes an array"),
    ("update", "A * np.exp(query * (m - query @ A) / (2 * n))", "A + query * (m - query @ A) / query.sum()", None),
    ("mwem", "total / T", "A", "the output after 1 round"),
    ("mwem", "epsilon / (2 * T)", "epsilon / T", "for its selection and its measurement together"),
    ("mwem", "epsilon / (2 * T)", "epsilon / 2", "spends"),
    ("mwem", "A = update(", "update(", "Does each round go on"),
    ("mwem", "np.full(len(B), n / len(B))", "np.full(len(B), 1 / len(B))", "A_0 is uniform"),
    ("mwem", "queries[j], measure(B, queries[j]", "queries[j], measure(B, queries[0]", "another query is measured"),
    ("replay", "A = update(", "_ = update(", "one update"),
    ("replay", "for j, m in measurements", "for j, m in measurements[-1:]", "by every measurement"),
    ("replay", "range(sweeps)", "range(1)", "no nearer"),
    (
        "model_cells",
        "sum(np.prod([sizes[a] for a in clique]) for clique in cliques)",
        "np.prod([sizes[a] for clique in cliques for a in clique])",
        "the model holds all of them",
    ),
    ("model_cells", "np.prod(", "sum(", "each combination"),
    ("joint", " / bc.sum(axis=1)[None, :, None]", "", "by what is it"),
    (
        "joint",
        "ab[:, :, None] * bc[None, :, :] / bc.sum(axis=1)[None, :, None]",
        "ab.sum(axis=1)[:, None, None] * bc / bc.sum()",
        "marginals are not the pairs",
    ),
    ("updated", "bc * message[:, None]", "bc", "Send bc the message"),
    ("updated", "bc * message[:, None]", "bc / message[:, None]", "disagree about b"),
    ("updated", "measured - ab", "ab - measured", "Look at the sign"),
    ("updated", "(2 * n)", "n", "the 2"),
    ("mean_tv", "(2 * B.total)", "B.total", "count it once"),
    ("mean_tv", "(2 * B.total)", "2", "divide by n"),
    ("mean_tv", "np.abs(a - b)", "(a - b)", "absolute values"),
    ("schema", "[0, 18, 25, 35, 45, 55, 65, 120]", "[18, 25, 35, 71]", "the lowest and the highest record"),
    ("schema", '"hours-per-week"', '"hours"', "says nothing of hours-per-week"),
    ("schema", '["Female", "Male"]', '["F", "M"]', "does not fit the schema"),
    ("schema", 'values = ["<=50K", ">50K"]', "values = [", "cannot be read"),
]


@pytest.mark.parametrize(("name", "old", "new", "said"), WRONG)
def test_a_wrong_answer_is_told_what_is_wrong(name, old, new, said):
    right = solutions()[name]
    assert old in right
    with pytest.raises(Exception, match=said) as caught:
        check(name, SOLUTIONS.replace(right, right.replace(old, new)))
    assert type(caught.value).__name__ == "NotYet"
    assert len(str(caught.value)) < 320


def test_every_check_has_met_a_wrong_answer():
    assert {name for name, *_ in WRONG} == set(CHECKS)


OTHERWISE = {
    "largest_change": """
    distances = []
    for i in range(len(people)):
        left = answer(people.iloc[np.arange(len(people)) != i])
        distances.append(float(sum(abs(left - answer(people)))))
    return sorted(distances)[-1]""",
    "laplace": """
    b = sensitivity / epsilon
    return exact + rng.exponential(b, np.shape(exact)) - rng.exponential(b, np.shape(exact))""",
    "guess": "    return [abs(x - without - 1) < abs(x - without) for x in noisy]",
    "choose": """
    return int(np.searchsorted(np.cumsum(probabilities(scores, epsilon, sensitivity)), rng.random()))""",
    "choose_by_noise": """
    w = epsilon * scores / (2 * sensitivity)
    return int(np.argmin(rng.exponential(size=len(w)) / np.exp(w)))""",
    "privacy_loss": """
    one, two = (np.log(probabilities(s, epsilon, sensitivity)) for s in (scores, neighbour))
    return max(max(one - two), max(two - one))""",
    "update": """
    weights = np.log(A) + query * (m - (query * A).sum()) / 2 / n
    return n * np.exp(weights - weights.max()) / np.exp(weights - weights.max()).sum()""",
    "mwem": """
    tables, n = [np.ones(len(B)) * B.sum() / len(B)], B.sum()
    while len(tables) <= T:
        j = noise.choose(abs(queries @ (tables[-1] - B)), epsilon / T, 2)
        tables.append(update(tables[-1], queries[j], noise.laplace(sum(queries[j] * B), epsilon / T / 2, 1), n))
    return np.mean(tables[:-1], axis=0)""",
    "joint": """
    return np.array([np.outer(ab[:, b], bc[b]) / ab[:, b].sum() for b in range(len(bc))]).transpose(1, 0, 2)""",
}


@pytest.mark.parametrize("name", OTHERWISE)
def test_another_right_answer_is_right_whatever_it_draws(name):
    """It draws from a generator of its own: a check judges laws, not the draws of the solutions."""
    right = solutions()[name]
    head = right.splitlines()[0]
    own = "\n    rng = OWN" if "rng" in head else ""
    source = SOLUTIONS.replace(right, f"{head}{own}\n{OTHERWISE[name].strip(chr(10))}")
    check(name, f"{source}\nOWN = np.random.default_rng(20)")


def test_no_sentence_of_a_check_shows_a_solution():
    """No expression of a solution that is longer than a name stands in a text of the checks."""
    texts = "".join(
        node.value
        for file in (COURSE / "checks").glob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ).replace(" ", "")
    solved = [
        ast.unparse(node.value).replace(" ", "")
        for node in ast.walk(ast.parse(SOLUTIONS))
        if isinstance(node, ast.Return | ast.Assign) and node.value and not isinstance(node.value, ast.Constant)
    ]
    assert len(solved) > 20
    assert [each for each in solved if len(each) > 8 and each in texts] == []
