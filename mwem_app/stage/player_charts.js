// The contents of the two charts for the round shown. A panel knows its whole chart, and the parts
// that change by round.
const LINES = { // levels to compare the errors with, by the switch that shows each
  uniform: { name: "uniform", dash: "dot",
    keys: { uniform_max: "uniform max", uniform_mean: "uniform mean" } },
  laplace: { name: "plain Laplace", dash: "dash",
    keys: { laplace_max: "Laplace max", laplace_mean: "Laplace mean" } },
  automatic: { name: "Automatic", dash: "longdash",
    keys: { automatic_max: "Automatic max", automatic_mean: "Automatic mean" } },
  bound: { name: "Theorem 2.3, 95%", dash: "longdashdot", keys: { bound: "bound" } },
};
const LEAST = 0.1; // records: smaller errors are drawn as this one, as an exact answer has no place on a log scale
const GUTTER = 88; // pixels right of the error chart, for the names of the levels

// ---- error by round ----
function errorPanel(p) {
  const { data, look, errors: state } = p, { turn } = data.method,
    dots = data.total <= 40 ? "lines+markers" : "lines";
  const series = p.hasErrors
    ? [{ key: "max", name: "max", color: look.max }, { key: "mean", name: "mean",
      color: look.mean }]
    : [{ key: "residual", name: "residual", color: look.mean,
      tip: "|m − q(A)|: the distance between the measurement and the model before it" }, {
      key: "noise",
      name: "noise",
      color: look.soft,
      tip: "The expected size of the noise in the measurement",
    }];
  const drawnAt =
    value => (p.hasErrors && value != null ? Math.max(value, LEAST / data.n) : positive(value));
  const until = (key, end) => p.rounds.slice(0, end + 1).map(round => drawnAt(round[key]));
  const upTo = end => series.map(({ key }) => until(key, end));
  const levels = shownLevels(p), at = p.rounds[p.shown] ?? {};
  const range = halfDecades([...upTo(last(p)).flat(), ...levels.map(level => level.at)]);
  const known = upTo(p.reached), drawn = upTo(p.shown),
    now = series.map(({ key }) => drawnAt(at[key]));
  const before = series.map(({ key }) => drawnAt(p.rounds[p.shown - 1]?.[key])),
    left = p.shown >= 0.8 * data.total;
  const wide = (state.plot.clientWidth - 58 - GUTTER) / data.total; // pixels of a round
  const sides = labelSides(now, left ? before : [], range, p.height - 54, wide).map(side =>
    `${side} ${left ? "left" : "right"}`
  );
  const started = known.flat().some(y => y != null), count = ys => ys.map((_, round) => round);
  const line = extra => (ys, i) => ({ x: count(ys), y: ys, mode: "lines", ...extra(series[i]) });
  const faint = line(({ name, color }) => ({ opacity: 0.4, line: { color, width: 1.25 },
    hovertemplate: `${name} %{y:.4~g}<extra></extra>` })
  );
  const bold = line(({ color }) => ({ mode: dots, line: { color, width: 2.5 }, marker: { size: 5 },
    hoverinfo: "skip" })
  );
  const colors = series.map(({ color }) => color);
  const cursor = { x: [p.shown, p.shown], y: now, mode: "markers+text",
    text: series.map(({ name }) => name), textposition: sides,
    textfont: { color: colors, size: 13 },
    marker: { size: 9, color: colors, line: { color: look.paper, width: 2 } }, hoverinfo: "skip",
    cliponaxis: false };
  const notes = () => [...names(p, levels, range), ...(started ? [] : [waiting(look)])];
  const level = ({ at, dash, color }) => ({ x: [0, Math.max(1, data.total)], y: [at, at],
    mode: "lines", hoverinfo: "skip", opacity: 0.75, line: { color, dash, width: 1.25 } });
  return {
    state,
    identity: `errors ${data.run} ${turn}`,
    moves: [0, 1, 2, 3, 4],
    patience: 500,
    private: p.hasErrors,
    title: `${p.hasErrors ? "Error" : "Residual and noise"} by ${turn}`,
    whole:
      () => (Object.assign(state, { started, range }),
        { traces: [...known.map(faint), ...drawn.map(bold), cursor, ...levels.map(level)],
          layout: { height: p.height,
            margin: { l: 58, r: levels.length ? GUTTER : 14, t: 12, b: 42 }, hovermode: "x unified",
            xaxis: { ...axis(look), showspikes: true, spikecolor: look.soft, spikethickness: 1,
              spikedash: "dot", range: [0, Math.max(1, data.total) * 1.01],
              title: { text: turn, standoff: 6 }, tickformat: "d",
              nticks: Math.min(12, data.total + 1), unifiedhovertitle: { text: `${turn} %{x}` } },
            yaxis: { ...axis(look), type: "log", range, tickformat: "~g", dtick: tickStep(range),
              title: { text: p.hasErrors ? "error, share of n" : "share of n", standoff: 8 } },
            annotations: notes() } }),
    change: () => ({ x: [...known, ...drawn].map(count).concat([cursor.x]),
      y: [...known, ...drawn, now], textposition: ["", "", "", "", sides] }),
    light: () => ({ traces: [2, 3, 4],
      data: [...drawn.map(ys => ({ x: count(ys), y: ys })), { x: cursor.x, y: now }] }),
    // The scale grows only when a point lies outside, and never while a reader has zoomed in.
    shift: () => {
      if (state.started === started && (state.zoomed || String(range) === String(state.range)))
        return {};
      Object.assign(state, { started, range });
      return { ...(state.zoomed ? {} : { "yaxis.range": range, "yaxis.dtick": tickStep(range) }),
        annotations: notes() };
    },
    legend: [
      ...series.map(({ key, name, color, tip }) => ({ key, name, color, tip, mark: "stroke" })),
      ...Object.entries(LINES).filter(([, { keys }]) =>
        Object.keys(keys).some(key => data.lines[key] > 0)
      ).map(([group, { name, dash }]) => ({ group, name, dash, color: look.soft })),
      ...(data.lines.note ? [{ name: data.lines.note }] : []),
    ],
    values: Object.fromEntries(series.map(({ key }) => [key, figure(at[key])])),
    alt: () =>
      `${
        p.hasErrors ? "Error" : "Residual and noise"
      } by ${turn} on a logarithmic scale. At ${turn} ${p.shown} of ${data.total}: ${
        series.map(({ key, name }) => `${name} ${figure(at[key])}`).join(", ")
      }`
      + `${levels.map(level => `; ${level.name} ${figure(level.at)}`).join("")}. Shares of ${
        data.n.toLocaleString("en")
      } records.`,
  };
}

