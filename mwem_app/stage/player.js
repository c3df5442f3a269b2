// The live player. Python sends rounds in bursts; they wait here and are drawn a few per animation frame.
// Each chart is made once (Plotly.newPlot) and only changed afterwards, so a zoom survives the whole run.
const players = new WeakMap(); // one state per mounted element, kept between calls
const retired = new Map(); // by run: states whose element left the page, perhaps for a moment
const VIEW_PAUSE = 300; // milliseconds that a view stays while the rounds move on to others
const MAX_LAG = 60; // rounds that the drawing may lag behind before it skips some
// pixels: of a chart; of its heading, in two rows or one, and of the slider below
const MIN_HEIGHT = 176, AROUND = { high: 86, low: 62, deck: 68 };

export default function player({ data, parentElement, setTriggerValue }) {
  let root = parentElement.querySelector(".mwem-player");
  if (!players.has(root) && retired.has(data.run))
    root.replaceWith(root = retired.get(data.run).root);
  if (!players.has(root)) players.set(root, mount(root));
  const p = players.get(root);
  wake(p);
  receive(p, data, setTriggerValue);
  return () => retire(p);
}

// ---- state ----
function mount(root) {
  const part = selector => root.querySelector(selector);
  const panel = name => {
    const box = part(`[data-name=${name}]`);
    return { box, title: box.querySelector("h4"), badge: box.querySelector(".badge"),
      legend: box.querySelector(".legend"), plot: box.querySelector(".plot"), made: false,
      zoomed: false, revision: 0, drawn: 0, cost: 0, cells: {} };
  };
  const p = { root, alive: true, rounds: [], shown: 0, reached: 0, mode: "still", stepped: 0,
    levelsOn: { uniform: true, laplace: true, automatic: true, bound: true },
    errors: panel("errors"), view: panel("view"), slider: part("input"), position: part("output"),
    spent: part(".budget p"), bar: part(".bar"), sentence: part(".sentence"),
    badge: part(".round .badge"), spoken: part("[aria-live]"), steps: part(".steps"),
    views: new Map(), calm: matchMedia("(prefers-reduced-motion: reduce)"),
    touch: matchMedia("(pointer: coarse)") };
  for (const button of root.querySelectorAll("[data-go]"))
    button.onclick = () => go(p, button.dataset.go);
  p.slider.oninput = () => scrub(p, Number(p.slider.value));
  p.slider.onkeydown = event => {
    if (event.key === " ") {
      event.preventDefault();
      go(p, "play");
    }
  };
  p.watcher = new ResizeObserver(() => {
    if (root.clientWidth !== p.width) (p.width = root.clientWidth), fitHeight(p), refresh(p);
  });
  p.settling = new ResizeObserver(() => {
    if (p.data?.status === "idle" && fitHeight(p)) refresh(p);
  });
  return p;
}

function wake(p) {
  p.alive = true;
  clearTimeout(p.purge);
  if (retired.get(p.data?.run) === p) retired.delete(p.data.run);
  p.watcher.observe(p.root);
  p.settling.observe(p.root.closest("[data-testid=stMainBlockContainer]") ?? document.body);
}

// A busy Streamlit may take a component off the page and soon put a new one in its place. The old element, with its
// charts, zoom and round, is kept for that case and moves into the new place.
function retire(p) {
  p.alive = false;
  p.watcher.disconnect();
  p.settling.disconnect();
  if (p.data) retired.set(p.data.run, p);
  p.purge = setTimeout(() => {
    if (retired.get(p.data?.run) === p) retired.delete(p.data.run);
    for (const panel of [p.errors, p.view])
      if (panel.made) window.Plotly.purge(panel.plot), (panel.made = false);
  }, 3000);
}

