// The table in view, a panel for each of the truth, an estimate and their difference, or for each
// of several systems. Of a pair of attributes it is a map, of one attribute bars with the truth as
// outlines. All scales are given, so that a move compares. Arrow keys on `reading` and the pointer
// read cells; with `ask`, a selection of cells calls it when it ends.
function tableView({ ask = null } = {}) {
  const HEAD = 20, LETTER = 6.6, SLANTED = 20, LONGEST = 13; // pixels, and letters of a slanted name
  const drawing = svg("svg", { class: "tables", role: "img" });
  const reading = h(ask ? "button" : "output", { type: ask && "button", class: "reading",
    tabindex: 0, title: `Arrow keys move over the cells${ask ? ", Enter asks" : ""}`,
    onkeydown: step, onclick: () => ask?.({ x: [at.x, at.x], y: [at.y, at.y] }) });
  let width = 700, frame = null, last = null, place = null, at = { x: 0, y: 0 }, from = null,
    selected = null;
  fitted(drawing, next => {
    width = next;
    if (frame) build();
  });

  // { table: { title, x, y: labels, shape, own: labels of x before those that stand beside them,
  // widths of these }, panels: [{ kind: truth, estimate or difference, system, title, colour: a
  // class }], names: of the systems, truth: (cells,) or null, top, spread: the largest value and
  // difference, height, text(value), signed(value), letters: of the longest, unit: of values beside
  // that of their axis, mean(value): what a map says of its mean difference }.
  function show(next) {
    if (next.table !== frame?.table) (at = { x: 0, y: 0 }), (selected = null), (last = null);
    frame = next;
    build();
  }
  function build() {
    place = frame.table.y ? maps() : bars();
    drawing.setAttribute("viewBox", `0 0 ${width} ${place.height}`);
    drawing.replaceChildren(...place.parts);
    drawing.dataset.kind = frame.table.y ? "maps" : "bars";
    if (last) place.paint(last);
    mark();
    read();
  }
  const cut = (text,
    letters) => (text.length > letters ? `${text.slice(0, Math.max(1, letters - 1))}…` : text);

  // ---- names below a panel: slanted where they are long, and left out where they would overlap ----
  function foot(texts, spaces, own = texts.length) {
    const space = sumOf(spaces) / spaces.length,
      longest = Math.max(...texts.map(text => Math.min(LONGEST, text.length))),
      slanted = !frame.upright && longest * LETTER > space;
    return { high: slanted ? Math.min(66, 14 + 5 * longest) : 24, names(middles, y) {
      let free = -Infinity;
      return texts.map((text, i) => {
        const x = middles[i];
        if (x < free && i < own) return null;
        free = x + (slanted ? SLANTED : 1);
        return slanted
          ? svg("text", {
            transform: `translate(${(x + 4).toFixed(1)} ${(y + 11).toFixed(1)}) rotate(-42)`,
            "text-anchor": "end",
          }, cut(text, LONGEST))
          : svg("text", { x, y: y + 16, "text-anchor": "middle" },
            cut(text, Math.floor(spaces[i] / LETTER)));
      });
    } };
  }
  // Whether x goes down: the shorter one does, unless the frame is `upright`, whose names are never slanted.
  const isTurned = () => frame.upright ?? frame.table.shape[1] > frame.table.shape[0];
  const frameOf = () => svg("rect", { class: "selected", rx: 2 });

  // ---- two attributes: the longer one across ----
  function maps() {
    const { table, panels: shown } = frame, [rows, columns] = table.shape, turned = isTurned(),
      across = turned ? columns : rows, down = turned ? rows : columns,
      stacked = width < 520 && shown.length > 1;
    const xs = turned ? table.y : table.x, ys = turned ? table.x : table.y,
      gutter = Math.min(stacked ? 104 : 118, 16 + 7 * Math.max(...ys.map(text => text.length))),
      wide = Math.max(1,
        stacked ? width - gutter : (width - gutter - 16 * (shown.length - 1)) / shown.length),
      cell = Math.min(wide / across, 150), below = foot(xs, xs.map(() => cell));
    const tall = stacked ? 130 : frame.height - HEAD - below.high, high = Math.min(tall / down, 56),
      each = HEAD + high * down + below.high, skip = Math.ceil(12 / high),
      gap = Math.min(cell, high) > 4 ? 1 : 0;
    const panels = shown.map((panel, p) => {
      const left = gutter + (stacked ? 0 : p * (wide + 16)),
        top = HEAD + (stacked ? p * (each + 6) : 0);
      const rects = Array.from({ length: rows * columns }, (_, c) => {
        const i = Math.floor(c / columns), j = c % columns, [a, b] = turned ? [j, i] : [i, j];
        return svg("rect", { x: (left + a * cell).toFixed(2), y: (top + b * high).toFixed(2),
          width: Math.max(0, cell - gap).toFixed(2), height: (high - gap).toFixed(2),
          rx: Math.min(2, cell / 8) });
      });
      const numbers =
        cell >= 8 + 7.5 * (frame.letters ?? frame.text(frame.top).length) && high >= 16
          ? rects.map(rect =>
            svg("text", { class: "number", x: Number(rect.getAttribute("x")) + cell / 2,
              y: Number(rect.getAttribute("y")) + high / 2 + 5, "text-anchor": "middle" })
          ) : [];
      return { ...panel, left, top, rects, numbers, mean: svg("tspan", {}), frame: frameOf() };
    });
    const parts = panels.map(({ kind, title, left, top, rects, numbers, mean, frame }, p) =>
      svg("g", { class: `panel ${kind}` },
        svg("text", { class: `name ${kind}`, x: left, y: top - 6 }, title, mean), rects, numbers,
        frame,
        svg("g", { class: "names" }, p && !stacked ? [] : ys.map((text, b) => (b % skip ? null
          : svg("text", { x: gutter - 6, y: top + (b + 0.5) * high + 5, "text-anchor": "end" },
            cut(text, Math.floor((gutter - 8) / LETTER))))
        ), below.names(xs.map((_, a) => left + (a + 0.5) * cell), top + high * down)))
    );
    const away = ({ left, top }, x, y) =>
      Math.hypot(Math.max(0, left - x, x - left - cell * across),
        Math.max(0, top - y, y - top - high * down));
    return { panels, parts, height: stacked ? shown.length * (each + 6) : each, cellAt(x, y) { // of the nearest panel
      const panel = panels.reduce((a, b) => (away(b, x, y) < away(a, x, y) ? b : a));
      const found = [Math.floor((x - panel.left) / cell), Math.floor((y - panel.top) / high)];
      const [a, b] = found.map((value, k) => Math.max(0, Math.min([across, down][k] - 1, value))),
        inside = a === found[0] && b === found[1];
      return turned ? { x: b, y: a, inside } : { x: a, y: b, inside };
    }, boxes({ x, y }) {
      const [a, b] = turned ? [y, x] : [x, y];
      return panels.map((
        { left, top },
      ) => [left + a[0] * cell - 1, top + b[0] * high - 1, (a[1] - a[0] + 1) * cell + 1,
        (b[1] - b[0] + 1) * high + 1]
      );
    }, paint(tables) {
      const { truth, top, spread } = frame;
      for (const panel of panels) {
        const values = panel.kind === "truth" ? truth : tables[panel.system],
          difference = panel.kind === "difference";
        if (!values || panel.painted === values) continue;
        panel.painted = values;
        let off = 0;
        panel.rects.forEach((rect, c) => {
          const value = difference ? values[c] - truth[c] : values[c];
          const strength = Math.min(1,
              Math.cbrt(Math.abs(value || 0) / (difference ? spread : top))).toFixed(2),
            side = difference ? (value > 0 ? "more" : "less") : panel.kind;
          off += Math.abs(value);
          if (rect.strength !== strength)
            rect.setAttribute("fill-opacity", rect.strength = strength);
          if (rect.side !== side) rect.setAttribute("class", rect.side = side);
          if (panel.numbers.length)
            panel.numbers[c].textContent = difference ? frame.signed(value) : frame.text(value);
        });
        if (difference && frame.mean)
          panel.mean.textContent = `  ${frame.mean(off / values.length)}`;
      }
    } };
  }

  // ---- one attribute: a panel for each system, a bin as wide as it is, so that areas compare ----
  function bars() {
    const { table, panels: shown } = frame, count = table.x.length,
      stacked = width < 520 && shown.length > 1, left = 46, head = shown.length > 1 ? 22 : 10,
      apart = table.widths && table.own < count ? 0.5 : 0;
    const wide = Math.max(1,
      stacked ? width - left - 8 : (width - left - 8 - 46 * (shown.length - 1)) / shown.length);
    const shares = table.x.map((_, i) => table.widths?.[i] ?? 1),
      step = wide / (sumOf(shares) + apart), steps = shares.map(share => share * step),
      starts = steps.map((_, i) => sumOf(steps.slice(0, i)) + (i >= table.own ? apart * step : 0)),
      filled = Math.min(0.8, 110 / Math.max(...steps)), below = foot(table.x, steps, table.own);
    const tall = (stacked ? 150 : frame.height) - head - below.high,
      each = head + tall + below.high, Y = scale([0, frame.top], [tall, 0]);
    const panels = shown.map((panel, p) => ({ ...panel,
      left: left + (stacked ? 0 : p * (wide + 46)), top: head + (stacked ? p * each : 0),
      rects: table.x.map(() => svg("rect", { class: panel.colour })),
      outlines: table.x.map(() => svg("path", { class: "outline" })), frame: frameOf() })
    );
    const parts = panels.map(({ title, left, top, rects, outlines, frame: box }) => {
      const base = top + tall, right = left + wide;
      return svg("g", { class: "panel bars" },
        svg("text", { class: "name", x: left, y: top - 8 }, title),
        levels(value => top + Y(value / frame.unit), [0, frame.top * frame.unit], { left, right }),
        rects, outlines, box,
        svg("line", { class: "base", x1: left, x2: right, y1: base, y2: base }),
        svg("g", { class: "names" },
          below.names(starts.map((start, i) => left + start + steps[i] / 2), base)));
    });
    return { panels, parts, height: stacked ? shown.length * each : each, cellAt(x, y) {
      const panel = panels.findLast(({ left, top }) => (stacked ? y >= top - head : x >= left - 23))
        ?? panels[0];
      const within = x - panel.left,
        i = Math.max(0, starts.findLastIndex(start => within >= start));
      return { x: i, y: 0, inside: within >= 0 && within <= starts[i] + steps[i] && y >= panel.top
        && y <= panel.top + tall };
    },
      boxes: ({ x: [a, b] }) =>
        panels.map((
          { left, top },
        ) => [left + starts[a], top - 2, starts[b] + steps[b] - starts[a], tall + 4]),
      paint(tables) {
        const heightOf = (values, i) =>
          Math.min(tall, tall - Y(Math.max(0, values[i] || 0) / shares[i]));
        for (const { system, rects, outlines, left, top } of panels) {
          const values = tables[system], edge = i =>
            left + starts[i] + ((1 - filled) / 2) * steps[i];
          if (!values) continue;
          rects.forEach((rect, i) => {
            const high = heightOf(values, i);
            if (rect.high === high) return;
            rect.high = high;
            for (const [name, value] of [["x", edge(i)], ["y", top + tall - high], ["width",
              filled * steps[i]], ["height", high]]) rect.setAttribute(name, value.toFixed(2));
          });
          if (frame.truth && outlines[0].of !== frame.truth)
            outlines.forEach((outline, i) => {
              outline.of = frame.truth;
              const high = heightOf(frame.truth, i),
                sides = steps[i] < 14 ? "" : `v${high.toFixed(1)}`,
                rise = sides ? `M${edge(i).toFixed(1)} ${top + tall}v${-high.toFixed(1)}`
                  : `M${edge(i).toFixed(1)} ${(top + tall - high).toFixed(1)}`;
              outline.setAttribute("d", `${rise}h${(filled * steps[i]).toFixed(1)}${sides}`);
            });
        }
      } };
  }

  // What every position of the sliders changes: the (cells,) of each system, or null where a run is
  // not there.
  function move(tables) {
    last = tables;
    place.paint(tables);
    read();
  }
  function read() {
    const { table, truth, names, text } = frame, index = at.x * table.shape[1] + at.y;
    const estimates = last
      ? names.map((name, i) => last[i] && `${name ? `${name} ` : ""}${text(last[i][index])}`)
        .filter(Boolean).join(", ") : "";
    reading.textContent = `${nameOf({ x: [at.x, at.x], y: [at.y, at.y] })}: ${
      [estimates, truth && `truth ${text(truth[index])}`].filter(Boolean).join(" · ")
    }`;
    drawing.setAttribute("aria-label", frame.label
      ?? `${table.title}, ${
        truth ? "estimate beside the truth" : "estimate"
      }. The button beside the title reads cell by cell.`);
  }
  function nameOf({ x, y }) {
    const span = (labels,
      [from, to]) => (from === to ? labels[from] : `${labels[from]} to ${labels[to]}`);
    return [span(frame.table.x, x), frame.table.y && span(frame.table.y, y)].filter(Boolean).join(
      " × ",
    );
  }
  function mark() {
    const boxes = selected ? place.boxes(selected) : [];
    place.panels.forEach(({ frame: box }, p) => {
      box.style.display = boxes[p] ? "" : "none";
      for (const [i, name] of ["x", "y", "width", "height"].entries())
        if (boxes[p]) box.setAttribute(name, boxes[p][i].toFixed(1));
    });
  }
  function select(selection) {
    selected = selection;
    if (frame) mark();
  }

  function step(event) {
    const [rows, columns] = frame.table.shape,
      by =
        { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!by) return;
    event.preventDefault();
    const [a, b] = isTurned() ? [by[1], by[0]] : by;
    at = { x: Math.max(0, Math.min(rows - 1, at.x + a)),
      y: Math.max(0, Math.min(columns - 1, at.y + b)) };
    read();
    select({ x: [at.x, at.x], y: [at.y, at.y] });
  }
  const pointed = event => {
    const box = drawing.getBoundingClientRect(), ratio = width / box.width;
    return place.cellAt((event.clientX - box.left) * ratio, (event.clientY - box.top) * ratio);
  };
  const between = (a, b) => ({ x: [Math.min(a.x, b.x), Math.max(a.x, b.x)],
    y: [Math.min(a.y, b.y), Math.max(a.y, b.y)] });
  drawing.addEventListener("pointermove", event => {
    if (!frame) return;
    const cell = pointed(event);
    if (!from && !cell.inside) return;
    at = { x: cell.x, y: cell.y };
    read();
    if (from) select(between(from, cell));
  });
  if (ask) {
    drawing.addEventListener("pointerdown", event => {
      const cell = pointed(event);
      if (!cell.inside || event.button) return;
      from = cell;
      drawing.setPointerCapture(event.pointerId);
      select(between(from, cell));
    });
    drawing.addEventListener("pointerup", event => {
      if (!from) return;
      const selection = between(from, pointed(event));
      from = null;
      select(selection);
      ask(selection);
    });
    drawing.addEventListener("pointercancel", () => (from = null));
  }
  return { element: drawing, reading, show, move, select, nameOf };
}
