const PLACE = { width: 410, x: 205, y: 102, radius: 102 };
const counted = value => value.toLocaleString("en");

function factored(root, data) {
  const place = h("div", { class: "stack factored" });
  root.append(place);
  const update = { growth, ring, puzzle }[data.scene](place, data);
  update(data);
  return update;
}

// A recorded run: which pairs it measured, and what each model held.
function growth(place, data) {
  const graph = circle(data.attributes), held = sizes(data.steps.map(({ structure }) => structure)),
    tree = cliques(data.attributes, graph), words = note();
  const drag = slider({ label: "Pairs measured",
    texts: data.steps.map(({ pair },
      i) => (pair ? `${i}: ${pair.map(a => data.attributes[a].name).join(" × ")}` : "0")
    ), start: data.start, on: draw });
  tree.reserve(data.steps.map(({ structure }) => structure));
  place.append(drag.element,
    h("div", { class: "beside" }, h("div", { class: "stack" }, graph.element, held.element),
      tree.element), words.element);
  function draw(at) {
    const { structure, pair, error } = data.steps[at];
    graph.show(structure, { newest: pair });
    held.show(structure);
    tree.show(structure);
    words.show(
      `${at} ${at === 1 ? "pair" : "pairs"} measured: the model holds ${
        counted(structure.cells)
      } numbers. On average ${
        (100 * error).toFixed(1)
      }% of the people are in a wrong cell of a pair.`,
    );
  }
  return () => draw(drag.index);
}

// Four pairs in a ring: without their cliques until the prediction is locked in.
function ring(place, data) {
  const graph = circle(data.attributes), tree = cliques(data.attributes, graph);
  place.append(graph.element, tree.element);
  return ({ structure }) => {
    graph.show(structure, { cells: true });
    tree.show(structure.cliques.length ? structure : null);
  };
}

// Six pairs, chosen by tapping the two attributes of each.
function puzzle(place, data) {
  let chosen = [], first = null;
  const graph = circle(data.attributes, tap), tree = cliques(data.attributes, graph),
    words = note();
  const goals = h("ul", { class: "goals" });
  const again = button("Start again", () => ((first = null), choose([])));
  tree.reserve([structureOf([], data)]);
  place.append(
    h("div", { class: "beside" }, graph.element, h("div", { class: "stack" }, goals, tree.element)),
    h("div", { class: "row" }, again, words.element),
  );
  const name = a => data.attributes[a].name, same = p => q => p[0] === q[0] && p[1] === q[1];

  function tap(a) {
    if (first === null) {
      first = a;
      words.show(`${name(a)} × … Tap the second attribute of the pair.`);
      return draw();
    }
    const pair = [first, a].sort((p, q) => p - q);
    first = null;
    if (pair[0] === pair[1]) return words.show(""), draw();
    choose(chosen.some(same(pair)) ? chosen.filter(each => !same(pair)(each)) : [...chosen, pair]);
  }
  function choose(pairs) {
    chosen = [...pairs].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
    draw();
  }
  function draw() {
    const structure = structureOf(chosen, data), reached = goalsOf(structure, data);
    graph.show(structure, { first });
    tree.show(structure);
    goals.replaceChildren(
      ...reached.map(([text, reached]) =>
        h("li", { class: reached ? "reached" : null },
          h("span", { class: "spoken" }, reached ? "reached: " : "open: "), text)
      ),
    );
    if (first === null)
      words.show(reached.every(([, each]) => each)
        ? `Solved with ${counted(structure.cells)} cells.`
        : `${chosen.length} of ${data.asked} pairs, ${counted(structure.cells)} cells.`);
  }
  return draw;
}

