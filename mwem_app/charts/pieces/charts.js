// Drawings are measured in sixteenths of a rem: pixels, unless a page is shown larger for a projector.
const BOX = { left: 46, right: 14, top: 12, bottom: 40 };
const FEW = 5; // ticks

// An SVG drawing as wide as its place: `draw(width)` is called for each new width, and by the returned function.
function fitted(drawing, draw) {
  let width = 640;
  const redraw = () => draw(width);
  new ResizeObserver(([{ contentRect }]) => {
    const next = Math.round(
      (16 * contentRect.width) / parseFloat(getComputedStyle(document.documentElement).fontSize),
    );
    if (next > 0 && next !== width) (width = next), redraw();
  }).observe(drawing);
  return redraw;
}

// Round numbers in [low, high]; on a logarithmic scale 1, 2 and 5 times powers of ten, or powers
// alone where they suffice.
function ticks(low, high, log) {
  if (log) {
    const powers = Array.from({
      length: Math.ceil(Math.log10(high)) - Math.floor(Math.log10(low)) + 1,
    }, (_, i) => 10 ** (Math.floor(Math.log10(low)) + i));
    const inside = values => values.filter(value => value >= low * 0.999 && value <= high * 1.001);
    return inside(powers).length > 2 ? inside(powers)
      : inside(powers.flatMap(power => [power, 2 * power, 5 * power]));
  }
  const rough = (high - low) / FEW || 1, power = 10 ** Math.floor(Math.log10(rough)),
    step = [1, 2, 5, 10].find(each => each * power >= rough) * power;
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 },
    (_, i) => Number(((first + i) * step).toPrecision(12)));
}

const scale = ([low, high], [from, to], log = false) => {
  const at = log ? Math.log : Number, width = at(high) - at(low) || 1;
  return value => from + ((to - from) * (at(value) - at(low))) / width;
};

// The horizontal axis at the foot of a drawing, from `left` to `right`, with its numbers and its title.
function axis(X, range, { left, right, height, title, values = ticks(...range), text = short }) {
  const foot = height - BOX.bottom;
  return svg("g", { class: "axis" }, svg("line", { x1: left, x2: right, y1: foot, y2: foot }),
    values.map(value =>
      svg("text", { x: X(value), y: foot + 17, "text-anchor": "middle" }, text(value))
    ), svg("text", { x: (left + right) / 2, y: height - 5, "text-anchor": "middle" }, title));
}

// The vertical axis: a level across the drawing for each of its numbers.
function levels(Y, range, { left, right, log = false, values = ticks(...range, log) }) {
  return svg("g", { class: "axis" },
    values.flatMap(
      value => [svg("line", { class: "grid", x1: left, x2: right, y1: Y(value), y2: Y(value) }),
        svg("text", { x: left - 6, y: Y(value) + 5, "text-anchor": "end" }, short(value))]
    ));
}

// A line through points in the units of a drawing.
const pathOf = points =>
  points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

// A chart of lines. Ranges, and whether the y axis is logarithmic, come with the series, so that a
// scale can stay fixed. What leaves the range is cut off there. A series has `points: [[x, y], …]`,
// drawn as a line or with `spots` as points, and may have a `band: [[x, low, high], …]`.
function plot({ label, x, y, height = 300 }) {
  const id = newId(), legend = h("div", { class: "legend" }),
    drawing = svg("svg", { role: "img", "aria-label": label });
  const element = h("figure", { class: "plot" }, legend, drawing);
  let shown = null;
  const redraw = fitted(drawing, width => shown && draw(width, ...shown));
  function draw(width, series, { xs, ys, log = false }) {
    const { left } = BOX, right = width - BOX.right, foot = height - BOX.bottom;
    const X = scale(xs, [left, right]), Y = scale(ys, [foot, BOX.top], log);
    const place = value => (log && value <= 0 ? 2 * height : Y(value));
    const path = points => pathOf(points.map(([a, b]) => [X(a), place(b)]));
    const lines = series.map(({ points = [], band, colour, dash, spots }) => [band
      && svg("path", {
        d: `${
          path([...band.map(([a, b]) => [a, b]), ...band.map(([a, , c]) => [a, c]).reverse()])
        }Z`,
        fill: colour,
        opacity: 0.18,
      }), spots
      ? svg("g", { fill: colour },
        points.map(([a, b]) => svg("circle", { cx: X(a), cy: place(b), r: 4.5 })))
      : svg("path", { class: "line", d: path(points), stroke: colour,
        "stroke-dasharray": dash ? "6 5" : null })]
    );
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.replaceChildren(levels(Y, ys, { left, right, log }),
      axis(X, xs, { left, right, height, title: x }),
      svg("clipPath", { id }, svg("rect", { y: BOX.top - 5, width, height: foot - BOX.top + 10 })),
      svg("g", { "clip-path": `url(#${id})` }, ...lines.flat().filter(Boolean)));
  }
  function show(series, { text = label, ...ranges }) {
    shown = [series, ranges];
    redraw();
    legend.replaceChildren(h("span", { class: "what" }, y), ...keys(series));
    drawing.setAttribute("aria-label", text);
  }
  return { element, show };
}

