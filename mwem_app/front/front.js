const START = 7; // the place of ε = 1
const LEARN = 1200; // milliseconds: from the first round to the last
const GLIDE = 180; // milliseconds: from one ε to the next, when a reader moves it
const BREATH = 420; // milliseconds: from one ε to the next, when it moves by itself
const STILL = { fast: 300, slow: 1200, end: 2200 }; // milliseconds: at each ε, when it moves by itself
const MOST_DOWN = 12; // names along an axis
const LEAST = 0.1; // records: no error has a place below, on a scale without zero

// The front page: a question by menus, its truth, what runs say at every ε, a table, and the error by round. It moves
// by itself until it is touched. `send(value, name)` when the reader goes on: name is watch or own.
function make(root, send) {
  let data = null, table = null, answers = null, system = "mwem", epsilon = START,
    moving = !calm.matches, at = START, drawn = 1, timer = null, cells = [], series = null,
    question = [[0, 0], [1, 0]];
  const packs = new Map(); // answers by table
  const say = (tag, className) => h(tag, { class: className });

  // ---- what stands on it ----
  const menu = (label, on) => h("select", { "aria-label": label, onchange: on });
  const tableMenu = menu("Table", () => choose(data.tables[tableMenu.selectedIndex])),
    menus = ["First property", "Second property"].map((label, i) =>
      menu(label, () => ask(i, menus[i]))
    );
  const truth = say("b", "true"), noun = say("span"), first = say("b"), chosen = say("i"),
    count = say("span"), low = say("b"), high = say("b"), right = say("b"),
    badge = say("span", "badge");
  const methods = h("fieldset", { class: "methods" }, h("legend", { class: "spoken" }, "Method"),
    BOTH.map(name =>
      h("label", {},
        h("input", { type: "radio", name: "method", value: name, checked: name === system,
          onchange: () => ((system = name), prepare(), address()) }),
        h("span", {}, name === "mwem" ? "MWEM" : "Automatic"))
    ));
  const hold = h("button", { type: "button", class: "hold",
    onclick: () => (moving ? stop() : ((moving = true), showHold(), breathe(STILL.slow))) },
    svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", {})));
  const funnel = trumpet({ on: index => (stop(), go(index)) }), errors = roundsChart(),
    maps = tableView({ ask: askCell }),
    hundred = svg("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" },
      Array.from({ length: 100 },
        (_, i) => svg("circle", { cx: (i % 10) + 0.5, cy: Math.floor(i / 10) + 0.5, r: 0.37 })));
  const id = newId(),
    budget = h("input", { id, type: "range", min: 0, step: 1, "aria-label": "Privacy budget ε",
      oninput: () => (stop(), go(Number(budget.value))) });
  const marks = h("div", { class: "marks", "aria-hidden": "true" });
  const worst = say("b"), mean = say("b"), unit = say("span"), note = say("p", "number"),
    lost = h("p", { class: "lost", role: "alert" });
  const key = (kind, ...words) =>
    h("span", { class: `key ${kind}` }, h("i", { class: kind }), words);
  const actions = [], action = (text, name, primary) => {
    const on = () =>
      send({ table: table?.title ?? "", epsilon: data.epsilons[epsilon], pair: question.map(([a]) =>
        table?.attributes[a].name ?? ""
      ) }, name);
    return actions[actions.push(button(text, on, { primary })) - 1];
  };
  root.append(
    h("div", { class: "front" },
      h("header", {}, h("h1", {}, "What does privacy cost?"), badge,
        action("Use my own table", "own")), lost,
      h("p", { class: "question" }, "In ", h("span", {}, tableMenu, ","), "how many ",
        h("span", {}, menus[0]), "and ", h("span", {}, menus[1], "?")),
      h("div", { class: "columns" },
        h("div", {},
          h("div", { class: "facts" }, h("p", { class: "truth" }, "truth ", truth, " ", noun),
            h("p", { class: "one" }, "a run at ε = ", chosen, " says ", first),
            h("p", { class: "all" }, count, ` of ${RUNS} runs say `, low, " to ", high), methods),
          funnel.element,
          h("div", { class: "budget" }, h("label", { for: id }, "ε"), hold, budget, marks)),
        h("section", { class: "promise" }, h("h2", {}, "What privacy keeps"),
          h("p", {},
            "Whoever sees one run can be right about whether your record was counted in at most"),
          h("div", {}, h("p", {}, right, " of 100 cases."), hundred,
            h("p", { class: "coin" }, "A coin: 50.")), note)),
      h("div", { class: "columns low" }, maps.element,
        h("div", { class: "errors" },
          h("header", {}, h("h2", {}, "Error by round"), action("▶ Watch it learn", "watch", true)),
          h("p", { class: "legend" }, unit, key("max", "worst ", worst),
            key("mean", "mean ", mean)), errors.element))),
  );

  // ---- the question ----
  const name = a => table.attributes[a].name;
  const condition = ([a, i]) => `${name(a)} is ${table.attributes[a].values[i].label}`;
  async function choose(next, wanted = "") {
    tableMenu.selectedIndex = data.tables.indexOf(next);
    try {
      if (!packs.has(next.title)) packs.set(next.title, await unpacked(next));
    } catch (error) {
      lost.textContent = `The answers of ${next.name} did not load. Load the page again.`;
      return console.error(error);
    }
    if (tableMenu.selectedIndex !== data.tables.indexOf(next)) return; // another one was chosen meanwhile
    lost.textContent = "";
    table = next;
    answers = answersOf(packs.get(next.title), next.attributes.map(each => each.values.length),
      data.epsilons);
    const all = table.attributes.flatMap(({ values }, a) => values.map((_, i) => [a, i]));
    const found = wanted.split(" and ").map(text => all.find(pair => condition(pair) === text));
    question = found.length === 2 && found.every(Boolean) && found[0][0] !== found[1][0] ? found
      : next.start;
    badge.textContent = next.badge;
    noun.textContent = unit.textContent = next.noun;
    note.textContent = `The number of ${next.noun}, ${whole(next.n)}, is public.`;
    showQuestion();
  }
  function ask(which, { value }) {
    const next = value.split(" ").map(Number), other = 1 - which;
    if (next[0] === question[other][0]) question[other] = question[which]; // two values of one attribute change places
    question[which] = next;
    showQuestion();
  }
  function askCell({ x, y }) {
    const [a, b] = [[maps.rows, x[0]], [maps.columns, y[0]]].map(([{ attribute, groups }, i]) => {
      const asked = question.find(([each]) => each === attribute)[1], { of } = groups[i];
      return [attribute, of.includes(asked) ? asked : of[0]];
    });
    question = question[0][0] === a[0] ? [a, b] : [b, a];
    stop();
    showQuestion();
  }
  function showQuestion() {
    menus.forEach((each, i) => {
      each.replaceChildren(
        ...table.attributes.map(({ name, values }, a) =>
          h("optgroup", { label: name }, values.map(({ phrase }, v) =>
            h("option", { value: `${a} ${v}`, selected: String([a, v]) === String(question[i]) },
              phrase)
          ))
        ),
      );
    });
    fit();
    prepare();
    address();
  }
  function fit() { // each menu as wide as what is chosen
    for (const select of [tableMenu, ...menus]) {
      const pen = document.createElement("canvas").getContext("2d");
      ({ font: pen.font } = getComputedStyle(select));
      select.style.width = `${
        Math.ceil(pen.measureText(select.selectedOptions[0]?.text ?? "").width) + 24
      }px`;
    }
  }
  function address() {
    const { title } = table, asked = question.map(condition).join(" and ");
    if (data.addressed) {
      const query = new URLSearchParams({ table: title, how_many: asked,
        epsilon: data.epsilons[epsilon], ...(system === "mwem" ? {} : { method: "Automatic" }) });
      history.replaceState(history.state, "", `${location.origin}${location.pathname}?${query}`);
    }
  }

  // ---- what stays while ε moves ----
  function prepare() {
    const asked = [answers.cell(...question)],
      by = name => answers.all.map(e => answers.runs(name, asked, e));
    series = by(system);
    cells = cellsOf();
    truth.textContent = whole(answers.total(asked));
    first.style.minWidth = `${
      0.6 * Math.max(...BOTH.flatMap(by).map(([run]) => whole(run).length))
    }em`;
    const both = BOTH.map(by), beside = both[1 - BOTH.indexOf(system)];
    funnel.show({ truth: answers.total(asked), answers: series, beside, both, middle: START });
    layMarks();
    showMaps();
    showErrors();
    show();
  }
  // Values of an attribute that are drawn as one: the asked value always stands alone.
  function groupsOf([attribute, asked]) {
    const { values, groups } = table.attributes[attribute],
      single = i => ({ label: values[i].label, short: values[i].short, of: [i] });
    const all = values.length <= MOST_DOWN ? values.map((_, i) => single(i))
      : groups.flatMap(group => {
        const rest = group.of.filter(i => i !== asked);
        return rest.length === group.of.length || !rest.length ? [group]
          : [single(asked), rest.length > 1 ? { ...group, label: `${group.label}, rest`, of: rest }
            : single(rest[0])];
      });
    return { attribute, groups: all };
  }
  // The two sides of the table: the longer one down, unless only its names fit across.
  function cellsOf() {
    let [rows, columns] = question.map(groupsOf);
    if (rows.groups.length < columns.groups.length) [rows, columns] = [columns, rows];
    const room = (maps.element.clientWidth - 150) / 3,
      fits = ({ groups }) =>
        6.6 * Math.max(...groups.map(({ short }) => short.length)) < room / groups.length;
    if (!fits(columns) && fits(rows)) [rows, columns] = [columns, rows];
    Object.assign(maps, { rows, columns });
    return rows.groups.flatMap(row =>
      columns.groups.map(column =>
        row.of.flatMap(i =>
          column.of.map(j => answers.cell([rows.attribute, i], [columns.attribute, j]))
        )
      )
    );
  }
  function showMaps() {
    const { rows, columns } = maps,
      off = cells.map(each =>
        BOTH.map(name => answers.all.map(e => answers.off(name, each, e, 0)))
      ), totals = cells.map(answers.total);
    maps.off = answers.all.map(e => off.map(each => each[BOTH.indexOf(system)][e]));
    maps.show({
      table: { title: `${name(rows.attribute)} × ${name(columns.attribute)}`,
        x: rows.groups.map(({ label, short }) => (short.length > label.length ? short : label)),
        y: columns.groups.map(({ short }) => short),
        shape: [rows.groups.length, columns.groups.length], own: rows.groups.length },
      upright: true,
      truth: totals,
      top: Math.max(...totals.map((total, c) => total + Math.max(0, ...off[c].flat()))),
      spread: Math.max(1, ...off.flat(2).map(Math.abs)),
      height: room(196),
      unit: 1,
      text: whole,
      signed,
      names: ["run"],
      panels: ["truth", "estimate", "difference"].map(kind => ({ kind, system: 0, colour: kind,
        title: { truth: "Truth", estimate: "A run", difference: "Difference" }[kind] })
      ),
    });
    const place = ({ attribute, groups }) =>
      groups.findIndex(({ of }) => of.includes(question.find(([a]) => a === attribute)[1]));
    maps.select({ x: Array(2).fill(place(rows)), y: Array(2).fill(place(columns)) });
  }
  const room = least => least + Math.min(80, Math.max(0, innerHeight - 720) * 0.4);
  const line = ([max, mean]) =>
    [max, mean].map(errors => errors.map((error, i) => [i, Math.max(error, LEAST)]));
  function showErrors() {
    const all = answers.rounds.mwem.flat(2).concat(
      answers.rounds.automatic.flatMap(([max, mean]) => [max.at(-1), mean.at(-1)]),
    ).filter(error => error > 0);
    const last = Math.max(...answers.rounds.mwem.map(([max]) => max.length - 1));
    errors.lines = answers.rounds[system].map(line);
    errors.show({ xs: [0, last],
      ys: [Math.max(LEAST, Math.min(...all)) / 1.15, Math.max(...all) * 1.15], height: room(170),
      x: "round", whole: true, series: [{ kind: "max" }, { kind: "mean" }], levels: [],
      faint: system === "mwem"
        ? errors.lines.flatMap((
          [max, mean],
        ) => [{ kind: "max", points: max }, { kind: "mean", points: mean }]) : [] });
  }
  function layMarks() {
    const { left, wide } = funnel.columns(), n = data.epsilons.length, thumb = 22;
    budget.max = n - 1;
    budget.style.left = `${(left + (wide - thumb) / 2) / 16}rem`;
    budget.style.width = `${(wide * (n - 1) + thumb) / 16}rem`;
    const mark = (x, text, className) =>
      h("span", { class: className, style: `left: ${x / 16}rem` }, text);
    marks.replaceChildren(
      ...data.epsilons.map((value, e) =>
        mark(left + wide * (e + 0.5), short(value).replace(/^0/, ""))
      ),
      mark(left + wide / 2 - 11, "more private", "from"),
      mark(left + wide * (n - 0.5) + 11, "more accurate", "to"),
    );
  }

  // ---- what ε changes ----
  const guess = epsilon => 100 / (1 + Math.exp(-epsilon));
  // Rounded up, so that "at most" stays true.
  const rounded = value => (value > 99.9 ? Math.ceil(1000 * value - 1e-9) / 1000
    : Math.ceil(10 * value - 1e-9) / 10);
  function show() {
    const began = performance.now(), value = data.epsilons[epsilon],
      span = nineteen(series[epsilon]);
    const text = `${value}`.replace(/^0/, ""),
      said = `${span.count} of ${RUNS} runs say ${whole(span.low)} to ${whole(span.high)}`;
    for (const [element, words] of [[chosen, text], [first, whole(series[epsilon][0])], [count,
      span.count], [low, whole(span.low)], [high, whole(span.high)], [right,
      rounded(guess(value))]]) element.textContent = words;
    budget.value = epsilon;
    budget.setAttribute("aria-valuetext",
      `ε = ${text}: a run says ${whole(series[epsilon][0])}, ${said}`);
    budget.style.setProperty("--at", epsilon / (data.epsilons.length - 1));
    [...marks.children].forEach((mark, e) => mark.classList.toggle("on", e === epsilon));
    [...hundred.children].forEach((dot, i) =>
      dot.setAttribute("class", i < 50 ? "coin" : i < Math.round(guess(value)) ? "more" : "free")
    );
    funnel.element.setAttribute("aria-label",
      `${series.length} × ${RUNS} answers; truth ${truth.textContent}. At ε = ${text} ${said}`);
    maps.move([Array.from(cells, (each, c) => answers.total(each) + maps.off[epsilon][c])]);
    learn();
    root.dataset.redraw = (performance.now() - began).toFixed(2);
  }
  function learn() {
    const lines = errors.lines[epsilon], last = lines[0].length - 1,
      round = Math.round(drawn * last);
    errors.move({ x: round,
      label: `Error by round, in ${table.noun}: at most ${records(lines[0][round][1])}, ${
        records(lines[1][round][1])
      } in the mean`,
      lines: lines.map(points => ({ points: points.slice(0, round + 1), at: points[round] })) });
    [worst, mean].forEach((element, i) => (element.textContent = `${records(lines[i][round][1])}`));
    funnel.move(at, drawn);
  }
  function go(index) {
    if (index === epsilon) return;
    epsilon = index;
    show();
    const from = at, began = performance.now(), last = calm.matches ? 0 : moving ? BREATH : GLIDE;
    cancelAnimationFrame(go.frame);
    (function glide() {
      const share = last ? Math.min(1, (performance.now() - began) / last) : 1;
      at = from + (epsilon - from) * (share < 0.5 ? 2 * share ** 2 : 1 - 2 * (1 - share) ** 2);
      funnel.move(at, drawn);
      if (share < 1 && root.isConnected) go.frame = requestAnimationFrame(glide);
    })();
    if (!moving) address();
  }

  // ---- by itself, until it is touched ----
  function land() {
    showHold();
    if (!moving) return;
    const began = performance.now();
    (function play() {
      drawn = moving ? Math.min(1, (performance.now() - began) / LEARN) : 1;
      learn();
      if (drawn < 1 && root.isConnected) requestAnimationFrame(play);
      else if (moving) breathe(STILL.fast);
    })();
  }
  function breathe(rest, way = -1) {
    clearTimeout(timer);
    if (!moving || !root.isConnected) return;
    const lowest = rest === STILL.fast ? 2 : 0, last = data.epsilons.length - 1;
    if (epsilon + way < lowest || epsilon + way > last) {
      timer = setTimeout(breathe, STILL.end, STILL.slow, -way);
      return;
    }
    go(epsilon + way);
    timer = setTimeout(breathe, rest, rest, way);
  }
  function stop() {
    if (!moving) return;
    moving = false;
    drawn = 1;
    clearTimeout(timer);
    showHold();
    learn();
  }
  function showHold() {
    hold.setAttribute("aria-label", moving ? "Hold ε still" : "Let ε move by itself");
    hold.querySelector("path").setAttribute("d",
      moving ? "M4 3h3v10H4zM9 3h3v10H9z" : "M4 2.5v11L13.5 8z");
  }
  const touched = event => event.target.closest?.(".hold") || event.key === "Tab" || stop(),
    TOUCH = ["pointerdown", "keydown"];

  let width = 0;
  const watcher = new ResizeObserver(() => {
    if (!table || root.clientWidth === width) return;
    width = root.clientWidth;
    prepare();
  });
  async function update(next) {
    const fresh = !data;
    data = next;
    root.classList.toggle("present", next.present);
    for (const each of actions) each.hidden = !next.addressed; // nothing is behind a page in one file
    watcher.observe(root);
    for (const type of TOUCH) document.addEventListener(type, touched);
    if (!fresh) return;
    tableMenu.replaceChildren(...data.tables.map(({ name }) => h("option", {}, name)));
    const asked = data.asked ?? {};
    epsilon = at = data.epsilons.includes(asked.epsilon) ? data.epsilons.indexOf(asked.epsilon)
      : START;
    if (BOTH.includes(asked.system))
      methods.querySelector(`[value=${system = asked.system}]`).checked = true;
    moving &&= !asked.table;
    drawn = moving ? 0 : 1;
    await choose(data.tables.find(({ title }) => title === asked.table) ?? data.tables[0],
      asked.how_many);
    if (!table) return;
    document.fonts.ready.then(fit);
    root.dataset.ready = true;
    land();
  }
  return { update, leave() {
    for (const type of TOUCH) document.removeEventListener(type, touched);
    clearTimeout(timer);
    watcher.disconnect();
  } };
}