function receive(p, data, trigger) {
  const before = p.data, fresh = before?.run !== data.run, atEnd = p.shown >= last(p);
  if (fresh)
    Object.assign(p, { rounds: [], shown: data.from ?? 0, reached: data.from ?? 0,
      spokenFor: null });
  const newLook = before?.look !== data.look;
  if (newLook) { for (const round of p.rounds) round.estimate = round.packed = null; }
  const gap = data.first > p.rounds.length || (newLook && data.first > 0);
  if (gap && performance.now() - (p.gapSentAt ?? -1e9) > 2000)
    trigger("gap", p.gapSentAt = performance.now());
  if (fresh || newLook) p.views.clear(), (p.gap = 0);
  for (const view of data.views)
    p.views.set(view.id, { ...view, truth: floats(view.truth),
      maxShare: p.views.get(view.id)?.maxShare ?? 0 });
  if (data.first <= p.rounds.length)
    data.rounds.forEach((round,
      i) => (p.rounds[data.first + i] = unpack(round, p.rounds[data.first + i]))
    );
  p.data = data;
  if (!before) fitHeight(p);
  p.hasErrors = p.rounds.some(round => round.max != null || round.mean != null);
  if (fresh) begin(p, before || data.status === "running" || data.from != null);
  // rounds may arrive after a pause too
  else if (atEnd && ["running", "paused"].includes(data.status)) p.mode = "follow";
  else if (p.mode === "follow" && data.status !== "running" && p.shown >= last(p)) p.mode = "still";
  fitScales(p);
  const stamp = JSON.stringify([data.run, data.look, data.total, data.lines, p.height, p.hasErrors,
    look(p)]);
  if (stamp !== p.stamp) (p.stamp = stamp), (p.stale = true);
  p.dirty = true;
  play(p);
}

// A run that starts while the page is open is drawn from its first round, or on from the round at which another player
// was. A run that was over before stands at its end.
function begin(p, watched) {
  p.mode = watched ? "follow" : "still";
  if (!watched) p.shown = p.reached = Math.max(0, last(p));
}
const last = p => p.rounds.length - 1;
const unpack = (round, old) => ({ ...round, packed: round.estimate,
  estimate: old?.packed === round.estimate ? old?.estimate : floats(round.estimate) });
const floats = packed =>
  packed && new Float32Array(Uint8Array.from(atob(packed), c => c.charCodeAt(0)).buffer);
const refresh = p => {
  if (p.data) (p.stale = p.dirty = true), play(p);
};

// Where the two charts are side by side, they are low enough for the slider to be on the first screen. They are fitted
// until a run starts, as the page above may still be growing; then they stay. Returns whether the height has changed.
function fitHeight(p) {
  if (!p.data) return false;
  const { height } = p.data, before = p.height, width = p.root.clientWidth,
    scrolled = p.root.closest("[data-testid=stMain]")?.scrollTop ?? 0;
  const top = p.root.getBoundingClientRect().top + scrolled
    + (width > 1080 ? AROUND.low : AROUND.high);
  p.height = width < 760 ? height
    : Math.round(Math.max(MIN_HEIGHT, Math.min(height, innerHeight - top - AROUND.deck)));
  return p.height !== before;
}

// The scale of a view, and that of all differences of a run, stay fixed while rounds arrive. They only grow, and then
// with room to spare. The largest difference is mostly that of the start, so a model that fits looks pale.
function fitScales(p) {
  for (const { view: id, estimate } of p.rounds.slice(p.data.first)) {
    const view = p.views.get(id);
    if (!view || !estimate) continue;
    const most = Math.max(...heights(view, estimate), ...heights(view, view.truth ?? []));
    if (most > view.maxShare) (view.maxShare = most * (view.maxShare ? 1.15 : 1)), (p.stale = true);
    const gap = view.truth ? estimate.reduce((widest, share, i) =>
      Math.max(widest, Math.abs(share - view.truth[i])), 0) : 0;
    if (gap > p.gap)
      (p.gap = roundUp(gap)), (p.stale = true);
  }
}

// ---- time ----
async function play(p) {
  if (p.playing) return;
  p.playing = true;
  try {
    while (p.alive && (p.dirty || advances(p))) {
      const now = await new Promise(requestAnimationFrame);
      if (advances(p)) advance(p, now);
      if (p.alive && p.dirty && ready(p)) (p.dirty = false), await draw(p);
    }
  } catch (error) {
    console.error(error);
    for (const { made, plot } of [p.errors, p.view])
      if (!made) plot.textContent = `The chart could not be drawn: ${error.message}`;
  } finally {
    p.playing = false;
  }
  if (p.alive && p.dirty) play(p); // something new came while the drawing failed
}
// A busy Streamlit may mount the player before its place and its colours are there; rounds of a run
// that began elsewhere have been asked for.
const ready = p => p.rounds.length > 0 && p.root.isConnected && (p.look ?? look(p)) !== null;
const advances = p => p.mode === "replay" || (p.mode === "follow" && p.shown < last(p));

function advance(p, now) {
  const follow = p.mode === "follow", waiting = last(p) - p.shown,
    total = Math.max(1, p.data.total);
  const pace = p.calm.matches ? 500
    : follow ? Math.min(220, 2600 / total) : Math.min(700, Math.max(40, 8000 / total));
  if (now - p.stepped < pace) return;
  p.stepped = now;
  const step = p.calm.matches ? (follow ? waiting : Math.ceil(total / 20))
    : follow ? Math.ceil(waiting / MAX_LAG) : 1;
  show(p, p.shown + step);
  if (p.shown >= last(p)) p.mode = p.data.status === "running" ? "follow" : "still";
}