// Errors fall, so there is room above a line; left of a point (where `before` are the round before's) only if the line
// falls little. Where two labels would overlap, the lower one stands below its point.
function labelSides([a, b], before, [low, high], tall, wide) {
  const above = (y, floor) => ((Math.log10(y) - floor) / (high - low)) * tall;
  if (a == null || b == null) return ["top", "top"];
  const apart = above(a, Math.log10(b));
  if (Math.abs(apart) <= 18) return apart >= 0 ? ["top", "bottom"] : ["bottom", "top"];
  const steep = (y, i) =>
    before[i] != null && above(before[i], Math.log10(y)) > 0.1 * wide && above(y, low) > 18;
  return Math.abs(apart) <= 40 ? ["top", "top"]
    : [a, b].map((y, i) => (steep(y, i) ? "bottom" : "top"));
}

const shownLevels = p =>
  Object.entries(LINES).filter(([group]) => p.levelsOn[group]).flatMap(([, { dash, keys }]) =>
    Object.entries(keys).filter(([key]) => p.data.lines[key] > 0).map(([key, name]) => ({ name,
      dash, at: p.data.lines[key],
      color: key.endsWith("max") ? p.look.max : key.endsWith("mean") ? p.look.mean : p.look.text })
    )
  );

// Names of the levels stand right of the chart, each at its level. They are moved apart where they would overlap.
function names(p, levels, fitted) {
  const range = p.errors.zoomed ? p.errors.plot._fullLayout.yaxis.range : fitted,
    tall = p.height - 54;
  const inside = levels.filter(({ at }) => Math.log10(at) >= range[0] && Math.log10(at) <= range[1])
    .sort((a, b) => a.at - b.at);
  let floor = -Infinity;
  return inside.map(({ name, at, color }) => {
    const own = ((Math.log10(at) - range[0]) / (range[1] - range[0])) * tall,
      y = Math.max(own, floor);
    floor = y + 14;
    return { xref: "paper", x: 1, xanchor: "left", xshift: 6, yref: "y", y: Math.log10(at),
      yshift: y - own, text: name, showarrow: false, font: { size: 11, color } };
  });
}
const waiting = look => ({ xref: "paper", yref: "paper", x: 0.5, y: 0.5, showarrow: false,
  text: "begins with the first measurement", font: { size: 13, color: look.soft } });
