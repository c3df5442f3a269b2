"""For the teacher: a solution of every function that the notebooks leave open, in their order.

The tests put each in the place of its blank and run the notebook. There are others that are right: a check judges what
a function does, not how it reads.
"""

import numpy as np

# 1. Noise and composition


def largest_change(answer, people):
    """Leave out one row after another, by position, and take the largest L1 distance."""
    whole = answer(people)
    positions = np.arange(len(people))
    return max(np.abs(whole - answer(people[positions != i])).sum() for i in positions)


def laplace(exact, epsilon, sensitivity, rng):
    """One draw of scale Δ/ε for each number."""
    return exact + rng.laplace(scale=sensitivity / epsilon, size=np.shape(exact))


def guess(noisy, without):
    """The nearer of the two true counts: both are equally likely, and Laplace noise falls off on both sides alike."""
    return noisy > without + 0.5


def noisy_tables(tables, epsilon, rng):
    """A k-th of ε for each of k tables, each of sensitivity 1."""
    return [laplace(table, epsilon / len(tables), 1, rng) for table in tables]


def gaussian_scale(k, rho):
    """k / 2σ² = ρ."""
    return np.sqrt(k / (2 * rho))


# 2. The exponential mechanism


def probabilities(scores, epsilon, sensitivity):
    """The largest score is subtracted first, so the largest exponent is 0; the ratios stay."""
    weights = np.exp(epsilon * (scores - scores.max()) / (2 * sensitivity))
    return weights / weights.sum()


def choose(scores, epsilon, sensitivity, rng):
    """A draw from the probabilities."""
    return rng.choice(len(scores), p=probabilities(scores, epsilon, sensitivity))


def privacy_loss(scores, neighbour, epsilon, sensitivity):
    """The logarithms' largest difference, in size."""
    p, p_neighbour = (probabilities(each, epsilon, sensitivity) for each in (scores, neighbour))
    return np.abs(np.log(p / p_neighbour)).max()


def error_scores(exact, approximate):
    """The sizes of the errors."""
    return np.abs(exact - approximate)


def choose_by_noise(scores, epsilon, sensitivity, rng):
    """With w = ε s / 2Δ, w + G and s + (2Δ/ε) G have their largest at the same place."""
    return np.argmax(scores + rng.gumbel(scale=2 * sensitivity / epsilon, size=len(scores)))


# 3. MWEM, Figure 1


def select(A, B, queries, epsilon, noise):
    """One record moves each score by at most 1."""
    return noise.choose(np.abs(queries @ B - queries @ A), epsilon, 1)


def measure(B, query, epsilon, noise):
    """One record moves an answer by at most 1."""
    return noise.laplace(query @ B, epsilon, 1)


def update(A, query, m, n):
    """Factors first, then the total."""
    A = A * np.exp(query * (m - query @ A) / (2 * n))
    return A * n / A.sum()


def mwem(B, queries, epsilon, T, noise):
    """2T draws, each of a 2T-th of ε; A_{i-1} is added to the sum before round i."""
    n = B.sum()
    A, total = np.full(len(B), n / len(B)), np.zeros(len(B))
    for _ in range(T):
        total += A
        j = select(A, B, queries, epsilon / (2 * T), noise)
        A = update(A, queries[j], measure(B, queries[j], epsilon / (2 * T), noise), n)
    return total / T


def replay(A, queries, measurements, n, sweeps):
    """Each update goes on from the table of the one before."""
    for _ in range(sweeps):
        for j, m in measurements:
            A = update(A, queries[j], m, n)
    return A


# 4. Factored MWEM, and a table of your own


def model_cells(sizes, cliques):
    """A product for each clique, and their sum."""
    return sum(np.prod([sizes[a] for a in clique]) for clique in cliques)


def joint(ab, bc):
    """ab(a, b) · bc(b, c) / b(b)."""
    return ab[:, :, None] * bc[None, :, :] / bc.sum(axis=1)[None, :, None]


def updated(ab, bc, measured, n):
    """The message is b's new count over its old one: it multiplies the rows of bc."""
    new_ab = ab * np.exp((measured - ab) / (2 * n))
    new_ab *= n / new_ab.sum()
    message = new_ab.sum(axis=0) / ab.sum(axis=0)
    return new_ab, bc * message[:, None]


def mean_tv(Q, A, B):
    """Half of the L1 distance in shares, in the mean over the tables."""
    pairs = zip(A.marginals(Q.sets), B.marginals(Q.sets), strict=True)
    return np.mean([np.abs(a - b).sum() / (2 * B.total) for a, b in pairs])


def schema():
    """Bounds that hold for everybody: nobody works more than 168 hours a week."""
    return """
[[attribute]]
name = "age"
edges = [0, 18, 25, 35, 45, 55, 65, 120]

[[attribute]]
name = "hours-per-week"
edges = [0, 20, 35, 40, 41, 50, 60, 168]

[[attribute]]
name = "sex"
values = ["Female", "Male"]

[[attribute]]
name = "income"
values = ["<=50K", ">50K"]
"""