// Attributes as dots on a circle, pairs as lines. `tap(a)` makes the dots buttons.
function circle(attributes, tap) {
  const { x, y, radius, width } = PLACE;
  const places = attributes.map((_,
    i) => [x - radius * Math.cos((2 * Math.PI * (i + 0.5)) / attributes.length + Math.PI / 2),
    y - radius * Math.sin((2 * Math.PI * (i + 0.5)) / attributes.length + Math.PI / 2)]
  );
  const behind = svg("g", {}), dots = attributes.map(dot);
  const heights = places.map(([, cy]) => cy), top = Math.min(...heights) - 24,
    height = Math.max(...heights) + 30 - top;
  const element = svg("svg", { viewBox: `0 ${top} ${width} ${height}`, role: tap ? "group" : "img",
    class: "circle" }, behind, dots);
  let shown = null;

  function dot({ name, size }, i) {
    const [cx, cy] = places[i], side = Math.abs(cx - x) < 0.2 * radius ? 0 : Math.sign(cx - x),
      below = cy > y ? 1 : -1;
    const at = side ? { x: cx + 17 * side, y: cy - 2, "text-anchor": side > 0 ? "start" : "end" }
      : { x: cx, y: cy + (below > 0 ? 27 : -32), "text-anchor": "middle" };
    const acts = tap
      ? { role: "button", tabindex: 0, "aria-label": `${name}, ${size} values`,
        onclick: () => tap(i),
        onkeydown: event => ["Enter", " "].includes(event.key) && (event.preventDefault(), tap(i)) }
      : {};
    return svg("g", { class: tap ? "dot live" : "dot", ...acts },
      tap && svg("circle", { cx, cy, r: 22, class: "reach" }), svg("circle", { cx, cy, r: 10 }),
      svg("text", { ...at, class: "name" }, name),
      svg("text", { ...at, y: at.y + 16 }, `${size} values`));
  }
  const line = ([a, b], kind) =>
    svg("line", { x1: places[a][0], y1: places[a][1], x2: places[b][0], y2: places[b][1],
      class: kind });
  function amount([a, b]) {
    const [px, py] = [(places[a][0] + places[b][0]) / 2, (places[a][1] + places[b][1]) / 2];
    return svg("text", { x: px, y: py + 5, "text-anchor": "middle", class: "cells" },
      counted(attributes[a].size * attributes[b].size));
  }
  function show(structure, { newest = null, first = null, cells = false } = {}) {
    shown = [structure, { newest, first, cells }];
    const is = pair => newest && pair[0] === newest[0] && pair[1] === newest[1];
    behind.replaceChildren(area(structure.cliques.find(({ largest }) => largest)),
      ...structure.added.map(pair => line(pair, "added")),
      ...structure.pairs.map(pair => line(pair, is(pair) ? "pair newest" : "pair")),
      ...(cells ? structure.pairs.map(amount) : []));
    dots.forEach((each, i) => tap && each.setAttribute("aria-pressed", i === first));
    const pairs = structure.pairs.map(pair => pair.map(a => attributes[a].name).join(" × "));
    element.setAttribute("aria-label",
      pairs.length ? `Pairs measured: ${pairs.join(", ")}` : "No pair is measured.");
  }
  function area(clique) {
    const corners = clique ? [...clique.attrs].sort((a, b) => a - b).map(a => places[a].join(" "))
      : [];
    return svg("path", { class: "area", d: corners.length > 1 ? `M${corners.join("L")}Z` : "" });
  }
  function mark(clique) { // outlines one clique instead of the largest
    const [structure, how] = shown;
    show({ ...structure,
      cliques: structure.cliques.map(each => ({ ...each, largest: each === clique })) }, how);
    shown = [structure, how];
  }
  return { element, show, mark, unmark: () => show(...shown) };
}

// The junction tree as an indented list. A clique's line stands below that of its parent; what they share is pale.
// `reserve(structures)` keeps room for the longest of their lists, so that nothing below moves when one is shown.
function cliques(attributes, graph) {
  const title = h("b", {}), list = h("ol", { class: "cliques" }),
    pile = h("div", { class: "pile" }, list);
  const element = h("div", {}, title,
    h("p", { class: "key" }, h("span", { class: "shared" }, "Italic:"),
      " shared with the clique above"), pile);
  function line(clique, act = {}) {
    const names = clique.attrs.flatMap((a,
      i) => [i ? " × " : "",
      h("span", { class: clique.shared.includes(a) ? "shared" : null }, attributes[a].name)]
    );
    return h("li", { style: `--depth: ${clique.depth}`, class: clique.largest ? "largest" : null,
      ...act }, h("span", { class: "names" }, names),
      h("span", { class: "amount" }, counted(clique.cells)));
  }
  function show(structure) {
    element.hidden = !structure;
    if (!structure) return;
    title.textContent = `The tree: ${structure.cliques.length} ${
      structure.cliques.length === 1 ? "clique" : "cliques"
    }, ${counted(structure.cells)} cells`;
    list.replaceChildren(
      ...structure.cliques.map(clique =>
        line(clique, { tabindex: 0, onmouseenter: () => graph.mark(clique),
          onmouseleave: graph.unmark, onfocus: () => graph.mark(clique), onblur: graph.unmark })
      ),
    );
  }
  function reserve(structures) {
    pile.append(
      ...structures.map(structure =>
        h("ol", { class: "cliques", "aria-hidden": "true" }, structure.cliques.map(clique =>
          line(clique)
        ))
      ),
    );
  }
  return { element, show, reserve };
}

