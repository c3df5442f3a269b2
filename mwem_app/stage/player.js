// The live player. Python sends rounds in bursts; they wait here and are drawn a few per animation
// frame.
const MAX_LAG = 60; // rounds that the drawing may lag behind before it skips some
// pixels: of a chart; of its heading, in two rows or one, and of the slider below
const MIN_HEIGHT = 176, AROUND = { high: 86, low: 62, deck: 68 };
const TRANSPORT = { start: ["First round", "Home", "M3 3h2v10H3zM13 3v10L6 8z"],
  back: ["One round back", "left arrow", "M11 3v10L4 8z"], play: ["Play", "space"],
  on: ["One round on", "right arrow", "M5 3v10l7-5z"],
  end: ["Last round", "End", "M11 3h2v10h-2zM3 3v10l7-5z"] };
const WHY = { errors: "why more rounds may err more", budget: "why what is spent adds up",
  select: "why the best candidate is not always chosen",
  measure: "why an answer gets noise, and how much", update: "why the update multiplies" };

// ---- parts ----
function make(root, send) {
  const p = { root, send, rounds: [], shown: 0, reached: 0, mode: "still", stepped: 0, alive: true,
    views: new Map(), levelsOn: { uniform: true, laplace: true, automatic: true, bound: true } };
  root.classList.add("mwem-player");
  const why = part =>
    h("a", { class: "why", "data-why": part, target: "_blank", rel: "noopener", hidden: true,
      "aria-label": `Learn ${WHY[part]}: a lesson, in a new tab` }, "Learn why");
  const panel = (name, chart, legend, ...beside) => {
    const title = h("h4", { "aria-level": 3 }), badge = h("span", { class: "badge" });
    return { chart, title, badge, legend, cells: {},
      box: h("section", { class: "panel-box", "data-name": name },
        h("header", {}, h("div", { class: "title" }, title, ...beside), badge), legend,
        h("div", { class: "plot" }, chart.element, chart.reading)) };
  };
  const errors = roundsChart({ point: x => pointed(p, x) }), table = tableView();
  p.errors = panel("errors", errors, errors.legend, why("errors"));
  p.view = panel("view", table, h("div", { class: "legend" }));
  const buttons = Object.entries(TRANSPORT).map(([name, [label, key, path]]) =>
    h("button", { type: "button", "data-go": name, class: name === "play" && "play",
      "aria-label": label, title: `${name === "play" ? "Play or pause" : label} (${key})`,
      onclick: () => go(p, name) },
      svg("svg", { viewBox: "0 0 16 16" }, path ? svg("path", { d: path })
        : [svg("path", { class: "when-still", d: "M4 2.5v11L13.5 8z" }),
          svg("path", { class: "when-moving", d: "M4 3h3v10H4zM9 3h3v10H9z" })]))
  );
  p.slider = h("input", { type: "range", min: 0, max: 0, value: 0, step: 1,
    oninput: () => scrub(p, Number(p.slider.value)), onkeydown: event => {
      if (event.key !== " ") return;
      event.preventDefault();
      go(p, "play");
    } });
  Object.assign(p, { position: h("output"), spent: h("p"), sentence: h("p", { class: "sentence" }),
    badge: h("span", { class: "badge" }),
    spoken: h("p", { class: "spoken", "aria-live": "polite" }),
    bar: h("div", { class: "bar" },
      ["bins", "select", "measure"].map(part => h("i", { class: part }))),
    facts: Object.fromEntries(
      ["select", "measure", "update"].map(part => [part, h("div", { class: "facts" })]),
    ) });
  p.steps = h("div", { class: "steps" },
    Object.entries(p.facts).map(([part, facts], i) =>
      h("section", { "data-step": part, "aria-label": `Step ${i + 1}: ${part}` },
        h("header", {},
          h("h5", { "aria-level": 4 }, h("b", {}, i + 1), part[0].toUpperCase() + part.slice(1)),
          why(part)), facts)
    ));
  root.replaceChildren(h("div", { class: "charts" }, p.errors.box, p.view.box),
    h("section", { class: "deck", "aria-label": "Rounds" },
      h("div", { class: "transport" }, h("div", { class: "buttons" }, buttons), p.slider,
        p.position), h("div", { class: "budget" }, p.bar, p.spent, why("budget")),
      h("div", { class: "round" }, p.sentence, p.badge), p.steps), p.spoken);
  const watcher = new ResizeObserver(() => {
    if (root.clientWidth !== p.width)
      (p.width = root.clientWidth), fitHeight(p), (p.dirty = true), play(p);
  });
  const settling = new ResizeObserver(() => {
    if (p.data?.status === "idle" && fitHeight(p)) (p.dirty = true), play(p);
  });
  return { update(data) {
    p.alive = true;
    watcher.observe(root);
    settling.observe(root.closest("[data-testid=stMainBlockContainer]") ?? document.body);
    receive(p, data);
  }, leave() {
    p.alive = false;
    watcher.disconnect();
    settling.disconnect();
  } };
}