const tickStep = ([from, to]) => (to - from > 2 ? 1 : "D2"); // D2: label 1, 2 and 5
const positive = value => (value > 0 ? value : null);
function halfDecades(values) {
  const logs = values.filter(value => value > 0).map(value => 2 * Math.log10(value));
  return logs.length
    ? [Math.floor(Math.min(...logs) - 0.1) / 2, Math.ceil(Math.max(...logs) + 0.1) / 2] : [-3, 0];
}
const axis = look => ({ gridcolor: look.grid, zeroline: false, linecolor: look.grid,
  tickcolor: look.grid, tickfont: { size: 11 }, title: { font: { size: 12 } } });

// ---- the distribution ----
function viewPanel(p) {
  const round = p.rounds[p.shown], view = p.views.get(round?.view);
  p.view.box.hidden = !view;
  if (!view) return null;
  const { truth } = view,
    model = round.estimate ?? new Float32Array(view.x.length * (view.y?.length ?? 1)).fill(NaN);
  const distance = truth
    && model.reduce((sum, share, i) => sum + Math.abs(share - truth[i]), 0) / 2;
  const panel = (view.kind === "heat" ? heat : bars)(p, view, model);
  const largest = () =>
    [...model.keys()].sort((a, b) => (truth ?? model)[b] - (truth ?? model)[a]).slice(0, 3).map(i =>
      `${label(view, i)}: ${truth ? `truth ${figure(truth[i])}, ` : ""}model ${figure(model[i])}`
    );
  return { ...panel, state: p.view, identity: `view ${view.id} ${view.kind} ${!truth}`,
    title: view.title, private: !!truth, values: { distance: figure(distance), ...panel.values },
    alt: () =>
      `${
        view.kind === "heat" ? "Heat map" : "Histogram"
      } of ${view.title} after ${p.data.method.turn} ${p.shown}, shares of n. Largest: ${
        largest().join("; ")
      }.${truth ? ` Total variation ${figure(distance)}.` : ""}${panel.more ?? ""}` };
}

const label = (view,
  i) => (view.y ? `${view.y[Math.floor(i / view.x.length)]} × ${view.x[i % view.x.length]}`
    : view.x[i]);
const distanceItem = { key: "distance", name: "total variation" };

// A bin is drawn by its width, so that its height is a density; as a category, where one would be too narrow to see.
const widthOf = ({ widths }, i) => (Math.min(1, ...(widths ?? [])) < 0.1 ? 1 : (widths?.[i] ?? 1));
const heights = (view, shares) => Array.from(shares, (share, i) => share / widthOf(view, i));

