// The answers of twenty runs at every ε, a column of dots for each: those at the ε in view stand out. `on(index)` is
// called where the picture is dragged. The axis is that of both systems at all ε, so a move compares.
function trumpet({ on }) {
  const TOP = 15, FOOT = 15, HEAD = 5; // pixels
  const drawing = svg("svg", { class: "trumpet", role: "img" });
  let frame = null, place = null, dragged = false;
  const drag = event => {
    const x = (event.clientX - drawing.getBoundingClientRect().left) / place.pixel;
    on(Math.max(0, Math.min(place.n - 1, Math.floor((x - place.left) / place.wide))));
  };
  drawing.addEventListener("pointerdown", event => {
    dragged = true;
    drawing.setPointerCapture(event.pointerId);
    drag(event);
  });
  drawing.addEventListener("pointermove", event => dragged && drag(event));
  for (const end of ["pointerup", "pointercancel"])
    drawing.addEventListener(end, () => (dragged = false));

  // The ends of the axis: what the runs at ε = 1 say and as much again, unless all runs stay inside.
  function axisOf({ truth, both, middle }) {
    const far = Math.max(3,
        ...both.flatMap(by => by[middle].map(value => Math.abs(value - truth)))),
      all = both.flat(2);
    const low = Math.max(Math.min(truth, ...all), truth - 2.2 * far),
      high = Math.min(Math.max(truth, ...all), truth + 2.2 * far);
    const power = 10 ** Math.floor(Math.log10((high - low) / 6)),
      step = [1, 2, 5, 10].map(each => each * power).find(each => (high - low) / each <= 6);
    return { low: Math.max(0, Math.floor(low / step) * step), high: Math.ceil(high / step) * step,
      step };
  }
  // Sideways places of dots, so that none hides another; closer together where room ends. The first run is in the
  // middle.
  function swarm(values, y, radius, room, inside) {
    const order = values.map((_, run) => run).sort((a, b) =>
      (a ? 1 : 0) - (b ? 1 : 0) || y(values[a]) - y(values[b])
    );
    const taken = [], sideways = values.map(() => 0);
    for (const run of order.filter(run => inside(values[run]))) {
      const at = y(values[run]), free = x =>
        taken.every(([a, b]) => (a - x) ** 2 + (b - at) ** 2 >= 3.92 * radius ** 2);
      let step = 0, x = 0;
      while (!free(x)) step++, (x = (step % 2 ? 1 : -1) * Math.ceil(step / 2) * 1.05 * radius);
      taken.push([sideways[run] = x, at]);
    }
    const most = Math.max(...sideways.map(Math.abs));
    return most > room ? sideways.map(x => (x * room) / most) : sideways;
  }

  // { truth, answers: (ε, runs), beside: of the other system, both, middle: the place of ε = 1 }
  function show(next) {
    frame = next;
    const pixel = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16,
      width = drawing.clientWidth / pixel, height = drawing.clientHeight / pixel,
      small = width < 500, { truth, answers } = next, n = answers.length,
      { low, high, step } = axisOf(next);
    const left = small ? 42 : 60, right = width - (small ? 10 : 34), wide = (right - left) / n;
    const X = e => left + wide * (e + 0.5),
      Y = value => TOP + ((high - value) / (high - low)) * (height - TOP - FOOT),
      clamp = value => Math.min(high, Math.max(low, value)),
      inside = value => value >= low && value <= high, y = value => Y(clamp(value));
    const spans = answers.map(nineteen), radius = small ? 2.6 : 4;
    const grid = [];
    for (let value = low; value <= high + 1e-9; value += step) {
      grid.push(svg("line", { class: "grid", x1: left, x2: right, y1: Y(value), y2: Y(value) }));
      if (Math.abs(Y(value) - Y(truth)) > 12)
        grid.push(
          svg("text", { x: left - 10, y: Y(value) + 4, "text-anchor": "end" }, whole(value)),
        );
    }
    const band = svg("rect", { class: "band", y: 0, height, width: wide, rx: 6 });
    const edge = (spans, side) => spans.map((span, e) => [X(e), y(span[side])]);
    const reach = svg("path", { class: "reach",
      d: `${pathOf([...edge(spans, "high"), ...edge(spans, "low").reverse()])}Z` });
    const other = next.beside.map(nineteen),
      beside = svg("path", { class: "beside",
        d: pathOf(edge(other, "high")) + pathOf(edge(other, "low")) });
    const outside = (count, e, at, way) =>
      count
        ? [svg("path", { class: "arrow", d: `M${X(e) - 11} ${at}l4 ${-5 * way}l4 ${5 * way}z` }),
          svg("text", { x: X(e), y: at + (way > 0 ? 1.5 : 5.5) }, count)] : [];
    const columns = answers.map((values, e) => {
      const sideways = swarm(values, y, small ? 1.6 : 2.1, wide / 2 - (small ? 4 : 9), inside);
      return svg("g", {}, values.map((value, run) =>
        inside(value)
        && svg("circle", { class: "ghost", cx: X(e) + sideways[run], cy: Y(value),
          r: small ? 1.6 : 2.1 })
      ), outside(values.filter(value => value > high).length, e, 8.5, 1),
        outside(values.filter(value => value < low).length, e, height - 7.5, -1));
    });
    const dots = Array.from({ length: RUNS },
      (_, run) => svg("circle", { class: run ? "dot" : "dot first", r: radius + (run ? 0 : 1) }));
    const bracket = svg("path", { class: "bracket" }),
      ends = ["high", "low"].map(() => svg("text", { class: "end" }));
    const away = svg("path", { class: "dot first" });
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.replaceChildren(band, ...grid, reach, beside, ...columns,
      svg("line", { class: "true", x1: left, x2: right, y1: Y(truth), y2: Y(truth) }),
      svg("text", { class: "true", x: left - 10, y: Y(truth) + 4, "text-anchor": "end" },
        whole(truth)), bracket, ...dots.toReversed(), away, ...ends);
    place = { n, pixel, left, wide, X, y, inside, low, high, spans, band, dots, bracket, ends, away,
      small, height,
      sideways: answers.map(values =>
        swarm(values, y, radius, wide / 2 - (small ? 2 : 5), inside)
      ) };
  }

  // The dots at a place between two ε, as they move from one to the other; `shown` from 0 to 1 of them.
  function move(at, shown = 1) {
    if (!place) return;
    const { X, y, inside, low, high, spans, wide, ends, small } = place, a = Math.floor(at),
      b = Math.min(place.n - 1, a + 1), mix = (p, q) => p + (q - p) * (at - a);
    place.band.setAttribute("x", X(at) - wide / 2);
    const now = place.dots.map((_, run) => mix(frame.answers[a][run], frame.answers[b][run]));
    place.dots.forEach((dot, run) => {
      dot.setAttribute("cx", X(at) + mix(place.sideways[a][run], place.sideways[b][run]));
      dot.setAttribute("cy", y(now[run]));
      dot.style.opacity = inside(now[run]) && run < RUNS * shown ? 1 : 0;
    });
    const way = inside(now[0]) || shown < 1 ? 0 : now[0] > high ? 1 : -1,
      foot = way > 0 ? TOP : place.height - FOOT;
    place.away.setAttribute("d",
      way ? `M${X(at) - 6} ${foot + 10 * way}l6 ${-9 * way}l6 ${9 * way}z` : "");
    const from = mix(spans[a].low, spans[b].low), to = mix(spans[a].high, spans[b].high),
      x = X(at) + wide / 2, [top, bottom] = [y(to), y(from)];
    place.bracket.setAttribute("d",
      `M${x} ${bottom}V${top}${inside(from) ? `M${x - 4} ${bottom}h4` : ""}${
        inside(to) ? `M${x - 4} ${top}h4` : ""
      }`);
    const near = Math.max(0, 13 - (bottom - top)) / 2, same = Math.round(from) === Math.round(to);
    const texts = [`${to > high ? "↑" : ""}${whole(to)}`,
      same ? "" : `${from < low ? "↓" : ""}${whole(from)}`];
    [top + (to > high ? 14 : 4) - near, bottom + (from < low ? -6 : 4) + near].forEach(
      (height, i) => {
        ends[i].setAttribute("x", x + HEAD);
        ends[i].setAttribute("y", height);
        ends[i].textContent = small ? "" : texts[i];
      },
    );
  }
  // Where the ε of each column stands, for the slider below.
  return { element: drawing, show, move, columns: () => ({ left: place.left, wide: place.wide }) };
}
