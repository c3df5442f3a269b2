// A slider over positions, each with the text that it shows; `on(index)` at every move, without a rerun.
function slider({ label, texts, start = 0, on }) {
  const id = newId(), shown = h("output", { for: id });
  const input = h("input", { id, type: "range", min: 0, max: texts.length - 1, step: 1,
    value: start, oninput: () => set(Number(input.value)) });
  const element = h("div", { class: "slider" }, h("label", { for: id }, label), input, shown);
  function set(index) {
    input.value = index;
    shown.textContent = texts[index];
    input.setAttribute("aria-valuetext", texts[index]);
    input.style.setProperty("--at", index / Math.max(1, texts.length - 1));
    on(index);
  }
  function show(index, others = texts) { // without telling anyone, and over other positions if there are others
    texts = others;
    input.max = texts.length - 1;
    const tell = on;
    on = () => {};
    set(index);
    on = tell;
  }
  show(start);
  return { element, set, show, get index() {
    return Number(input.value);
  } };
}

// A row of choices, of which one is on.
function choices({ label, options, start = 0, on }) {
  const name = newId();
  const inputs = options.map((_, i) =>
    h("input", { type: "radio", name, value: i, checked: i === start, onchange: () => on(i) })
  );
  const element = h("fieldset", { class: "choices" }, h("legend", {}, label),
    options.map((text, i) => h("label", {}, inputs[i], h("span", {}, text))));
  return { element, set(index) {
    inputs[index].checked = true;
    on(index);
  }, get index() {
    return inputs.findIndex(input => input.checked);
  } };
}

function button(text, on, { primary = false } = {}) {
  return h("button", { type: "button", class: primary ? "primary" : null, onclick: on }, text);
}

// A text that is spoken when it changes.
function note(text = "") {
  const element = h("p", { class: "note", "aria-live": "polite" }, text);
  return { element, show(next) {
    element.textContent = next;
  } };
}

// Step, play or stop, start again. `on.step()` returns whether a further step is left; `on.reset()` goes to the start.
// Where motion is to be reduced, a step takes its time and nothing moves in between.
function stepper({ on, texts = {}, pace = 700 }) {
  const names = { step: "Step", play: "Play", stop: "Stop", reset: "Start again", ...texts };
  let timer = null;
  const step = button(names.step, () => (stop(), once()), { primary: true });
  const play = button(names.play, () => (timer === null ? begin() : stop()));
  const reset = button(names.reset,
    () => (stop(), on.reset(), (step.disabled = play.disabled = false)));
  function once() {
    const more = on.step();
    if (!more) stop();
    step.disabled = play.disabled = !more;
    return more;
  }
  function begin() {
    timer = setInterval(() => (step.isConnected ? once() : stop()), calm.matches ? 2 * pace : pace);
    play.textContent = names.stop;
    once();
  }
  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = names.play;
  }
  return { element: h("div", { class: "row" }, step, play, reset), stop, end(over) {
    stop();
    step.disabled = play.disabled = over;
  } };
}
