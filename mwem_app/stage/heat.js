const AXES = { truth: "coloraxis3", model: "coloraxis", "model − truth": "coloraxis2" };

// Three small maps, side by side, or one above the other where that is too narrow. Truth and model share a scale.
function heat(p, view, model) {
  const { look } = p, wide = view.x.length, tall = view.y.length;
  const rows = shares =>
    view.y.map((_, r) => Array.from(shares.subarray(r * wide, (r + 1) * wide)));
  const difference = () => model.map((share, i) => share - view.truth[i]);
  const maps = () => (view.truth
    ? [["truth", view.truth, look.truthText], ["model", model, look.modelText], ["model − truth",
      difference(), look.truthText]] : [["model", model, look.modelText]]);
  const tips = () => view.y.map((_, r) => view.x.map((_, c) => safe(label(view, r * wide + c))));
  const trace = text => ([name, shares], i) => ({ type: "heatmap", z: rows(shares), text,
    xaxis: `x${i ? i + 1 : ""}`, yaxis: `y${i ? i + 1 : ""}`, xgap: wide > 40 ? 0 : 1,
    ygap: tall > 40 ? 0 : 1, coloraxis: AXES[name],
    hovertemplate: `<b>%{text}</b><br>${name} %{z:.4~g}<extra></extra>` });
  const sign = text => `${text}${p.gap || 1}`;
  const ramp = { mark: "ramp", title: "share of n", from: "0", middle: figure(view.maxShare / 4),
    to: figure(view.maxShare), colors: view.truth ? [look.truthRamp, look.ramp] : [look.ramp] };
  const signedRamp = { mark: "ramp", title: "model − truth", from: ["low"], middle: "0",
    to: ["high"], colors: [look.sides], tip: "Its scale is that of the whole run" };
  return { moves: view.truth ? [1, 2] : [0], patience: 100,
    change: () => ({ z: view.truth ? [rows(model), rows(difference())] : [rows(model)] }),
    whole: () => ({ traces: maps().map(trace(tips())), layout: heatLayout(p, view, maps()) }),
    values: { low: sign("−"), high: sign("+") }, more: view.truth
      ? ` The differences are at most ${figure(Math.max(...difference().map(Math.abs)))} of n.`
      : "", legend: view.truth ? [ramp, signedRamp, distanceItem] : [ramp] };
}

// pixels from one label to the next: tilted, or upright and small where there is less room
const TILTED = 18, UPRIGHT = 8.5;

function heatLayout(p, view, maps) {
  const { look } = p, width = p.view.plot.clientWidth, count = maps.length,
    stacked = width < 420 && count > 1, height = stacked ? 3 * 190 + 60 : p.height;
  const span = (i, gap) => [i, i + 1].map(end => end * ((1 + gap) / count) - (end > i ? gap : 0));
  const side = stacked ? width : 0.95 * (width - 90) / count, space = side / view.x.length;
  const columns = ticks(view.x, Math.floor(side / UPRIGHT), 12),
    lines = ticks(view.y, Math.floor((stacked ? 150 : height - 90) / 15), 12);
  const layout = { height, margin: { l: 40, r: 10, t: 24, b: 12 }, hovermode: "closest",
    annotations: [],
    coloraxis: { cmin: 0, cmax: view.maxShare || 1, colorscale: look.ramp, showscale: false },
    coloraxis3: { cmin: 0, cmax: view.maxShare || 1, colorscale: look.truthRamp, showscale: false },
    coloraxis2: { cmin: -(p.gap || 1), cmax: p.gap || 1, colorscale: look.sides,
      showscale: false } };
  // The maps have the same labels, so one of them makes room for all: each automatic margin draws the chart once more.
  maps.forEach(([text, , color], i) => {
    const across = stacked ? [0, 1] : span(i, 0.05),
      down = stacked ? span(count - 1 - i, 0.09) : [0, 1], at = i ? String(i + 1) : "",
      shared = { ...axis(look), showgrid: false };
    layout[`xaxis${at}`] = { ...shared, automargin: i === (stacked ? count - 1 : 0), domain: across,
      anchor: `y${at}`, range: [-0.5, view.x.length - 0.5], tickangle: space < TILTED ? -90 : -38,
      tickfont: { size: Math.max(9, Math.min(11, space)) }, ...columns,
      showticklabels: !stacked || i === count - 1, ...(i && { matches: "x" }) };
    layout[`yaxis${at}`] = { ...shared, automargin: !i, domain: down, anchor: `x${at}`,
      range: [view.y.length - 0.5, -0.5], ...lines, showticklabels: stacked || !i,
      ...(i && { matches: "y" }) };
    layout.annotations.push({ xref: "paper", yref: "paper", x: across[0], y: down[1],
      xanchor: "left", yanchor: "bottom", yshift: 3, text, showarrow: false,
      font: { size: 12, color } });
  });
  return layout;
}

// The next of 1, 2, 5, 10 … times a power of ten: a scale in such steps changes seldom from round to round.
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return Number(
    (power * [1, 2, 5, 10].find(step => value <= step * power * (1 + 1e-9))).toPrecision(1),
  );
}

// At most `room` labels, evenly picked and cut. The full labels show on hover.
function ticks(labels, room, longest = 14) {
  const step = Math.ceil(labels.length / Math.max(1, room)),
    tickvals = [...labels.keys()].filter(i => i % step === 0);
  return { tickvals,
    ticktext: tickvals.map(i =>
      safe(labels[i].length > longest ? `${labels[i].slice(0, longest - 1)}…` : labels[i])
    ) };
}
