// The laws of both selection mechanisms from the weights w[j] = ε s[j] / 2Δ: mwem_core/privacy/laws.py in the browser,
// for a handful of candidates whose scores are dragged. A test holds them against the core on a grid.
const sumOf = values => values.reduce((sum, value) => sum + value, 0);

// Pr[j] ∝ exp(w[j]).
function exponentialLaw(weights) {
  const top = Math.max(...weights), masses = weights.map(w => Math.exp(w - top)),
    sum = sumOf(masses);
  return masses.map(mass => mass / sum);
}

// Pr[j] = p[j] ∫ Π_{i≠j} (1 - p[i] u) du over u from 0 to 1, with p[i] = exp(w[i] - max w): the
// integral of a polynomial.
function permuteAndFlipLaw(weights) {
  const top = Math.max(...weights), p = weights.map(w => Math.exp(w - top));
  return p.map((own, j) => {
    const product = p.filter((_, i) => i !== j).reduce(
      (c, each) => [...c, 0].map((_, k) => (c[k] ?? 0) - each * (c[k - 1] ?? 0)),
      [1],
    );
    return own * sumOf(product.map((c, k) => c / (k + 1)));
  });
}

// The largest ratio by which one person changes a probability, if the person moves every weight by
// `step` at most. Under both mechanisms Pr[j] grows with w[j] and falls with the other weights. So
// the worst person for j moves w[j] one way and all others the other way.
function worstNeighbour(weights, step, law) {
  const here = law(weights);
  const ways = weights.flatMap((_, j) =>
    [1, -1].map(sign => {
      const there = law(weights.map((w, i) => w + (i === j ? sign : -sign) * step));
      return { j, here: here[j], there: there[j],
        ratio: sign > 0 ? there[j] / here[j] : here[j] / there[j] };
    })
  );
  return ways.reduce((worst, way) => (way.ratio > worst.ratio ? way : worst));
}
