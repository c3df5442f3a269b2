// Choosing: candidates whose scores are dragged, and what each mechanism makes of them. Everything is redrawn here; the
// uniform draws of the spins come from the core.
const LOSING = "color-mix(in srgb, var(--st-text-color) 30%, transparent)";
const percent = share => (share >= 0.0995 ? `${Math.round(100 * share)}%`
  : share >= 0.001 ? `${(100 * share).toFixed(1)}%` : "<0.1%");
const SCENES = { start: bench, spin: spinning, slip: slipping, flip: flipping };

function choosing(root, data) {
  root.append(h("div", { class: "stack" }, SCENES[data.scene](data)));
}

// ---- the bench: a row for each candidate, with bars to drag and bars that follow ----
function bench(data) {
  const state = { scores: [...data.scores], epsilon: data.epsilon };
  const table = rows(data, state, [`Probability at ε = ${data.epsilon}`], redraw);
  function redraw() {
    table.show([exponentialLaw(weights(state))]);
  }
  redraw();
  return [table.element];
}

const weights = ({ scores, epsilon }, slip = 1) => scores.map(s => (slip * epsilon * s) / 2);

// `state.scores` follow the bars. `heads` name the columns of shares.
function rows({ names, high }, state, heads, redraw) {
  const head = h("div", { class: "candidate heads" }, h("span", {}),
    h("span", {}, "Score: students that the guess is off by"),
    h("span", {},
      heads.map((each, i) =>
        h("span", { class: heads.length > 1 ? `key way-${i}` : null },
          heads.length > 1 && h("i", {}), each)
      )));
  const lines = names.map((name, j) => {
    const drag = bar({ label: `Score of ${name}`, high, value: state.scores[j], unit: "students",
      on: value => {
        state.scores[j] = value;
        redraw();
      } });
    const shares = heads.map((_, i) => share(i));
    return { shares,
      element: h("div", { class: "candidate" }, h("b", {}, name), drag.element,
        h("div", { class: "shares" }, shares.map(each => each.element))) };
  });
  const element = h("div", { class: "candidates" }, head, lines.map(line => line.element));
  function show(laws, texts = null) {
    lines.forEach(({ shares }, j) =>
      shares.forEach((each, i) => each.show(laws[i][j], texts?.[j]))
    );
  }
  return { element, show };
}

// A bar to drag: a slider that looks like a bar, for the mouse, a finger and the arrow keys.
function bar({ label, high, value, unit, on }) {
  const shown = h("output", { "aria-live": "off" });
  const input = h("input", { type: "range", class: "drag", min: 0, max: high, step: 1, value,
    "aria-label": label, oninput: () => follow(on) });
  function follow(tell = () => {}) {
    const now = Number(input.value);
    shown.textContent = now;
    input.setAttribute("aria-valuetext", `${now} ${unit}`);
    input.style.setProperty("--at", now / high);
    tell(now);
  }
  follow();
  return { element: h("div", { class: "barred" }, input, shown) };
}

function share(i) {
  const fill = h("i", {}), shown = h("output", { "aria-live": "off" }),
    track = h("div", { class: `share way-${i}` }, fill);
  function show(value, text = percent(value)) {
    fill.style.width = `${100 * value}%`;
    shown.textContent = text;
  }
  return { element: h("div", { class: "barred" }, track, shown), show };
}

const epsilons = (data, state, redraw) =>
  slider({ label: "ε", texts: data.epsilons.map(String),
    start: data.epsilons.indexOf(state.epsilon), on: i => {
      state.epsilon = data.epsilons[i];
      redraw();
    } });

// ---- 200 spins: points on a strip that is divided by the probabilities ----
function spinning(data) {
  const state = { scores: [...data.scores], epsilon: data.epsilon, set: -1, shown: 0 };
  const table = rows(data, state, ["Probability, and how often it was chosen"], redraw);
  table.element.classList.add("counted");
  const knob = epsilons(data, state, redraw), strip = landing(data.names),
    spoken = note("Nothing is spun yet.");
  const spin = button(`Spin ${data.spins[0].length} times`, () => begin(), { primary: true });
  function redraw() {
    const law = exponentialLaw(weights(state)),
      points = state.set < 0 ? [] : data.spins[state.set].slice(0, state.shown);
    const owners = points.map(u => owner(law, u)),
      wins = law.map((_, j) => owners.filter(each => each === j).length);
    table.show([law],
      law.map((each, j) => (points.length ? `${percent(each)} · ${wins[j]}` : percent(each))));
    strip.show(law, points, owners);
  }
  function begin() {
    state.set = (state.set + 1) % data.spins.length;
    state.shown = 0;
    spin.disabled = true;
    requestAnimationFrame(fall);
  }
  function fall() {
    const all = data.spins[0].length;
    state.shown = calm.matches ? all : Math.min(all, state.shown + 4);
    redraw();
    if (state.shown < all) return requestAnimationFrame(fall);
    spin.disabled = false;
    spoken.show(`${all} points fell, and stay where they are when you drag.`);
  }
  redraw();
  return [h("div", { class: "beside" }, knob.element, h("div", { class: "row" }, spin)),
    table.element, strip.element, spoken.element];
}

