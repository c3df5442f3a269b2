function noise(root, data) {
  let kind = 0, at = data.start;
  const plain = "color-mix(in srgb, var(--st-text-color) 62%, var(--st-background-color))",
    blue = "var(--st-blue-color)";
  const strips = dots({ label: "100 publications with you and 100 without you",
    x: "published count of coffee drinkers" });
  const strip = odds({
    label: "Of 100 publications, those nearer to the count with you than to the count without you:",
  });
  const words = note();
  const place = h("div", { class: "stack" });
  root.append(place);
  const REACH = 2.2; // the axis shows this many times the mean noise, and never less than 6 records on a side

  function draw() {
    const { truth, closed } = data, { dots: values, noise, chances } = data.kinds[kind],
      epsilon = data.epsilons[at], hidden = at === closed;
    const reach = Math.max(6, Math.min(24, REACH * noise[at]));
    strips.show([{ name: `without you: ${truth}`, values: hidden ? [] : values[at][0], truth,
      colour: plain }, { name: `with you: ${truth + 1}`, values: hidden ? [] : values[at][1],
      truth: truth + 1, colour: blue }], [truth + 0.5 - reach, truth + 0.5 + reach], {
      text: hidden ? `The publications at ε = ${epsilon} are not shown yet.`
        : `At ε = ${epsilon} the publications spread by ${
          short(noise[at])
        } records on average around ${truth} and ${truth + 1}.`,
    });
    if (chances) strip.show(100 * chances[at], 100 * (1 - chances[at])); // they answer the prediction
    chances ? strips.element.after(strip.element) : strip.element.remove();
    words.show(hidden
      ? `ε = ${epsilon}: you will predict what these show. They appear once your prediction is locked in.`
      : `ε = ${epsilon}: the noise is ${short(noise[at])} on average.${
        chances
          ? ` A guesser who sees one publication is right ${
            Math.round(100 * chances[at])
          }% of the time; a coin, 50%.` : ""
      }`);
  }
  place.append(
    h("div", { class: "beside" },
      slider({ label: "Privacy budget ε", texts: data.epsilons.map(String), start: at,
        on: index => ((at = index), draw()) }).element,
      choices({ label: "Noise", options: data.kinds.map(({ name }) => name),
        on: index => ((kind = index), draw()) }).element),
    strips.element,
    words.element,
  );
  draw();
  return next => ((data = next), draw());
}

function noise_bet(root, data) {
  let at = data.start, round, won;
  const strip = dots({ label: "One publication", x: "published count", strip: 60, wide: 14 });
  const score = note(), result = note();
  const withYou = button("With you", () => bet(1)), without = button("Without you", () => bet(0)),
    again = button("Start again", () => start());
  const place = h("div", { class: "stack card" });
  root.append(place);

  function start() {
    (round = 0), (won = 0);
    result.show("");
    draw();
  }
  function draw() {
    const { truth, values, sides, chances, caps } = data, over = round === sides.length;
    withYou.disabled = without.disabled = over;
    const value = values[at][Math.min(round, sides.length - 1)],
      reach = Math.max(6, ...values[at].map(each => Math.abs(each - truth)));
    strip.show([{
      name: over ? "" : `Publication ${round + 1} of ${sides.length}: ${value.toFixed(1)}`,
      values: over ? [] : [value],
      truth: truth + 0.5,
      colour: "currentColor",
    }], [truth - reach, truth + 1 + reach], { text: over ? "All publications are shown."
      : `A publication of ${value.toFixed(1)}. Without you the count is ${truth}, with you ${
        truth + 1
      }.` });
    const share = round ? ` (${Math.round((100 * won) / round)}%)` : "";
    score.show(
      `You won ${won} of ${round}${share}. In the long run the best guesser wins ${
        Math.round(100 * chances[at])
      }%; the guarantee allows nobody more than ${Math.round(100 * caps[at])}%.`,
    );
  }
  function bet(side) {
    const truly = data.sides[round];
    won += side === truly;
    round += 1;
    result.show(
      `${side === truly ? "Won" : "Lost"}: it was drawn ${truly ? "with" : "without"} you.`,
    );
    draw();
  }
  place.append(
    slider({ label: "Privacy budget ε", texts: data.epsilons.map(String), start: at,
      on: index => ((at = index), start()) }).element,
    strip.element,
    h("div", { class: "row" }, withYou, without, again),
    result.element,
    score.element,
  );
  start();
  return next => ((data = next), draw());
}

