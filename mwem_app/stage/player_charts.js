// Both charts of the player: errors by round, and the view, a table of shares.
const LEAST = 0.1; // records: smaller errors are drawn as this one, as an exact answer has no place on a log scale
const GUTTER = 88; // pixels right of the error chart, for the names of the levels
const LEVELS = { // to compare the errors with, by the switch that shows each
  uniform: { name: "uniform", keys: { uniform_max: "uniform max", uniform_mean: "uniform mean" } },
  laplace: { name: "plain Laplace",
    keys: { laplace_max: "Laplace max", laplace_mean: "Laplace mean" } },
  automatic: { name: "Automatic",
    keys: { automatic_max: "Automatic max", automatic_mean: "Automatic mean" } },
  bound: { name: "Theorem 2.3, 95%", keys: { bound: "bound" } },
};

// What changes seldom is shown again only if it has changed: a button that is replaced loses the
// keyboard focus.
function renew(panel, content, frame, items) {
  const stamp = JSON.stringify(content);
  if (stamp === panel.stamp) return;
  panel.stamp = stamp;
  panel.chart.show(frame());
  const focused = panel.legend.getRootNode().activeElement?.dataset.group;
  panel.legend.replaceChildren(...items().filter(Boolean));
  if (focused) panel.legend.querySelector(`[data-group=${focused}]`)?.focus();
}

const seriesOf = p => (p.hasErrors ? [{ kind: "max", name: "max" }, { kind: "mean", name: "mean" }]
  : [{ kind: "residual", name: "residual",
    tip: "|m − q(A)|: the distance between the measurement and the model before it" }, {
    kind: "noise",
    name: "noise",
    tip: "The expected size of the noise in the measurement",
  }]);

function drawErrors(p) {
  const { data, errors: panel, shown } = p, { turn } = data.method, { n, total, lines } = data,
    series = seriesOf(p);
  const drawn =
    value => (p.hasErrors && value != null ? Math.max(value, LEAST / n) : value > 0 ? value : null);
  const until = (kind, end) =>
    p.rounds.slice(0, end + 1).map((round, i) => [i, drawn(round[kind])]).filter(([, y]) => y);
  const compared = Object.entries(LEVELS).filter(([group]) => p.levelsOn[group]).flatMap((
    [group, { keys }],
  ) =>
    Object.entries(keys).filter(([key]) => lines[key] > 0).map(([key, name]) => ({ name,
      at: lines[key], kind: `${group} ${key.split("_")[1] ?? ""}` })
    )
  );
  const all = series.flatMap(({ kind }) => until(kind, last(p)).map(([, y]) => y)),
    started = all.length > 0;
  const ys = halfDecades([...all, ...compared.map(({ at }) => at)]);
  const switches = () =>
    Object.entries(LEVELS).filter(([, { keys }]) => Object.keys(keys).some(key => lines[key] > 0))
      .map(([group, { name }]) =>
        h("button", { type: "button", "data-group": group,
          "aria-pressed": String(p.levelsOn[group]), onclick() {
          p.levelsOn[group] = !p.levelsOn[group];
          p.dirty = true;
          play(p);
        } },
          svg("svg", { viewBox: "0 0 20 4" },
            svg("line", { class: `level ${group}`, x2: 20, y1: 2, y2: 2 })), name)
      );
  renew(panel, [data.run, total, lines, p.levelsOn, p.height, p.hasErrors, ys, started],
    () => ({ xs: [0, Math.max(1, total)], ys, height: p.height, x: turn, whole: true,
      dotted: total <= 40, faint: [], levels: compared, gutter: compared.length ? GUTTER : 0,
      note: started ? "" : "begins with the first measurement",
      series: [...series.map(({ kind }) => ({ kind: `${kind} faint`, plain: true })), ...series] }),
    () => [h("span", { class: "what" }, "Share of n"),
      ...series.map(({ kind, name, tip }) => key(panel, kind, name, h("i", { class: kind }), tip)),
      ...switches(), lines.note && h("span", { class: "key" }, lines.note)]);
  panel.title.textContent = panel.title.title = `${
    p.hasErrors ? "Error" : "Residual and noise"
  } by ${turn}`;
  badge(panel.badge, p.hasErrors, data.badge);
  const at = p.rounds[shown];
  for (const { kind } of series) panel.cells[kind].textContent = figure(at[kind]);
  panel.chart.move({ x: shown,
    lines: [...series.map(({ kind }) => ({ points: until(kind, p.reached) })),
      ...series.map(({ kind }) => ({ points: until(kind, shown),
        at: drawn(at[kind]) && [shown, drawn(at[kind])] })
      )],
    label: `${panel.title.title} on a logarithmic scale. At ${turn} ${shown} of ${total}: ${
      series.map(({ kind, name }) => `${name} ${figure(at[kind])}`).join(", ")
    }${compared.map(({ name, at }) => `; ${name} ${figure(at)}`).join("")}. Shares of ${
      whole(n)
    } records.` });
}