// Bars are drawn as filled lines: Plotly's bars vanish when animated, and a thousand of them are slow.
function bars(p, view, model) {
  const { look } = p, many = view.x.length > 40, own = view.widths?.length ?? view.x.length,
    wide = view.x.map((_, i) => widthOf(view, i));
  const left = wide.reduce(
    (ends, each, i) => [...ends, ends[i] + each + (i + 1 === own && own < wide.length ? 0.5 : 0)],
    [0],
  );
  const middle = wide.map((each, i) => left[i] + each / 2), end = left.at(-1),
    joined = i => many && i < own;
  // A null begins a stroke, so that bars are separate; those of many numbers are one.
  const edges = wide.flatMap((each, i) =>
    (joined(i) ? [0, 1] : [null, 0.1, 0.1, 0.9, 0.9]).map(
      at => (at === null ? null : left[i] + at * each)
    )
  );
  const rim = shares =>
    heights(view, shares).map(high => (Number.isNaN(high) ? null : high)).flatMap((high,
      i) => (joined(i) ? [high, high] : [null, high && 0, high, high, high && 0])
    );
  const tips = () =>
    view.x.map((name, i) =>
      `<b>${safe(name)}</b><br>model ${figure(model[i])}${
        view.truth ? `<br>truth ${figure(view.truth[i])}` : ""
      }`
    );
  const peaks = () =>
    heights(view, view.x.map((_, i) => Math.max(model[i] || 0, view.truth?.[i] ?? 0)));
  const width = p.view.plot.clientWidth - 70, room = end * Math.max(22 / width, many ? 0.1 : 0);
  let free = 0; // from where a label has room; what stands apart always has one
  const named = [...wide.keys()].filter(i =>
    i >= own || (middle[i] >= free && (free = middle[i] + room))
  );
  const labels = { ...ticks(named.map(i => view.x[i]), named.length),
    tickvals: named.map(i => middle[i]) };
  const upright =
    Math.max(...labels.ticktext.map(text => text.length)) * 6.6 < width / labels.ticktext.length;
  const title = view.x_title === view.title ? "" : safe(view.x_title);
  const traces =
    () => [{ x: edges, y: rim(model), fill: "tozeroy", fillcolor: look.modelFill,
      line: { color: look.model, width: many ? 1 : 1.25 }, mode: "lines", hoverinfo: "skip" }, {
      x: middle,
      y: peaks(),
      text: tips(),
      mode: "markers",
      opacity: 0,
      hovertemplate: "%{text}<extra></extra>",
    }, ...(view.truth
      ? [{ x: edges, y: rim(view.truth), line: { color: look.truth, width: many ? 1.5 : 2 },
        mode: "lines", hoverinfo: "skip" }] : [])];
  return { moves: [0, 1], patience: 500,
    change: () => ({ y: [rim(model), peaks()], text: ["", tips()] }),
    light: () => ({ traces: [0], data: [{ y: rim(model) }] }),
    whole: () => ({ traces: traces(),
      layout: { height: p.height, margin: { l: 58, r: 14, t: 12, b: title ? 42 : 12 },
        hovermode: "x",
        xaxis: { ...axis(look), range: [0, end], showgrid: false, automargin: true,
          tickangle: upright ? 0 : -38, ...labels, title: { text: title, standoff: 8 } },
        yaxis: { ...axis(look), range: [0, view.maxShare * 1.08 || 1], tickformat: "~g", nticks: 6,
          title: {
            text: wide.every(each => Math.abs(each - 1) < 0.01) ? "share of n" : "share per width",
            standoff: 8,
          } } } }),
    legend: [...(view.truth ? [{ name: "truth", color: look.truth, mark: "outline" }] : []), {
      name: "model",
      color: look.model,
      fill: look.modelFill,
      mark: "block",
    }, ...(view.truth ? [distanceItem] : [])] };
}

// Plotly reads labels as HTML, and "<=50K" is a label.
const safe = text => String(text ?? "").replace(/&/g, "&amp;").replace(/</g, "&lt;");
const figure = value => (value == null || Number.isNaN(value) ? "–"
  : value === 0 ? "0"
  : value < 0.0001 ? value.toExponential(1) : value.toPrecision(value < 0.1 ? 2 : 3));

// ---- colours of the theme: amber for private data, teal for the model ----
function look(p) {
  const style = getComputedStyle(p.root),
    read = name => style.getPropertyValue(`--st-${name}`).trim();
  const list = name => read(name).match(/#[0-9a-f]+|rgba?\([^)]*\)/gi) ?? [],
    [mean = "#2B66B1", max = "#C2452D"] = list("chart-categorical-colors");
  const paper = read("background-color"), text = read("text-color"),
    tones = list("chart-sequential-colors"), sides = list("chart-diverging-colors");
  if (!paper || !text) return null; // the page has no colours yet
  // Most shares are small, so small shares get more colours: position is the square of the step.
  const spread = colors => colors.map((color, i) => [(i / (colors.length - 1)) ** 2, color]);
  const truth = read("orange-color"), truthText = read("orange-text-color");
  const ambers = tones.map((_, i) => i / (tones.length - 1)).map(
    t => (t < 0.6 ? mix(truth, paper, 0.07 + t * 1.55) : mix(truthText, truth, (t - 0.6) / 0.4))
  );
  const diverging = [...sides.slice(0, 5), paper, ...sides.slice(-5)].map((color,
    i) => [0.5 + (i < 5 ? -0.5 : 0.5) * Math.abs(i / 5 - 1) ** 3, color]
  );
  return (p.look = { paper, text, mean, max, ramp: spread(tones), truthRamp: spread(ambers),
    sides: diverging, font: style.fontFamily, soft: mix(text, paper, 0.7),
    grid: mix(text, paper, 0.13), truth, truthText, model: read("green-color"),
    modelText: read("green-text-color"), modelFill: mix(read("green-color"), paper, 0.35) });
}
const mix = (over, under, share) => {
  const parts = color =>
    color.startsWith("#") ? color.slice(1).match(/../g).map(pair => parseInt(pair, 16))
      : color.match(/[\d.]+/g).map(Number);
  const [a, b] = [parts(over), parts(under)];
  return `rgb(${[0, 1, 2].map(i => Math.round(a[i] * share + b[i] * (1 - share)))})`;
};