function owner(law, u) {
  let j = 0;
  for (let reached = law[0]; reached <= u && j < law.length - 1; reached += law[++j]);
  return j;
}

function landing(names) {
  const drawing = svg("svg", { role: "img" }), TALL = 92, STRIP = 30, LANES = 9;
  let now = null;
  const redraw = fitted(drawing, width => now && draw(width, ...now));
  function draw(width, law, points, owners) {
    const leader = law.indexOf(Math.max(...law)),
      colour = j => (j === leader ? "var(--st-blue-color)" : LOSING);
    let from = 0;
    const parts = law.map((each, j) => {
      const x = from * width, wide = each * width;
      from += each;
      return svg("g", {},
        svg("rect", { x, width: Math.max(0, wide - 1.5), y: TALL - STRIP, height: STRIP, rx: 2,
          fill: colour(j), opacity: j === leader ? 0.35 : 0.7 }), wide > 7.5 * names[j].length + 8
        && svg("text", { class: "name", x: x + wide / 2, y: TALL - 10, "text-anchor": "middle" },
          names[j]));
    });
    const dots = points.map((u, i) =>
      svg("circle", { cx: 3 + u * (width - 6), cy: 6 + (i % LANES) * 6, r: 2.6,
        fill: colour(owners[i]) })
    );
    drawing.setAttribute("viewBox", `0 0 ${width} ${TALL}`);
    drawing.replaceChildren(...parts, ...dots);
  }
  function show(...next) {
    now = next;
    const [law, points] = next;
    drawing.setAttribute("aria-label",
      `A strip divided by the probabilities ${
        law.map((each, j) => `${names[j]} ${percent(each)}`).join(", ")
      }, with ${points.length} random points above it`);
    redraw();
  }
  return { element: h("figure", {}, drawing), show };
}

// ---- the factor-two slip, and the lamp ----
function slipping(data) {
  const state = { scores: [...data.scores], epsilon: data.epsilon, slip: 1 };
  const table = rows(data, state, ["Probability"], redraw), knob = epsilons(data, state, redraw);
  const which = choices({ label: "Pr[j] ∝", options: ["exp(ε s / 2Δ)", "exp(ε s / Δ), the slip"],
    on: i => {
      state.slip = 1 + i;
      redraw();
    } });
  const light = lamp();
  function redraw() {
    const now = weights(state, state.slip),
      worst = worstNeighbour(now, (state.slip * state.epsilon) / 2, exponentialLaw);
    table.show([exponentialLaw(now)]);
    light.show(worst, data.names[worst.j], state.epsilon);
  }
  redraw();
  return [h("div", { class: "beside" }, which.element, knob.element), table.element, light.element];
}

// Green while no probability changes by more than e^ε, red otherwise.
function lamp() {
  const verdict = h("b", { "aria-live": "polite" }), figures = h("span", {}),
    element = h("div", { class: "lamp" }, h("i", {}), h("p", {}, verdict, " ", figures));
  function show({ here, there, ratio }, name, epsilon) {
    const holds = ratio <= Math.exp(epsilon) * (1 + 1e-9),
      said = holds ? "The promise holds." : "The promise is broken.";
    element.dataset.holds = holds;
    if (verdict.textContent !== said) verdict.textContent = said;
    figures.textContent = `One person can change “${name}” from ${percent(here)} to ${
      percent(there)
    } of the choices, by a factor of ${ratio.toFixed(2)}. e^ε allows ${
      Math.exp(epsilon).toFixed(2)
    }.`;
  }
  return { element, show };
}

// ---- permute-and-flip beside the exponential mechanism ----
function flipping(data) {
  const state = { scores: [...data.scores], epsilon: data.epsilon };
  const table = rows(data, state, ["exponential", "permute-and-flip"], redraw),
    knob = epsilons(data, state, redraw), result = h("p", {});
  function redraw() {
    const laws = [exponentialLaw(weights(state)), permuteAndFlipLaw(weights(state))],
      best = Math.max(...state.scores);
    table.show(laws);
    const lost = laws.map(law => best - sumOf(law.map((p, j) => p * state.scores[j])));
    result.replaceChildren("Score lost on average, against always taking the best: exponential ",
      h("b", {}, lost[0].toFixed(1)), ", permute-and-flip ", h("b", {}, lost[1].toFixed(1)), ".");
  }
  redraw();
  return [knob.element, table.element, result];
}

const DRAWINGS = { choosing };
