// The lines of a figure, drawn at once: Plotly takes a second to load, and then takes their place. No hover, no markers.
const [LEFT, RIGHT, BOTTOM] = [56, 10, 50]; // margins in pixels, near those that Plotly finds
const DASHES = { dash: "9 9", dot: "3 3", longdash: "15 10" };

function sketch(traces, layout, width, ink) {
  const lines = traces.filter(({ mode, x }) => mode?.includes("lines") && x.length);
  if (!lines.length) return null;
  const svg = node("svg", { class: "sketch", width: "100%", height: layout.height, "font-size": 12, fill: ink });
  const x = scale(layout.xaxis, lines.flatMap((line) => line.x), LEFT + 0.05 * width, width - RIGHT - 0.05 * width);
  const y = scale(layout.yaxis, lines.flatMap((line) => line.y), layout.height - BOTTOM, layout.margin.t);
  const grid = (from, to) => svg.append(node("path", { d: `M${from}L${to}`, stroke: layout.yaxis.gridcolor }));
  layout.xaxis.tickvals?.forEach((value, i) => {
    grid([x(value), layout.height - BOTTOM], [x(value), layout.margin.t]);
    svg.append(node("text", { x: x(value), y: layout.height - BOTTOM + 18, "text-anchor": "middle" }, layout.xaxis.ticktext[i]));
  });
  for (let power = Math.ceil(y.low); layout.yaxis.type === "log" && power <= y.high; power++) {
    grid([LEFT, y(10 ** power)], [width - RIGHT, y(10 ** power)]);
    svg.append(node("text", { x: LEFT - 6, y: y(10 ** power) + 4, "text-anchor": "end" }, `${10 ** power}`));
  }
  const names = node("text", { x: LEFT, y: layout.margin.t - 12 });
  for (const { x: across, y: up, line, fillcolor, name, showlegend } of lines) {
    const d = "M" + across.map((value, i) => [x(value), y(up[i])]).filter(([, at]) => isFinite(at)).join("L");
    svg.append(node("path", { d, fill: fillcolor ?? "none", ...stroke(line) }));
    if (name && showlegend !== false) names.append(node("tspan", { fill: line.color, dx: 10 }, name.replaceAll("<br>", " ")));
  }
  for (const { xref, x0, x1, y0, y1, line } of layout.shapes ?? []) {
    const [from, to] = xref === "paper" ? [LEFT, width - RIGHT] : [x(x0), x(x1)];
    svg.append(node("path", { d: `M${from},${y(y0)}L${to},${y(y1)}`, ...stroke(line) }));
  }
  const middle = (layout.margin.t + layout.height - BOTTOM) / 2;
  const title = { "text-anchor": "middle", "font-size": 14 };
  svg.append(names, node("text", { x: (LEFT + width) / 2, y: layout.height - 8, ...title }, layout.xaxis.title?.text));
  svg.append(node("text", { transform: `translate(14 ${middle}) rotate(-90)`, ...title }, layout.yaxis.title?.text));
  return svg;
}

// From a value to pixels; `low` and `high` are the ends of the axis, as logarithms where it is logarithmic.
function scale({ type, range }, values, from, to) {
  const position = type === "log" ? Math.log10 : Number;
  const known = values.map(position).filter(isFinite);
  const [low, high] = range ?? [Math.min(...known), Math.max(...known)];
  return Object.assign((value) => from + ((position(value) - low) / (high - low || 1)) * (to - from), { low, high });
}

function stroke({ width, color, dash }) {
  return { stroke: width ? color : "none", "stroke-width": width, "stroke-dasharray": DASHES[dash] ?? "" };
}

function node(name, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