// The names of series in their colours.
function keys(series) {
  return series.filter(({ name }) => name).map(({ name, colour, dash }) =>
    h("span", { class: "key" },
      h("i", { class: dash ? "dashed" : null, style: `--colour: ${colour}` }), name)
  );
}

// Dots over one axis, a strip for each group { name, values, truth, colour }, stacked where they fall together. A line
// stands at the truth of a group. Values beyond the ends are counted at the ends.
function dots({ label, x, strip = 100, wide = 8 }) {
  const drawing = svg("svg", { role: "img", "aria-label": label }),
    element = h("figure", { class: "dots" }, drawing);
  let shown = null;
  const redraw = fitted(drawing, width => shown && draw(width, ...shown));
  function draw(width, groups, [low, high]) {
    const left = BOX.right, right = width - BOX.right, height = groups.length * strip + BOX.bottom,
      X = scale([low, high], [left, right]);
    const strips = groups.map(({ name, values, truth, colour }, i) => {
      const floor = (i + 1) * strip, stacks = new Map();
      const beyond = [[left, "start", values.filter(value => value < low).length], [right, "end",
        values.filter(value => value > high).length]];
      const places = values.filter(value => low <= value && value <= high).map(value => {
        const bin = Math.round(X(value) / wide), below = stacks.get(bin) ?? 0;
        stacks.set(bin, below + 1);
        return { cx: bin * wide, below };
      });
      const rise = Math.min(wide, (strip - 34) / Math.max(1, ...stacks.values()));
      return svg("g", { fill: colour }, truth !== undefined
        && svg("line", { x1: X(truth), x2: X(truth), y1: floor - strip + 24, y2: floor,
          stroke: colour, "stroke-width": 2, opacity: 0.55 }),
        places.map(({ cx, below }) =>
          svg("circle", { cx, cy: floor - 6 - below * rise, r: 0.43 * wide })
        ), svg("line", { class: "grid", x1: left, x2: right, y1: floor, y2: floor }),
        beyond.map(([x, anchor, count]) =>
          count > 0
          && svg("text", { x, y: floor - 0.4 * strip, "text-anchor": anchor },
            anchor === "end" ? `${count} more →` : `← ${count} more`)
        ), svg("text", { x: left, y: floor - strip + 16, class: "name" }, name));
    });
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.replaceChildren(axis(X, [low, high], { left, right, height, title: x }), ...strips);
  }
  function show(groups, range, { text = label } = {}) {
    shown = [groups, range];
    redraw();
    drawing.setAttribute("aria-label", text);
  }
  return { element, show };
}

