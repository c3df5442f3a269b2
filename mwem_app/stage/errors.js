// Error by round, in records on a logarithmic scale that all ε share: the run in view over all
// others of its system. With several systems, by the share of the budget that each has spent.
function errorChart() {
  const PLACE = { left: 52, right: 10, top: 8, bottom: 36 };
  const legend = h("div", { class: "legend" }), drawing = svg("svg", { role: "img" });
  const element = h("figure", { class: "errors" }, legend, drawing);
  let HEIGHT = 200, width = 400, frame = null, last = null, X, Y, live;
  fitted(drawing, next => {
    width = next;
    if (frame) build(), last && move(last);
  });

  // What only new runs, other systems or another width change.
  function show(next) {
    frame = next;
    build();
  }
  function build() {
    HEIGHT = frame.height;
    const { runs, systems, n, uniform } = frame, several = systems.length > 1,
      own = run => systems.some(({ name }) => run.id.startsWith(`${name}/`));
    const all = runs.filter(run => run.mean && own(run)),
      lead = all.filter(run => run.id.startsWith(`${systems[0].name}/`));
    live = [];
    if (!all.length) return drawing.replaceChildren();
    const values = [...all.flatMap(run => (several ? run.mean : [...run.mean, ...run.max])),
      ...(uniform ? [uniform[1], ...(several ? [] : [uniform[0]])] : [])].filter(value =>
        value > 0
      );
    const high = n * Math.max(...values),
      low = Math.min(high / 10, Math.max(n * Math.min(...values), 0.1)),
      foot = HEIGHT - PLACE.bottom, right = width - PLACE.right;
    const most = Math.max(1, ...lead.map(run => run.rounds.at(-1))),
      range = [0, several ? 1 : most];
    X = scale(range, [PLACE.left, right]);
    const height = scale([low / 1.15, high * 1.15], [foot, PLACE.top], true);
    Y = share => Math.min(foot, height(Math.max(n * share, low / 1.15)));
    const levels = ticks(low / 1.15, high * 1.15, true).map(
      value => [
        svg("line", { class: "grid", x1: PLACE.left, x2: right, y1: height(value),
          y2: height(value) }),
        svg("text", { x: PLACE.left - 6, y: height(value) + 5, "text-anchor": "end" },
          short(value)),
      ]
    );
    const foots = ticks(...range).filter(value => several || Number.isInteger(value)).map(value =>
      svg("text", { x: X(value), y: foot + 16, "text-anchor": "middle" }, short(value))
    );
    const faint = lead.map(run =>
      svg("g", { class: "faint" }, svg("path", { class: "mean", d: path(run, run.mean) }),
        several ? null : svg("path", { class: "max", d: path(run, run.max) }))
    );
    const level = uniform
      ? (several ? [uniform[1]] : uniform).flatMap(
        value => [
          svg("line", { class: "level", x1: PLACE.left, x2: right, y1: Y(value), y2: Y(value) }),
          svg("text", { x: right, y: Y(value) + 14, "text-anchor": "end" }, "uniform"),
        ]
      ) : [];
    live = several ? systems.map((_, i) => ({ kind: "mean", system: i, class: `system-${i}` }))
      : ["max", "mean"].map(kind => ({ kind, system: 0, class: kind }));
    for (const each of live)
      (each.line = svg("path", { class: `line ${each.class}` })),
        (each.spot = svg("circle", { class: each.class, r: 5 }));
    live.cursor = svg("line", { class: "cursor", y1: PLACE.top, y2: foot });
    drawing.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    drawing.replaceChildren(
      svg("g", { class: "axis" }, levels.flat(),
        svg("line", { x1: PLACE.left, x2: right, y1: foot, y2: foot }), foots,
        svg("text", { x: (PLACE.left + right) / 2, y: HEIGHT - 3, "text-anchor": "middle" },
          several ? "share of ε spent" : systems[0].turn)),
      ...level,
      ...faint,
      live.cursor,
      ...live.map(({ line }) => line),
      ...live.map(({ spot }) => spot),
    );
    const colours = several ? systems.map(({ title }, i) => [title, `system-${i}`])
      : [["worst", "max"], ["mean", "mean"]];
    legend.replaceChildren(h("span", { class: "what" }, "Records off"),
      ...colours.map(([name, kind]) => h("span", { class: "key" }, h("i", { class: kind }), name)),
      ...(lead.length > 1 && !several
        ? [h("span", { class: "key" }, h("i", { class: "faint" }), "other ε")] : []));
  }
  function path(run, values) {
    return values.map((value, i) =>
      `${i ? "L" : "M"}${X(frame.systems.length > 1 ? run.spent[i] : run.rounds[i]).toFixed(1)} ${
        Y(value).toFixed(1)
      }`
    ).join("");
  }
  // What every position of the sliders changes; `shown` has a run and its round for each system, or null.
  function move(shown) {
    last = shown;
    for (const { kind, system, line, spot } of live) {
      const at = shown[system], values = at?.run[kind];
      line.style.display = spot.style.display = values ? "" : "none";
      if (!values) continue;
      if (line.run !== at.run || line.scale !== Y)
        (line.run = at.run), (line.scale = Y), line.setAttribute("d", path(at.run, values));
      spot.setAttribute("cx",
        X(frame.systems.length > 1 ? at.run.spent[at.round] : at.run.rounds[at.round]));
      spot.setAttribute("cy", Y(values[at.round]));
    }
    if (!shown[0]) return;
    const x = X(frame.systems.length > 1 ? shown[0].run.spent[shown[0].round]
      : shown[0].run.rounds[shown[0].round]);
    live.cursor.setAttribute("x1", x);
    live.cursor.setAttribute("x2", x);
    const { run, round } = shown[0];
    drawing.setAttribute("aria-label", run.mean
      ? `Records off per count by ${frame.systems[0].turn}: ${
        records(frame.n * run.mean[round])
      } on average now, ${records(frame.n * run.max[round])} at worst.` : "");
  }
  return { element, show, move };
}

// Without the truth there are no errors; what each round measured may be shown.
function measuredList() {
  const list = h("ol", { class: "algorithm", start: 0, tabindex: 0,
      "aria-label": "What each round measured" }),
    element = h("section", { class: "measured" },
      h("p", { class: "what" }, "What each round measured"), list);
  let run = null, items = [];
  function show(at) {
    if (!at) return;
    if (at.run !== run)
      (run = at.run),
        (items = run.labels.map((label, i) =>
          h("li", { value: run.rounds[i] }, label || "the start: nothing")
        )), list.replaceChildren(...items);
    items.forEach((item, i) => (i === at.round ? item.setAttribute("aria-current", "step")
      : item.removeAttribute("aria-current"))
    );
    const item = items[at.round];
    if (item) list.scrollTop = item.offsetTop - list.clientHeight / 2;
  }
  return { element, show };
}