// ---- messages ----
function receive(p, data) {
  const before = p.data, fresh = before?.run !== data.run, atEnd = p.shown >= last(p),
    newLook = before?.look !== data.look;
  if (fresh)
    Object.assign(p, { rounds: [], shown: data.from ?? 0, reached: data.from ?? 0,
      spokenFor: null });
  if (newLook) { for (const round of p.rounds) round.estimate = round.packed = null; }
  const lacking = data.first > p.rounds.length || (newLook && data.first > 0);
  if (lacking && performance.now() - (p.askedAt ?? -1e9) > 2000)
    p.send(p.askedAt = performance.now(), "gap");
  if (fresh || newLook) p.views.clear(), (p.gap = 0);
  for (const view of data.views)
    p.views.set(view.id, { ...view, truth: floats(view.truth), top: p.views.get(view.id)?.top ?? 0,
      table: tableOf(view) });
  if (data.first <= p.rounds.length) {
    for (const [i, round] of data.rounds.entries())
      p.rounds[data.first + i] = unpack(round, p.rounds[data.first + i]);
  }
  p.data = data;
  if (!before) fitHeight(p);
  p.hasErrors = p.rounds.some(round => round.max != null || round.mean != null);
  if (fresh) begin(p, before || data.status === "running" || data.from != null);
  // rounds may arrive after a pause too
  else if (atEnd && ["running", "paused"].includes(data.status)) p.mode = "follow";
  else if (p.mode === "follow" && data.status !== "running" && p.shown >= last(p)) p.mode = "still";
  fitScales(p);
  p.dirty = true;
  play(p);
}

// A run that starts while the page is open is drawn from its first round, or on from the round at
// which another player was. A run that was over before stands at its end.
function begin(p, watched) {
  p.mode = watched ? "follow" : "still";
  if (!watched) p.shown = p.reached = Math.max(0, last(p));
}
const last = p => p.rounds.length - 1;
const unpack = (round, old) => ({ ...round, packed: round.estimate,
  estimate: old?.packed === round.estimate ? old?.estimate : floats(round.estimate) });
const floats = packed =>
  packed && new Float32Array(Uint8Array.from(atob(packed), c => c.charCodeAt(0)).buffer);

// A view as a table: a bin is drawn by its width, so that its height is a density; as a category,
// where one would be too narrow to see.
function tableOf({ title, x, y, widths }) {
  const wide = Math.min(1, ...(widths ?? [])) < 0.1 ? null : widths;
  return { title, x: y ?? x, y: y && x, shape: y ? [y.length, x.length] : [x.length, 1],
    own: widths?.length ?? x.length, widths: wide };
}

// Where the two charts are side by side, they are low enough for the slider to be on the first
// screen. They are fitted until a run starts, as the page above may still be growing; then they
// stay. Returns whether the height has changed.
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

// The scale of a view, and that of all differences of a run, stay fixed while rounds arrive. They
// only grow, and then with room to spare. The largest difference is mostly that of the start, so a
// model that fits looks pale.
function fitScales(p) {
  for (const { view: id, estimate } of p.rounds.slice(p.data.first)) {
    const view = p.views.get(id);
    if (!view || !estimate) continue;
    const heights = shares =>
      Array.from(shares ?? [], (share, i) => share / (view.table.widths?.[i] ?? 1));
    const most = Math.max(...heights(estimate), ...heights(view.truth));
    if (most > view.top) view.top = most * (view.top ? 1.15 : 1);
    const gap = view.truth ? Math.max(...estimate.map((share, i) =>
      Math.abs(share - view.truth[i])
    )) : 0;
    if (gap > p.gap) p.gap = roundUp(gap);
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
      if (p.alive && p.dirty && p.rounds.length && p.root.isConnected) (p.dirty = false), draw(p);
    }
  } catch (error) {
    console.error(error);
  } finally {
    p.playing = false;
    if (p.alive && p.dirty) setTimeout(play, 0, p); // something new came while the drawing failed
  }
}
const advances = p => p.mode === "replay" || (p.mode === "follow" && p.shown < last(p));
const moving = p => advances(p) || (p.mode === "follow" && p.data.status === "running");

function advance(p, now) {
  const follow = p.mode === "follow", waiting = last(p) - p.shown,
    total = Math.max(1, p.data.total);
  const pace = calm.matches ? 500
    : follow ? Math.min(220, 2600 / total) : Math.min(700, Math.max(40, 8000 / total));
  if (now - p.stepped < pace) return;
  p.stepped = now;
  const step = calm.matches ? (follow ? waiting : Math.ceil(total / 20))
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

function draw(p) {
  p.reached = Math.max(p.reached, p.shown);
  words(p);
  inside(p);
  drawErrors(p);
  drawView(p);
  p.root.dataset.shown = p.shown;
}
