// The junction tree of the pairs chosen: mwem_core.model.triangulation and junction_tree in the browser.
function answers({ held, data }) {
  const sizes = data.attributes.map(({ size }) => size), everyone = sizes.map((_, a) => a),
    product = attrs => [...attrs].reduce((cells, a) => cells * sizes[a], 1);
  const sameSet = (p, q) => p.size === q.size && [...p].every(a => q.has(a));

  // The cliques of fewest cells in all: a dynamic program over the sets of eliminated attributes, as bits.
  function triangulated(pairs) {
    const attrs = C => everyone.filter(a => (C >> a) & 1), all = (1 << everyone.length) - 1;
    const near = everyone.map(a =>
      pairs.filter(pair => pair.includes(a)).flat().reduce((C, b) => C | (1 << b), 1 << a)
    );
    const best = [{ cells: 0, cliques: [], near }];
    for (let gone = 0; gone < all; gone++) {
      const { cells, cliques, near } = best[gone];
      for (const a of attrs(all & ~gone)) {
        const C = near[a], now = gone | (1 << a), more = cliques.every(each =>
            C & ~each
          ) ? [C] : [], held = cells + sumOf(more.map(each => product(attrs(each))));
        if (!best[now] || held < best[now].cells)
          best[now] = { cells: held, cliques: [...cliques, ...more], near: near.map((others, b) =>
            ((C >> b) & 1 ? others | C : others) & ~now
          ) };
      }
    }
    return best[all].cliques.map(C => attrs(C).sort((p, q) => sizes[p] - sizes[q] || p - q));
  }

  // Groups that only grow together: `join` says whether two were apart.
  function groups(members) {
    const name = new Map(members.map(each => [each, each]));
    function join(a, b) {
      const [p, q] = [name.get(a), name.get(b)];
      for (const [each, old] of name) if (old === q) name.set(each, p);
      return p !== q;
    }
    return { join, count: () => new Set(name.values()).size };
  }

  // A spanning forest of largest separators, each tree from its first clique, parents before children.
  function rooted(cliques) {
    const common = (i, j) => cliques[i].filter(a => cliques[j].includes(a)).sort((a, b) => a - b),
      trees = groups([...cliques.keys()]);
    const edges = cliques.flatMap((_, i) => cliques.slice(i + 1).map((_, k) => [i, i + 1 + k]))
      .filter(([i, j]) => common(i, j).length);
    edges.sort((p, q) => common(...q).length - common(...p).length || p[0] - q[0] || p[1] - q[1]);
    const neighbours = cliques.map(() => []), seen = new Set(), order = [];
    for (const [i, j] of edges) if (trees.join(i, j)) neighbours[i].push(j), neighbours[j].push(i);
    function visit(k, parent, depth) {
      seen.add(k);
      order.push({ k, shared: parent === null ? [] : common(k, parent), depth });
      for (const j of neighbours[k]) if (!seen.has(j)) visit(j, k, depth + 1);
    }
    for (const k of cliques.keys()) if (!seen.has(k)) visit(k, null, 0);
    return order;
  }

  function tell(pairs) {
    const cliques = triangulated(pairs), cells = cliques.map(product),
      largest = cells.indexOf(Math.max(...cells)), connected = groups(everyone);
    for (const [a, b] of pairs) connected.join(a, b);
    const joined = everyone.flatMap(a => everyone.slice(a + 1).map(b => [a, b])).filter(([a, b]) =>
      cliques.some(clique => clique.includes(a) && clique.includes(b))
    );
    const structure = { pairs,
      added: joined.filter(([a, b]) => !pairs.some(([c, d]) => a === c && b === d)),
      cliques: rooted(cliques).map(({ k, shared, depth }) => ({ attrs: cliques[k], shared, depth,
        cells: cells[k], largest: k === largest })
      ), cells: sumOf(cells) };
    const reached = [pairs.length === data.asked, sameSet(new Set(pairs.flat()), new Set(everyone)),
      pairs.length > everyone.length - connected.count(), structure.cells <= held.budget];
    return { structure, goals: held.goals.map(({ text }, i) => ({ text, reached: reached[i] })),
      solved: reached.every(Boolean) };
  }
  return { tell, take: (_, { pairs }) => [...pairs].sort((p, q) => p[0] - q[0] || p[1] - q[1]) };
}
