const AFTER_MOVING = 600; // milliseconds until the server hears where both sliders stand
const ECHO = 5000; // milliseconds in which a message may repeat what it was told, while the sliders have moved on
const PACE = 500; // milliseconds that a round is shown when it plays
const OUTSIDE = 330, OUTSIDE_PRESENT = 352; // all but the charts, in sixteenths of a rem as they are

// The height of the charts: what the screen leaves them below the place where the picture begins.
function roomFor(root, present) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  return Math.max(205,
    Math.min(360, (16 * (innerHeight - Math.max(0, root.getBoundingClientRect().top))) / rem
      - (present ? OUTSIDE_PRESENT : OUTSIDE)));
}

const keyOf = ({ epsilon, share }) => `${epsilon} ${share}`;

// Runs of one or more systems over ε: two sliders, and what they say of the table and of a
// question.
function makeDemonstration(root, send) {
  let data = null, epsilon = 0, round = 0, share = 1, look = 0, heard = "", timer = null,
    playing = null, scales = {}, room = 0;
  // { text, answer, selection, of }: the question that stands, and the cells and the table if it is
  // of such
  let asked = null;
  const told = new Map(); // where both sliders stood when the server was told, and when
  const runs = runsOf(decoded), lead = () => runs.get(data.systems[0].name, epsilon);

  const key = (name, kind) => h("span", { class: "key" }, h("i", { class: kind }), name);
  const title = h("p", { class: "title" }), waiting = h("p", { class: "soft", role: "status" }),
    badge = h("p", { class: "badge" });
  const budget = slider({ label: "Privacy budget ε", texts: [""], on: chooseEpsilon }),
    rounds = slider({ label: "Round", texts: [""], on: chooseRound });
  const there = h("div", { class: "there", "aria-hidden": "true" });
  budget.element.append(
    h("div", { class: "ends" }, h("span", {}, "more private"), there,
      h("span", {}, "more accurate")),
  );
  const play = h("button", { type: "button", class: "play", "aria-label": "Play the rounds",
    onclick: () => (playing === null ? begin() : stop()) },
    svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", {})));
  const measured = h("span", {});
  rounds.element.append(play, h("div", { class: "ends" }, measured));
  const said = sentences(), errors = roundsChart(),
    figureOfErrors = h("figure", { class: "errors" }, errors.legend, errors.element),
    list = measuredList(), shows = presence(), tables = tableView({ ask: askSelection }),
    asking = questionLine({ on: text => ask(text, null, data.asks) });
  const lookId = newId(), looks = h("select", { id: lookId, onchange: () => {
    look = looks.selectedIndex;
    showTable();
    redraw();
    moved();
  } });
  const looking = h("p", { class: "what looking" }), keysOfView = h("div", { class: "legend" });
  const picture = h("section", { class: "picture" },
    h("div", { class: "row" }, looking,
      h("label", { for: lookId, class: "spoken" }, "Table in view"), looks, keysOfView,
      tables.reading), tables.element);
  const left = h("div", { class: "left" }),
    right = h("div", { class: "right" }, picture, asking.element);
  root.append(
    h("div", { class: "demonstration" }, h("header", {}, title, waiting, badge),
      h("div", { class: "sliders" }, budget.element, rounds.element), said.element,
      h("div", { class: "body" }, left, right)),
  );

  // ---- both sliders ----
  function chooseEpsilon(index) {
    epsilon = index;
    settle();
    redraw();
    moved();
  }
  function chooseRound(index) {
    round = index;
    const run = lead();
    if (run) share = index === run.spent.length - 1 ? 1 : run.spent[index];
    rounds.show(round);
    redraw();
    moved();
  }
  // The round of the leading system that has spent the share in view, as ε or its run may have
  // changed.
  function settle() {
    const run = lead(), { turn } = data.systems[0];
    round = run ? roundAt(run, share) : 0;
    rounds.show(round, run
      ? run.spent.map((spent, i) =>
        `${turn} ${run.rounds[i]} of ${run.rounds.at(-1)} · ${
          spent.toFixed(2).replace(/^0/, "")
        } of ε spent`
      ) : ["this run is not there yet"]);
    runs.want(...data.systems.map(({ name }) => runs.get(name, epsilon)));
  }
  function moved() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const at = { epsilon, share, look };
      told.set(keyOf(at), performance.now());
      send(at, "at");
    }, AFTER_MOVING);
  }
  function begin() {
    const run = lead();
    if (!run) return;
    if (round === run.spent.length - 1) chooseRound(0);
    playing = setInterval(
      () => (root.isConnected && lead() && round < lead().spent.length - 1 ? chooseRound(round + 1)
        : stop()),
      calm.matches ? 2 * PACE : PACE,
    );
    showPlay();
  }
  function stop() {
    clearInterval(playing);
    playing = null;
    showPlay();
  }
  function showPlay() {
    play.setAttribute("aria-label", playing === null ? "Play the rounds" : "Stop");
    play.querySelector("path").setAttribute("d",
      playing === null ? "M4 2l10 6-10 6z" : "M3 3h10v10H3z");
  }

  // ---- the question ----
  function askSelection(selection) {
    const text = questionOf(data.tables[look], selection);
    ask(text || tables.nameOf(selection), selection, data.asks && text !== "");
  }
  function ask(text, selection, sending) {
    const saved = data.saved.find(each => each.text === text);
    const unknown = { text,
      problem: `This page answers questions about the tables in view${
        data.saved.length ? `, and these: ${data.saved.map(each => each.text).join("; ")}` : ""
      }.` };
    asked = { text, selection, of: look, answer: saved
      ?? (selection ? sumsOf(runs, data.tables[look], text, selection)
        : data.asks ? { text, waiting: true } : unknown) };
    tables.select(selection);
    asking.show(asked.answer);
    redraw();
    if (sending) send(text, "question");
  }
  function forget() {
    asked = null;
    tables.select(null);
    asking.show(null);
  }

  // ---- what is drawn ----
  function decoded() {
    if (!data) return;
    if (asked?.answer.own)
      (asked.answer = sumsOf(runs, data.tables[asked.of], asked.text, asked.selection)),
        asking.show(asked.answer);
    const next = scalesOf();
    if (!next.truth !== !scales.truth || next.top !== scales.top || next.spread !== scales.spread)
      showTable();
    redraw();
  }
  // The largest count and the largest difference of the table in view: from the truth and the
  // start, else from the last round at the largest ε.
  function scalesOf() {
    const { start, shape } = data.tables[look], cells = shape[0] * shape[1],
      most = values => values.reduce((a, b) => Math.max(a, b), 1);
    const done = runs.all.filter(run => run.table && run.id.startsWith(`${data.systems[0].name}/`)),
      last = done.at(-1);
    const truth = runs.truth?.subarray(start, start + cells) ?? null,
      top = truth ? most(truth) : last ? most(rowOf(last, last.spent.length - 1, start, cells)) : 1;
    const spread = truth && last
      ? most(rowOf(last, 0, start, cells).map((value, c) => Math.abs(value - truth[c]))) : top;
    return { truth, top, spread };
  }
  function showTable() {
    scales = scalesOf();
    const table = data.tables[look], several = data.systems.length > 1, pair = table.y !== null,
      { truth } = scales;
    looks.selectedIndex = look;
    looking.textContent = table.title;
    looks.hidden = data.present;
    looking.hidden = !data.present;
    keysOfView.replaceChildren(
      ...(pair ? (truth ? [key("too many", "more"), key("too few", "less")] : [])
        : [several ? null : key("estimate", "estimate"), truth && key("truth", "outline")].filter(
          Boolean,
        )),
    );
    const kinds = pair && truth ? (several ? ["difference"] : ["truth", "estimate", "difference"])
      : ["estimate"];
    tables.show({ table, truth, top: pair ? scales.top : 1.12 * scales.top, spread: scales.spread,
      height: room, unit: 0.1, text: value => whole(value / 10),
      signed: value => signed(value / 10), mean: value => `${records(value / 10)} per cell`,
      names: data.systems.map(() => (several ? "" : "estimate")),
      panels: data.systems.flatMap(({ title }, system) =>
        kinds.map(kind => ({ kind, system, colour: several ? `system-${system}` : "estimate",
          title: several ? title : pair ? kind[0].toUpperCase() + kind.slice(1) : "" })
        )
      ) });
    tables.select(asked?.of === look ? asked.selection : null);
  }
  // Error by round in records, on a scale that all ε share: the run in view over all others of its
  // system. With several systems, by the share of the budget that each has spent.
  function showErrors() {
    const { systems, n, uniform } = data, several = systems.length > 1, [{ turn }] = systems,
      of = ({ name }) => runs.all.filter(run => run.mean && run.id.startsWith(`${name}/`)),
      others = of(systems[0]);
    const all = systems.flatMap(of), compared = (uniform ?? []).slice(several ? 1 : 0),
      values = [...all.flatMap(run => (several ? run.mean : [...run.mean, ...run.max])),
        ...compared].filter(each => each > 0), high = n * Math.max(...values),
      low = Math.min(high / 10, Math.max(n * Math.min(...values), 0.1));
    const series = several ? systems.map(({ title }, i) => ({ title, kind: `system-${i}` }))
      : [{ title: "worst", kind: "max" }, { title: "mean", kind: "mean" }];
    errors.legend.replaceChildren(h("span", { class: "what" }, "Records off"),
      ...series.map(({ title, kind }) => key(title, kind)),
      ...(others.length > 1 && !several ? [key("other ε", "others")] : []));
    if (!all.length) return;
    errors.show({ xs: [0, several ? 1 : Math.max(1, ...others.map(run => run.rounds.at(-1)))],
      ys: [low / 1.15, high * 1.15], height: room, x: several ? "share of ε spent" : turn,
      whole: !several, series,
      faint: others.flatMap(run =>
        (several ? ["mean"] : ["mean", "max"]).map(kind => ({ kind, points: line(run, kind) }))
      ), levels: compared.map(each => ({ kind: "uniform", at: n * each, name: "uniform" })) });
  }
  function line(run, kind) {
    const by = data.systems.length > 1 ? run.spent : run.rounds;
    return (run.lines ??= {})[kind] ??= run[kind].map((error, i) => [by[i], data.n * error]);
  }
  function moveErrors(shown) {
    const kinds = data.systems.length > 1 ? shown.map((_, i) => [i, "mean"])
      : [[0, "max"], [0, "mean"]];
    const lines = kinds.map(([system, kind]) => {
      const points = shown[system]?.run[kind] && line(shown[system].run, kind);
      return points && { points, at: points[shown[system].round] };
    });
    const [first] = shown, [{ turn }] = data.systems;
    errors.move({ lines, x: lines[0]?.at[0] ?? 0, label: first?.run.mean
      ? `Records off per count by ${turn}: ${
        records(data.n * first.run.mean[first.round])
      } on average now, ${records(data.n * first.run.max[first.round])} at worst.` : "" });
  }
  function redraw() {
    const began = performance.now(), run = lead(), { systems, epsilons, n, delta } = data;
    const at = run ? run.spent[round] : share;
    const shown = systems.map(({ name }, i) => {
      const own = runs.get(name, epsilon);
      return own ? { run: own, round: i ? roundAt(own, at) : round } : null;
    });
    root.classList.toggle("pending", !run);
    measured.textContent = run?.labels[round] ? `measured ${run.labels[round]}` : "";
    said.show({ systems, shown, n, epsilon: epsilons[epsilon], delta, share: at });
    data.truth === null ? list.show(shown[0]) : moveErrors(shown);
    const { start, shape } = data.tables[look];
    if (shown[0]?.run.table)
      tables.move(
        shown.map(
          each => (each?.run.table ? rowOf(each.run, each.round, start, shape[0] * shape[1]) : null)
        ),
      );
    shows.show(epsilons[epsilon], delta);
    asking.move({ systems, shown, epsilon, epsilons, share: at, runs });
    root.dataset.ready = Boolean(run?.table && (runs.truth || !data.truth));
    root.dataset.redraw = (performance.now() - began).toFixed(2);
  }

  function update(next) {
    const fresh = data?.key !== next.key, before = data;
    data = next;
    const lacking = runs.merge(data);
    if (lacking.length) send(lacking.length, "missing");
    if (fresh)
      (look = 0), (scales = {}), forget(),
        looks.replaceChildren(...data.tables.map(table => h("option", {}, table.title)));
    const echoed = performance.now() - told.get(keyOf(data.at)) < ECHO;
    if (fresh || (keyOf(data.at) !== heard && !echoed)) ({ epsilon, share } = data.at);
    heard = keyOf(data.at);
    if (!room || before?.present !== data.present) room = roomFor(root, data.present);
    root.classList.toggle("present", data.present);
    title.replaceChildren(h("b", {}, data.title), ` · ${data.workload} · ${whole(data.n)} records`);
    waiting.textContent = data.waiting;
    badge.textContent = data.badge.text;
    badge.dataset.kind = data.badge.kind;
    there.replaceChildren(
      ...data.epsilons.map((_, i) =>
        h("i", { class: runs.get(data.systems[0].name, i) ? "on" : null })
      ),
    );
    budget.show(epsilon, data.epsilons.map(value => `ε = ${value}`));
    settle();
    const hidden = data.truth === null;
    root.style.setProperty("--room", `${room / 16}rem`);
    const first = hidden ? list.element : figureOfErrors;
    if (left.firstChild !== first) left.replaceChildren(first, shows.element);
    if (!hidden) showErrors();
    asking.hint(
      data.asks ? (data.questions[0] ?? "a condition") : "choose a cell, or drag over several",
    );
    asking.offer(
      data.present ? [] : [...data.saved.map(({ text }) =>
        text
      ), ...(data.asks ? data.questions : [])],
    );
    if (data.question && (!asked || asked.text === data.question.text)) {
      if (JSON.stringify(data.question) !== JSON.stringify(before?.question)
        || asked?.answer.waiting)
      {
        const own = asked?.selection
          ? sumsOf(runs, data.tables[asked.of], asked.text, asked.selection).estimates
          : {}; // until the server has all
        asked = { selection: null, of: look, ...asked, text: data.question.text,
          answer: { ...data.question, estimates: { ...own, ...data.question.estimates } } };
        asking.show(asked.answer);
      }
    }
    showPlay();
    showTable();
    redraw();
  }
  return { update };
}
