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