// Three ways to store the same distribution, on a logarithmic scale.
function sizes(structures) {
  const most = Math.log(structures[0].dense),
    rows = [["One table over all attributes", "dense"], ["One table per connected part",
      "components"], ["The cliques of the tree", "cells"]];
  const element = h("div", { class: "sizes", role: "img" });
  function show(structure) {
    element.replaceChildren(h("p", { class: "key" }, "Numbers to hold, on a logarithmic scale"),
      ...rows.map(([text, key]) =>
        h("div", { class: key }, h("span", {}, text), h("b", {}, counted(structure[key])),
          h("i", { style: `--part: ${(100 * Math.log(structure[key])) / most}%` }))
      ));
    element.setAttribute("aria-label",
      `${rows.map(([text, key]) => `${text}: ${counted(structure[key])} cells`).join(". ")}.`);
  }
  return { element, show };
}

// The junction tree of the pairs chosen: mwem_core.model.triangulation and junction_tree in the browser.
function structureOf(pairs, { attributes }) {
  const sizes = attributes.map(({ size }) => size), everyone = sizes.map((_, a) => a),
    product = attrs => attrs.reduce((cells, a) => cells * sizes[a], 1);
  const cliques = triangulated(pairs, sizes), cells = cliques.map(product),
    largest = cells.indexOf(Math.max(...cells));
  const joined = everyone.flatMap(a => everyone.slice(a + 1).map(b => [a, b])).filter(([a, b]) =>
    cliques.some(clique => clique.includes(a) && clique.includes(b))
  );
  return { pairs, added: joined.filter(([a, b]) => !pairs.some(([c, d]) => a === c && b === d)),
    cliques: rooted(cliques).map(({ k, shared, depth }) => ({ attrs: cliques[k], shared, depth,
      cells: cells[k], largest: k === largest })
    ), cells: sumOf(cells) };
}

// The cliques of fewest cells in all: a dynamic program over the sets of eliminated attributes, as bits.
function triangulated(pairs, sizes) {
  const everyone = sizes.map((_, a) => a), attrs = C => everyone.filter(a => (C >> a) & 1),
    all = (1 << everyone.length) - 1;
  const near = everyone.map(a =>
    pairs.filter(pair => pair.includes(a)).flat().reduce((C, b) => C | (1 << b), 1 << a)
  );
  const best = [{ cells: 0, cliques: [], near }];
  for (let gone = 0; gone < all; gone++) {
    const { cells, cliques, near } = best[gone];
    for (const a of attrs(all & ~gone)) {
      const C = near[a], now = gone | (1 << a), isNew = cliques.every(each => C & ~each),
        held = cells + (isNew ? attrs(C).reduce((product, b) => product * sizes[b], 1) : 0);
      if (!best[now] || held < best[now].cells)
        best[now] = { cells: held, cliques: isNew ? [...cliques, C] : cliques,
          near: near.map((others, b) => ((C >> b) & 1 ? others | C : others) & ~now) };
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

// What the puzzle asks of the pairs, and whether they do it. More pairs than a forest has edges close a loop.
function goalsOf({ pairs, cells }, { attributes, asked, budget }) {
  const everyone = groups([...attributes.keys()]);
  for (const [a, b] of pairs) everyone.join(a, b);
  return [[`${asked} pairs`, pairs.length === asked], ["every attribute in a pair",
    new Set(pairs.flat()).size === attributes.length], ["a loop",
    pairs.length > attributes.length - everyone.count()], [`at most ${budget} cells`,
    cells <= budget]];
}

const DRAWINGS = { factored };
