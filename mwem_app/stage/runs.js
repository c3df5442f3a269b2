// The runs of one message key. Their answers are decoded once: base64 of gzip of little-endian
// int32, in tenths of a record, each round as the difference from the one before.
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  return new Int32Array(
    await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")))
      .arrayBuffer(),
  );
}

const idOf = (system, epsilon) => `${system}/${epsilon}`;

// `changed()` is called when answers have been decoded.
function runsOf(changed) {
  let key = null, runs = new Map(), truth = null, working = false;
  const wanted = [];

  // Takes in what a message brings; returns the names of the runs that are still lacking.
  function merge(data) {
    if (data.key !== key) (key = data.key), (runs = new Map()), (truth = null), (wanted.length = 0);
    for (const [id, run] of Object.entries(data.tracks))
      if (!runs.has(id)) runs.set(id, { ...run, id, of: key, table: null });
    if (data.truth === null) truth = null;
    else if (truth === null)
      want(truth = { answers: data.truth, spent: [0], of: key, table: null });
    return data.available.filter(id => !runs.has(id));
  }
  // Decodes these first, then all others one by one, so that no drag waits.
  function want(...first) {
    wanted.unshift(...first.filter(run => run && !run.table));
    if (!working) work();
  }
  async function work() {
    working = true;
    for (let run; (run = wanted.shift() ?? [...runs.values()].find(each => !each.table));) {
      if (run.table) continue;
      const table = await unpacked(run.answers);
      for (let cells = table.length / run.spent.length, i = cells; i < table.length; i++)
        table[i] += table[i - cells];
      run.table = table;
      run.answers = null;
      if (run.of === key) changed();
    }
    working = false;
  }
  return { merge, want, get: (system, epsilon) => runs.get(idOf(system, epsilon)), get all() {
    return [...runs.values()];
  }, get truth() {
    return truth?.table ?? null;
  } };
}

// The last round that has spent at most a share of the budget.
function roundAt(run, share) {
  let round = 0;
  while (round + 1 < run.spent.length && run.spent[round + 1] <= share + 1e-9) round++;
  return round;
}

// The answers of a round that stand at [start, start + cells), in tenths of a record.
function rowOf(run, round, start, cells) {
  const width = run.table.length / run.spent.length;
  return run.table.subarray(round * width + start, round * width + start + cells);
}

const records =
  value => (Math.abs(value) < 9.95 ? value.toLocaleString("en", { maximumFractionDigits: 1 })
    : whole(value));
const signed = value => (Math.round(value) > 0 ? `+${whole(value)}`
  : Math.round(value) < 0 ? `−${whole(-value)}` : "0");

// An answer by selected cells of a table: their sums in the truth and after each round of all runs
// that are decoded.
function sumsOf(runs, { start, shape }, text, { x, y }) {
  const places = [];
  for (let i = x[0]; i <= x[1]; i++)
    for (let j = y[0]; j <= y[1]; j++) places.push(start + i * shape[1] + j);
  const sum = (table, base) => places.reduce((total, place) => total + table[base + place], 0) / 10;
  const estimates = Object.fromEntries(
    runs.all.filter(run => run.table).map(run => [run.id, run.spent.map((_, r) =>
      sum(run.table, (r * run.table.length) / run.spent.length)
    )]),
  );
  return { text, place: "inside", truth: runs.truth && sum(runs.truth, 0), estimates, intervals: {},
    own: true };
}

// Without the truth there are no errors; what each round measured may be shown.
function measuredList() {
  const list = h("ol", { class: "algorithm", start: 0, tabindex: 0,
      "aria-label": "What each round measured" }),
    element = h("section", { class: "measured" },
      h("p", { class: "what" }, "What each round measured"), list);
  let run = null, items = [];
  function show(at) {
    if (!at) return;
    if (at.run !== run)
      (run = at.run),
        (items = run.labels.map((label, i) =>
          h("li", { value: run.rounds[i] }, label || "the start: nothing")
        )), list.replaceChildren(...items);
    items.forEach((item, i) => (i === at.round ? item.setAttribute("aria-current", "step")
      : item.removeAttribute("aria-current"))
    );
    const item = items[at.round];
    if (item) list.scrollTop = item.offsetTop - list.clientHeight / 2;
  }
  return { element, show };
}