// A small table of counts as pairs of bars: what is (B) beside what stands for it (A), cell by cell, row by row.
function cells({ rows, columns, names, colours }) {
  const legend = h("div", { class: "legend" },
    keys(names.map((name, i) => ({ name, colour: colours[i] }))));
  const places = rows.flatMap(row =>
    columns.map(column => {
      const bars = names.map((_, i) => h("i", { style: `--colour: ${colours[i]}` })),
        counts = names.map(() => h("span", {}));
      const element = h("div", { class: "cell", role: "img" }, h("div", { class: "pair" }, bars),
        h("div", { class: "counts", "aria-hidden": "true" }, counts));
      return { name: `${row}, ${column}`, element, bars, counts };
    })
  );
  const heads = columns.map(column => h("span", { class: "head" }, column));
  const body = rows.flatMap((row,
    r) => [h("b", { class: "side" }, row),
    ...places.slice(r * columns.length, (r + 1) * columns.length).map(place => place.element)]
  );
  const grid = h("div", { class: "cells", style: `--columns: ${columns.length}` },
    h("span", { class: "side" }), heads, body);
  // `tables`: for each name, the counts of all cells. Cells in `lit`, a list of truth values, are framed.
  function show(tables, { most = Math.max(...tables.flat()), lit = [] } = {}) {
    places.forEach(({ name, element, bars, counts }, x) => {
      tables.forEach((table, i) => {
        bars[i].style.height = `${(100 * table[x]) / most}%`;
        counts[i].textContent = Math.round(table[x]);
      });
      element.classList.toggle("lit", Boolean(lit[x]));
      element.setAttribute("aria-label",
        `${name}: ${names.map((each, i) => `${each} ${Math.round(tables[i][x])}`).join(", ")}`);
    });
  }
  return { element: h("figure", { class: "stack" }, legend, grid), show };
}

// Points of a curve to draw on a chart: dragged, drawn through in one stroke, or moved by keys. `names` are the points'
// names, and `frame()` says where the chart is: { left, right, top, foot, width, height }, in units of its viewBox.
// Values go from 0 to `high` in steps; `on(i)` is called after each change.
function strokes({ chart, names, high, step, unit, frame, isOpen = () => true, on }) {
  const values = names.map(() => 0), element = svg("g", { class: "handles" });
  let points = [];
  const text = i => `${Number(values[i].toFixed(6))}${unit}`;
  function speak(i) {
    points[i].setAttribute("aria-valuenow", values[i]);
    points[i].setAttribute("aria-valuetext", text(i));
  }
  function put(i, value) {
    values[i] = Math.max(0, Math.min(high, Math.round(value / step) * step));
    speak(i);
    on(i);
  }
  function pull({ clientX, clientY, pointerId }) {
    if (!isOpen() || !chart.hasPointerCapture(pointerId)) return;
    const { left, right, top, foot, width, height } = frame(), box = chart.getBoundingClientRect();
    const x = ((clientX - box.left) * width) / box.width,
      y = ((clientY - box.top) * height) / box.height;
    const i = Math.floor(((x - left) * names.length) / (right - left));
    put(Math.max(0, Math.min(names.length - 1, i)), (high * (foot - y)) / (foot - top));
  }
  function grab(event) {
    if (!isOpen() || event.button) return;
    chart.setPointerCapture(event.pointerId);
    pull(event);
  }
  function press(event, i) {
    const by =
      { ArrowUp: step, ArrowRight: step, ArrowDown: -step, ArrowLeft: -step, PageUp: 10 * step,
        PageDown: -10 * step, Home: -high, End: high }[event.key];
    if (by === undefined || !isOpen()) return;
    event.preventDefault();
    put(i, values[i] + by);
  }
  function set(next) {
    next.forEach((value, i) => (values[i] = value));
    points = names.map((name, i) =>
      svg("circle", { r: 7, role: "slider", tabindex: isOpen() ? 0 : null, "aria-label": name,
        "aria-valuemin": 0, "aria-valuemax": high, "aria-disabled": !isOpen(), onkeydown: event =>
          press(event, i) })
    );
    points.forEach((_, i) => speak(i));
    element.replaceChildren(...points);
    chart.classList.toggle("open", isOpen());
  }
  function place(X, Y) { // where the points stand
    points.forEach((point, i) => {
      point.setAttribute("cx", X(i));
      point.setAttribute("cy", Y(values[i]));
    });
  }
  chart.addEventListener("pointerdown", grab);
  chart.addEventListener("pointermove", pull);
  return { element, values, set, place };
}
