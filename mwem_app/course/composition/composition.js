function composition(root, data) {
  let presses = [];
  const blue = "var(--st-blue-color)", violet = "var(--st-violet-color)",
    colours = [blue, violet, "color-mix(in srgb, var(--st-blue-color) 55%, var(--st-text-color))",
      "color-mix(in srgb, var(--st-violet-color) 55%, var(--st-text-color))"];
  const wallet = purse({ label: "Purse" }), words = note(),
    rows = h("div", { class: "stack questions" });
  const again = button("Start again", () => start()),
    reveal = button("Show the truth", () => draw(true));
  root.append(
    h("div", { class: "stack" }, wallet.element, rows,
      h("div", { class: "row" }, again, reveal, words.element)),
  );
  let asks = [];

  const spent = () => presses.reduce((sum, count) => sum + count, 0);
  const most = () => data.noise.length;
  function start() {
    presses = [3, 1, 0, 0]; // some answers to look at
    draw();
    say(0);
  }
  function ask(i) {
    presses[i] += 1;
    draw();
    say(i);
  }
  function say(i) {
    const count = presses[i], sum = `ε = ${short(count * data.each)}`;
    const planned = count > 1
      ? ` One answer at ${sum}, planned at the start, would have a mean noise of ${
        short(data.at_once[count - 1])
      }.` : "";
    const empty = spent() === most() ? " The purse is empty." : "";
    words.show(
      `${data.questions[i]}: ${short(data.means[i][count - 1])}, with a mean noise of ${
        short(data.noise[count - 1])
      }, after ${count} ${count > 1 ? "answers" : "answer"}, for ${sum}.${planned}${empty}`,
    );
  }
  function draw(truth = false) {
    const empty = spent() === most(), focused = asks.indexOf(root.getRootNode().activeElement);
    asks = data.questions.map((question, i) =>
      h("button", { type: "button", disabled: empty, onclick: () => ask(i),
        "aria-label": `Ask how many ${question}` }, `Ask (ε ${data.each})`)
    );
    rows.replaceChildren(...data.questions.map((question, i) => {
      const count = presses[i], mean = count && data.means[i][count - 1],
        noise = count && data.noise[count - 1];
      const said = count ? `${short(mean)} (noise ${short(noise)})` : "not asked";
      return h("div", { class: "question" }, h("b", {}, `How many ${question}?`),
        strip(mean, noise, count, truth ? data.truth[i] : null),
        h("output", {}, said, truth && h("small", {}, ` truth ${data.truth[i]}`)), asks[i]);
    }));
    reveal.hidden = !empty;
    wallet.show(
      presses.map((count, i) => ({ name: data.questions[i], amount: count * data.each,
        colour: colours[i] })
      ).filter(({ amount }) => amount),
      most() * data.each,
    );
    if (focused >= 0) asks[focused].focus();
  }
  // From 0 to the whole class, or as far as an answer errs: a dot at the mean, its mean noise to each side, the truth.
  function strip(mean, noise, count, truth) {
    const ends = data.means.flatMap(
      row => [...row.map((each, i) => each - data.noise[i]),
        ...row.map((each, i) => each + data.noise[i])]
    );
    const at = scale([Math.min(0, ...ends), Math.max(data.total, ...ends)], [6, 294]);
    return svg("svg", { viewBox: "0 0 300 24", "aria-hidden": "true" },
      svg("line", { class: "grid", x1: 6, x2: 294, y1: 12, y2: 12 }), count > 0
      && svg("line", { x1: at(mean - noise), x2: at(mean + noise), y1: 12, y2: 12, stroke: blue,
        "stroke-width": 4, opacity: 0.5 }),
      count > 0 && svg("circle", { cx: at(mean), cy: 12, r: 5, fill: blue }), truth !== null
      && svg("line", { x1: at(truth), x2: at(truth), y1: 2, y2: 22, stroke: "currentColor",
        "stroke-width": 2 }));
  }
  start();
}

function composition_accounts(root, data) {
  let at = data.start;
  const chart = plot({ label: "ε of a transcript of T rounds by three accounts",
    x: "rounds T, each a selection and a measurement", y: "ε in all", height: 280 });
  const words = note();
  const colours = ["color-mix(in srgb, var(--st-text-color) 62%, var(--st-background-color))",
    "var(--st-violet-color)", "var(--st-blue-color)"];

  function draw() {
    const accounts = Object.entries(data.accounts).map(([name, values], i) => ({ name, values,
        colour: colours[i] })
      ), [sum] = accounts;
    const lines = accounts.map(({ name, values, colour }) => ({ name,
      points: values.map((value, i) => [i + 1, value]), colour })
    );
    const spots = accounts.map(({ values, colour }) => ({ points: [[at + 1, values[at]]], colour,
      spots: true })
    );
    const best = accounts.reduce((least,
      each) => (each.values[at] < least.values[at] ? each : least)
    );
    const said = accounts.map(({ name, values }) => `${name} says ε = ${short(values[at])}`).join(
      ", ",
    );
    const text = `T = ${at + 1}: ${said}.${
      accounts.length > 1 ? ` The least is ${best.name}'s.` : ""
    }`;
    chart.show([...lines, ...spots], { xs: [1, sum.values.length], ys: [0, sum.values.at(-1)],
      text });
    words.show(text);
  }
  root.append(
    h("div", { class: "stack" }, slider({ label: "T", texts: data.accounts["the sum"].map((_, i) =>
      String(i + 1)
    ), start: at, on: index => ((at = index), draw()) }).element, chart.element, words.element),
  );
  draw();
  return next => ((data = next), draw());
}

const DRAWINGS = { composition, composition_accounts };