// What the error chart says where it is pointed at.
function pointed(p, x) {
  const index = Math.round(x), round = p.rounds[index];
  if (!round || index > p.reached) return null;
  return { x: index,
    text: `${p.data.method.turn} ${index}: ${
      seriesOf(p).map(({ kind, name }) => `${name} ${figure(round[kind])}`).join(", ")
    }` };
}

function halfDecades(values) {
  const ends = values.map(value => 2 * Math.log10(value));
  return values.length
    ? [Math.floor(Math.min(...ends) - 0.1), Math.ceil(Math.max(...ends) + 0.1)].map(end =>
      10 ** (end / 2)
    )
    : [0.001, 1];
}

function drawView(p) {
  const { view: panel, data, shown } = p, round = p.rounds[shown], view = p.views.get(round?.view);
  panel.box.hidden = !view;
  if (!view) return;
  const { truth, table } = view,
    model = round.estimate ?? new Float32Array(table.shape[0] * table.shape[1]).fill(NaN);
  const apart = truth && Array.from(model, (share, i) => Math.abs(share - truth[i])),
    distance = apart && sumOf(apart) / 2, gap = p.gap || 1;
  const ramp = (name, sides, ...ends) =>
    h("span", { class: "key" }, name,
      h("span", { class: "scale" }, h("i", { class: "ramp" }, sides.map(side =>
        h("i", { class: side })
      )), ends.map(end => h("small", {}, end))));
  const parts = () =>
    view.y
      ? [
        ramp("share of n", truth ? ["truth", "estimate"] : ["estimate"], 0, figure(view.top / 8),
          figure(view.top)),
        truth && ramp("model − truth", ["difference"], `−${gap}`, 0, `+${gap}`),
      ]
      : [h("span", { class: "what" }, table.widths?.some(each =>
          Math.abs(each - 1) > 0.01
        ) ? "Share per width" : "Share of n"),
        truth && key(panel, "", "truth", h("i", { class: "outline" })),
        key(panel, "", "model", h("i", { class: "estimate" }))];
  const kinds = view.y && truth ? ["truth", "estimate", "difference"] : ["estimate"],
    titles = { truth: "truth", estimate: "model", difference: "model − truth" };
  renew(panel, [data.run, data.look, view.id, view.top, gap, p.height, !truth],
    () => ({ table, truth, height: p.height, top: (view.y ? 1 : 1.08) * view.top || 1, spread: gap,
      unit: 1, letters: 7, text: figure, names: ["model"],
      signed: value => `${value > 0 ? "+" : value < 0 ? "−" : ""}${figure(Math.abs(value))}`,
      panels: kinds.map(kind => ({ kind, system: 0, colour: "estimate",
        title: view.y ? titles[kind] : "" })
      ) }), () => [...parts(), truth && key(panel, "distance", "total variation")]);
  panel.title.textContent = panel.title.title = view.title;
  badge(panel.badge, Boolean(truth), data.badge);
  if (truth) panel.cells.distance.textContent = figure(distance);
  panel.chart.move([model]);
  const name =
    i => (view.y ? `${view.y[Math.floor(i / view.x.length)]} × ${view.x[i % view.x.length]}`
      : view.x[i]);
  const largest = [...model.keys()].sort((a, b) => (truth ?? model)[b] - (truth ?? model)[a]).slice(
    0,
    3,
  ).map(i => `${name(i)}: ${truth ? `truth ${figure(truth[i])}, ` : ""}model ${figure(model[i])}`);
  panel.chart.element.setAttribute("aria-label",
    `${
      view.y ? "Heat map" : "Histogram"
    } of ${view.title} after ${data.method.turn} ${shown}, shares of n. Largest: ${
      largest.join("; ")
    }.${truth ? ` Total variation ${figure(distance)}.` : ""}${
      truth && view.y ? ` The differences are at most ${figure(Math.max(...apart))} of n.` : ""
    }`);
}

function key(panel, name, text, mark, tip) {
  const value = name && (panel.cells[name] = h("b", {}));
  return h("span", { class: "key", title: tip }, mark ?? "", text, value);
}
const figure = value => (value == null || Number.isNaN(value) ? "–"
  : value === 0 ? "0"
  : value < 0.0001 ? value.toExponential(1) : value.toPrecision(value < 0.1 ? 2 : 3));

// The next of 1, 2, 5, 10 … times a power of ten: a scale in such steps changes seldom from round
// to round.
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return Number(
    (power * [1, 2, 5, 10].find(step => value <= step * power * (1 + 1e-9))).toPrecision(1),
  );
}
