// The junction tree of the pairs chosen: mwem_core.model.triangulation and junction_tree in the browser.
function answers({ held, data }) {
  const sizes = data.attributes.map(({ size }) => size), everyone = sizes.map((_, a) => a), product = (attrs) => [...attrs].reduce((cells, a) => cells * sizes[a], 1);
  const sameSet = (p, q) => p.size === q.size && [...p].every((a) => q.has(a)), within = (p, q) => [...p].every((a) => q.has(a));

  // Greedy elimination: the next attribute is the one whose clique has the fewest cells, and of these the first.
  function greedy(pairs) {
    const graph = new Map(everyone.map((a) => [a, new Set()])), cliques = [];
    for (const [a, b] of pairs) graph.get(a).add(b), graph.get(b).add(a);
    while (graph.size) {
      const cost = (a) => product([a, ...graph.get(a)]), a = [...graph.keys()].sort((p, q) => cost(p) - cost(q) || p - q)[0];
      const others = graph.get(a), clique = new Set([a, ...others]);
      graph.delete(a);
      if (!cliques.some((each) => within(clique, each))) cliques.push(clique);
      if (others.size === graph.size) break;
      for (const b of others) {
        for (const c of clique) if (c !== b) graph.get(b).add(c);
        graph.get(b).delete(a);
      }
    }
    return cliques;
  }

  // The cliques of fewest cells in all: a dynamic program over the sets of eliminated attributes, as bits.
  function triangulated(pairs) {
    const attrs = (C) => everyone.filter((a) => (C >> a) & 1), known = greedy(pairs), all = (1 << everyone.length) - 1;
    const start = everyone.map((a) => pairs.reduce((C, pair) => (pair.includes(a) ? C | (1 << pair[0]) | (1 << pair[1]) : C), 1 << a));
    const best = new Map([[0, { cells: 0, near: start, cliques: [] }]]), limit = sumOf(known.map(product));
    for (let gone = 0; gone < all; gone++) {
      const { cells, near, cliques } = best.get(gone) ?? { near: [] }, left = near.length ? attrs(all & ~gone) : [];
      const joined = left.filter((a) => attrs(near[a]).every((b) => !(near[a] & ~near[b]))).slice(0, 1);
      for (const C of (joined.length ? joined : left).map((a) => near[a])) {
        const more = cliques.every((each) => C & ~each) ? [C] : [], now = left.reduce((set, a) => (near[a] & ~C ? set : set | (1 << a)), gone);
        const held = cells + sumOf(more.map((C) => product(attrs(C)))), later = near.map((others, a) => ((C >> a) & 1 ? others | C : others) & ~now);
        if (held < (best.get(now)?.cells ?? limit)) best.set(now, { cells: held, near: later, cliques: [...cliques, ...more] });
      }
    }
    const least = best.get(all)?.cliques.map(attrs) ?? known;
    return least.map((clique) => [...clique].sort((p, q) => sizes[p] - sizes[q] || p - q));
  }

  // Groups that only grow together: `join` says whether two were apart.
  function groups(members) {
    const name = new Map(members.map((each) => [each, each]));
    function join(a, b) {
      const [p, q] = [name.get(a), name.get(b)];
      for (const [each, old] of name) if (old === q) name.set(each, p);
      return p !== q;
    }
    return { join, count: () => new Set(name.values()).size };
  }

  // A spanning forest of largest separators, each tree from its first clique, parents before children.
  function rooted(cliques) {
    const common = (i, j) => cliques[i].filter((a) => cliques[j].includes(a)).sort((a, b) => a - b), trees = groups([...cliques.keys()]);
    const edges = cliques.flatMap((_, i) => cliques.slice(i + 1).map((_, k) => [i, i + 1 + k])).filter(([i, j]) => common(i, j).length);
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
    const cliques = triangulated(pairs), cells = cliques.map(product), largest = cells.indexOf(Math.max(...cells)), connected = groups(everyone);
    for (const [a, b] of pairs) connected.join(a, b);
    const joined = everyone.flatMap((a) => everyone.slice(a + 1).map((b) => [a, b])).filter(([a, b]) => cliques.some((clique) => clique.includes(a) && clique.includes(b)));
    const structure = {
      pairs,
      added: joined.filter(([a, b]) => !pairs.some(([c, d]) => a === c && b === d)),
      cliques: rooted(cliques).map(({ k, shared, depth }) => ({ attrs: cliques[k], shared, depth, cells: cells[k], largest: k === largest })),
      cells: sumOf(cells),
    };
    const reached = [pairs.length === data.asked, sameSet(new Set(pairs.flat()), new Set(everyone)), pairs.length > everyone.length - connected.count(), structure.cells <= held.budget];
    return { structure, goals: held.goals.map(({ text }, i) => ({ text, reached: reached[i] })), solved: reached.every(Boolean) };
  }
  return { tell, take: (_, { pairs }) => [...pairs].sort((p, q) => p[0] - q[0] || p[1] - q[1]) };
}