function show(p, index) {
  p.shown = Math.max(0, Math.min(last(p), index));
  p.dirty = true;
}

function scrub(p, index) {
  show(p, index);
  p.mode = p.data.status === "running" && p.shown >= last(p) ? "follow" : "still";
  play(p);
}

function go(p, where) {
  if (where !== "play")
    return scrub(p, { start: 0, back: p.shown - 1, on: p.shown + 1, end: last(p) }[where]);
  const atEnd = p.shown >= last(p), running = p.data.status === "running";
  if (moving(p)) p.mode = "still";
  else if (atEnd && running) p.mode = "follow";
  else if (last(p) > 0) (p.mode = "replay"), atEnd && show(p, 0);
  p.dirty = true;
  play(p);
}
const moving = p => advances(p) || (p.mode === "follow" && p.data.status === "running");

async function draw(p) {
  words(p);
  inside(p);
  const P = await plotly();
  if (!p.rounds.length) return;
  p.reached = Math.max(p.reached, p.shown);
  const rebuild = p.stale;
  p.stale = false;
  const drawing = [];
  for (const panel of [errorPanel(p), viewPanel(p)]) {
    if (!panel) continue;
    const { state } = panel, other = panel.identity !== state.identity;
    if (other && !rebuild && advances(p)
      && performance.now() - state.drawn < Math.max(VIEW_PAUSE, 3 * state.cost)) continue;
    if (other) (state.identity = panel.identity), (state.zoomed = false);
    if (rebuild || other) legend(p, panel);
    caption(p, panel);
    drawing.push(rebuild || other ? build(P, p, panel) : redraw(P, p, panel));
  }
  await Promise.all(drawing);
  p.root.dataset.shown = p.shown;
}

// While rounds arrive fast, only the moving lines are redrawn. The rest of a chart (hover texts, scales, maps) follows
// several times a second, as often as the machine allows, and always when the drawing comes to rest.
async function redraw(P, p, { state, moves, change, light, shift, patience, alt }) {
  const began = performance.now(), layout = shift?.() ?? {};
  if (!advances(p) || Object.keys(layout).length
    || began - state.drawn > Math.max(patience, 3 * state.cost))
  {
    state.plot.setAttribute("aria-label", alt());
    await P.update(state.plot, change(), layout, moves);
    state.drawn = performance.now();
    state.cost = state.drawn - began;
  } else if (light) {
    const { traces, data } = light();
    await P.animate(state.plot, { data, traces }, { mode: "immediate",
      frame: { duration: 0, redraw: false }, transition: { duration: 0 } });
  }
}

// Make the first chart. Later ones (another run, view, theme or width) change it in place and keep its zoom.
async function build(P, p, panel) {
  const began = performance.now();
  const { traces, layout } = panel.whole(), { state } = panel;
  const whole = { width: state.plot.clientWidth, paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)", showlegend: false,
    font: { family: p.look.font, color: p.look.soft, size: 12 },
    hoverlabel: { bgcolor: p.look.paper, bordercolor: p.look.grid,
      font: { color: p.look.text, family: p.look.font } },
    dragmode: p.touch.matches ? false : "zoom", uirevision: `${panel.identity} ${state.revision}`,
    ...layout };
  state.plot.setAttribute("aria-label", panel.alt());
  // Plotly drops a zoom if the full range has changed since, as when a run is stopped early.
  if (state.zoomed) {
    for (const name of ["xaxis", "yaxis"])
      whole[name] = { ...whole[name], range: [...state.plot._fullLayout[name].range] };
  }
  if (state.made) {
    await P.react(state.plot, traces, whole);
    state.drawn = performance.now();
    state.cost = state.drawn - began;
    return;
  }
  state.made = true;
  state.plot.replaceChildren();
  p.root.dataset.plots = Number(p.root.dataset.plots) + 1;
  await P.newPlot(state.plot, traces, whole, { displayModeBar: false, doubleClick: false });
  state.plot.on("plotly_relayout", () => {
    state.zoomed = true;
    refresh(p);
  });
  state.plot.on("plotly_doubleclick", () => unzoom(p, state));
}

function unzoom(p, state) {
  state.zoomed = false;
  state.revision += 1; // Plotly forgets the reader's zoom when this changes
  refresh(p);
}