function noise_mean(root, data) {
  let asked = data.step;
  const blue = "var(--st-blue-color)";
  const chart = plot({ label: "Mean of the answers", x: "answers", y: "Mean of the answers",
    height: 260 });
  const wallet = purse({ label: "Budget" }), words = note();
  const more = button("Ask ten more", () => ask(data.step), { primary: true }),
    again = button("Start again", () => ((asked = data.step), draw()));
  root.append(
    h("div", { class: "stack" }, h("div", { class: "row" }, more, again), chart.element,
      wallet.element, words.element),
  );

  function ask(count) {
    asked = Math.min(data.answers.length, asked + count);
    draw();
  }
  function draw() {
    const { answers, truth, each } = data, total = answers.length * each;
    let sum = 0;
    const means = answers.slice(0, asked).map((answer, i) => [i + 1, (sum += answer) / (i + 1)]),
      last = means.at(-1)[1];
    const level = value => [[1, value], [answers.length, value]];
    chart.show([{ name: "mean so far", points: means, colour: blue }, {
      name: `with you: ${truth + 1}`,
      points: level(truth + 1),
      colour: blue,
      dash: true,
    }, { name: `without you: ${truth}`, points: level(truth),
      colour: "color-mix(in srgb, var(--st-text-color) 62%, var(--st-background-color))",
      dash: true }], { xs: [1, answers.length], ys: [truth - 5.5, truth + 6.5],
      text: `After ${asked} answers the mean is ${last.toFixed(1)}.` });
    wallet.show([{ name: `${asked} answers`, amount: asked * each, colour: blue }], total);
    const cap = data.caps?.[asked / data.step - 1]; // they answer the prediction above
    more.disabled = asked === answers.length;
    words.show(
      `After ${asked} answers at ε = ${each} each, ε = ${
        short(asked * each)
      } is spent. The mean is ${last.toFixed(1)}. A guess by the mean is right ${
        Math.round(100 * data.chances[asked / data.step - 1])
      }% of the time${
        cap
          ? `, and the guarantee allows a guesser to be right ${
            cap > 0.995 ? "almost always" : `${Math.round(100 * cap)}% of the time`
          }` : ""
      }.`,
    );
  }
  draw();
  return next => ((data = next), draw());
}

// Neighbours of a real table: leave a student out, and see which counts move. All counts come from the core.
function noise_neighbours(root, { students, tables, start }) {
  const counted = tables.map(counts), words = note();
  const drag = slider({ label: "Leave out",
    texts: ["nobody", ...students.map((_, i) => `student ${i + 1}`)], start, on: show });
  function show(out) {
    const moved = counted.map(table => table.show(out));
    const values = out ? students[out - 1].join(", ") : "";
    words.show(
      out ? `Student ${out} (${values}): in each table one count falls by 1, and no other moves. `
        + `All three tables together move by ${sumOf(moved)}.`
        : `The counts of all ${sumOf(tables[0].counts[0])} students.`,
    );
  }
  show(start);
  root.append(
    h("div", { class: "stack neighbours" }, drag.element,
      h("div", { class: "tables" }, counted.map(({ element }) => element)), words.element),
  );
}

// A table of counts; `show` returns by how much all of its counts together moved.
function counts({ title, rows, columns, counts: all }) {
  const places = all[0].map(() => h("td", {})), moves = h("b", {});
  const lines = rows.map((row, r) =>
    h("tr", {}, row && h("th", { scope: "row" }, row),
      places.slice(r * columns.length, (r + 1) * columns.length))
  );
  const head = h("thead", {},
    h("tr", {}, rows.length > 1 && h("td", {}),
      columns.map(column => h("th", { scope: "col" }, column))));
  const element = h("div", {},
    h("table", {}, h("caption", {}, title, ": moves by ", moves), head, h("tbody", {}, lines)));
  function show(at) {
    const moved = all[at].map((count, x) => count - all[0][x]);
    places.forEach((place, x) => {
      place.className = moved[x] ? "moved" : "";
      place.replaceChildren(String(all[at][x]), moved[x] ? h("small", {}, `−${-moved[x]}`) : "");
    });
    moves.textContent = sumOf(moved.map(Math.abs));
    return sumOf(moved.map(Math.abs));
  }
  return { element, show };
}

const DRAWINGS = { noise, noise_bet, noise_mean, noise_neighbours };
