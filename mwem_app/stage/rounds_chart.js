// Lines by round on a logarithmic scale, such as errors: each has a spot at the round in view, and
// faint lines and levels stand behind them to be compared with. `point(x)` gives { x, text } for a
// place that is pointed at, or null.
function roundsChart({ point = () => null } = {}) {
  const TOP = 8, LEFT = 56, NAME = 14; // pixels: of a name with the room around it
  const legend = h("div", { class: "legend" }), drawing = svg("svg", { role: "img" });
  const hint = svg("text", { class: "hint", y: TOP + 10 }),
    pointer = svg("line", { class: "pointer" });
  let frame = null, shown = null, width = 400, right = 0, X, Y, series = [], cursor;
  fitted(drawing, next => {
    width = next;
    if (frame) build();
  });

  // What changes seldom: { xs, ys, height, x: the title below, whole: only whole numbers on the
  // axis, faint: [{ kind, points }], levels: [{ kind, at, name }], series: [{ kind, name, plain:
  // without a spot }], gutter: pixels right of the chart for the names of levels, dotted: with a
  // dot at each round, note: a sentence in the middle }. A kind is a class, which has a colour.
  function show(next) {
    frame = next;
    build();
  }
  function build() {
    const { xs, ys, height, whole, gutter = 0 } = frame, foot = height - BOX.bottom;
    right = width - (gutter || 10);
    const at = scale(ys, [foot, TOP], true),
      d = points => pathOf(points.map(([x, y]) => [X(x), Y(y)]));
    X = scale(xs, [LEFT, right]);
    Y = value => Math.min(foot, at(Math.max(value, ys[0])));
    series = frame.series.map(each => ({ ...each, line: svg("path", { class: `line ${each.kind}` }),
      dots: svg("path", { class: `line dots ${each.kind}` }),
      spot: svg("circle", { class: each.kind, r: 5 }),
      title: svg("text", { class: `title ${each.kind}` }) })
    );
    cursor = svg("line", { class: "cursor", y1: TOP, y2: foot });
    for (const [name, value] of [["y1", TOP], ["y2", foot]]) pointer.setAttribute(name, value);
    const values = ticks(...xs).filter(value => !whole || Number.isInteger(value));
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.replaceChildren(levels(Y, ys, { left: LEFT, right, log: true }),
      axis(X, xs, { left: LEFT, right, height, title: frame.x, values }),
      ...frame.levels.map(({ kind, at }) =>
        svg("line", { class: `level ${kind}`, x1: LEFT, x2: right, y1: Y(at), y2: Y(at) })
      ), ...namesOf(frame.levels, gutter),
      ...frame.faint.map(({ kind, points }) =>
        svg("path", { class: `line faint ${kind}`, d: d(points) })
      ), cursor, pointer,
      ...series.flatMap((
        { line, dots, plain },
      ) => (frame.dotted && !plain ? [line, dots] : [line])),
      ...series.flatMap(({ plain, spot, title }) => (plain ? [] : [spot, title])), ...(frame.note
        ? [
          svg("text", { x: (LEFT + right) / 2, y: height / 2, "text-anchor": "middle" },
            frame.note),
        ]
        : []), hint);
    if (shown) move(shown);
  }
  // The names of levels: right of the chart, moved apart where they would overlap, or below the
  // levels.
  function namesOf(compared, gutter) {
    let free = Infinity;
    return [...compared].sort((a, b) => a.at - b.at).map(({ kind, at, name }) => {
      if (!gutter)
        return svg("text", { class: kind, x: right, y: Y(at) + NAME, "text-anchor": "end" }, name);
      const y = Math.min(Y(at) + 4, free);
      free = y - NAME;
      return svg("text", { class: `level-name ${kind}`, x: right + 6, y }, name);
    });
  }

  // What each position of a slider changes: { x, lines: for each series { points, at: [x, y] } or
  // null, label }.
  function move(next) {
    shown = next;
    if (!frame) return;
    series.forEach((each, i) => {
      const { points, at } = next.lines[i] ?? {};
      each.line.style.display = each.dots.style.display = points ? "" : "none";
      each.at = each.spot.style.display = each.title.style.display = "none";
      if (!points) return;
      if (each.points !== points) {
        each.points = points;
        const placed = points.map(([x, y]) => [X(x), Y(y)]);
        each.line.setAttribute("d", pathOf(placed));
        each.dots.setAttribute("d", placed.map(([x, y]) =>
          `M${x.toFixed(1)} ${y.toFixed(1)}h0`
        ).join(""));
      }
      if (!at) return;
      each.at = at.map((value, k) => [X, Y][k](value));
      each.before = points.findLast(([x]) => x < at[0]);
      each.spot.style.display = "";
      each.spot.setAttribute("cx", each.at[0]);
      each.spot.setAttribute("cy", each.at[1]);
    });
    name(series.filter(({ at, name }) => at !== "none" && name));
    for (const end of ["x1", "x2"]) cursor.setAttribute(end, X(next.x));
    drawing.setAttribute("aria-label", next.label);
  }
  // A name stands above its spot, as errors fall; below where its line falls steeply into it, or
  // another name is near.
  function name(named) {
    for (const each of named) {
      const [x, y] = each.at, leftwards = x > LEFT + 0.8 * (right - LEFT), { before } = each,
        others = named.filter(other => other !== each).map(({ at }) => y - at[1]),
        near = Math.min(...others.map(Math.abs));
      const steep = leftwards && before && y - Y(before[1]) > 0.1 * (x - X(before[0]))
        && frame.height - BOX.bottom - y > 18;
      const below = y < 22
        || (near <= 18 ? others.some(by => by > 0 || (by === 0 && each !== named[0]))
          : near > 40 && steep);
      each.title.style.display = "";
      each.title.textContent = each.name;
      for (const [attribute, value] of [["x", x + (leftwards ? -8 : 8)], ["y",
        y + (below ? 18 : -7)], ["text-anchor", leftwards ? "end" : "start"]])
        each.title.setAttribute(attribute, value);
    }
  }

  function read(event) {
    const box = drawing.getBoundingClientRect(),
      at = ((event.clientX - box.left) * width) / box.width;
    const found = frame && at >= LEFT && at <= right
      ? point(frame.xs[0] + ((at - LEFT) / (right - LEFT)) * (frame.xs[1] - frame.xs[0])) : null;
    pointer.style.display = hint.style.display = found ? "" : "none";
    if (!found) return;
    const x = X(found.x), leftwards = x > (LEFT + right) / 2;
    for (const end of ["x1", "x2"]) pointer.setAttribute(end, x);
    hint.textContent = found.text;
    hint.setAttribute("x", x + (leftwards ? -6 : 6));
    hint.setAttribute("text-anchor", leftwards ? "end" : "start");
  }
  drawing.addEventListener("pointermove", read);
  drawing.addEventListener("pointerleave",
    () => (pointer.style.display = hint.style.display = "none"));
  pointer.style.display = "none";
  return { element: drawing, legend, show, move };
}
