// What each half of a round buys: the slices of the budget, the noise, the chance of the likeliest
// query, and the error.
function make(root) {
  let data, at, noise, chance;
  const budget = purse({ label: "Purse" }), words = note(), place = h("div", { class: "stack" });
  const chart = plot({ label: "Error by the share that measures",
    x: "share of a round that measures, %", y: "In a wrong cell, %", height: 200 });
  root.append(place);

  function draw() {
    const share = data.shares[at], round = data.epsilon / data.T, all = 100 * data.uniform,
      of100 = values => data.shares.map((each, i) => [100 * each, 100 * values[i]]);
    budget.show(slices(data.T, (1 - share) * round, share * round), data.epsilon);
    noise.show(data.noise[at], `${short(data.noise[at])} students`);
    chance.element.hidden = !data.chance;
    if (data.chance) chance.show(data.chance[at], `${Math.round(100 * data.chance[at])}%`);
    const text = `If ${Math.round(100 * share)}% of a round measures, ${
      short(100 * data.mean[at])
    }% of the students end in a wrong cell.`;
    chart.show([{ name: "uniform", points: [[10, all], [90, all]], colour: "var(--soft)",
      dash: true }, { name: `mean of ${data.seeds} runs`, points: of100(data.mean),
      band: data.shares.map((each, i) => [100 * each, 100 * data.low[i], 100 * data.high[i]]),
      colour: "var(--st-blue-color)" }, { points: [[100 * share, 100 * data.mean[at]]],
      colour: "var(--st-blue-color)", spots: true }], { xs: [10, 90], ys: [0, 1.1 * all], text });
    words.show(text);
  }
  return { update(next) {
    const first = !data;
    data = next;
    if (first) {
      at = data.shares.indexOf(0.5);
      noise = meter({ label: "Noise of an answer, on average", colour: "var(--st-red-color)",
        most: Math.max(...data.noise) });
      chance = meter({ label: "Round 1: chance of the likeliest query",
        colour: "var(--st-violet-color)", most: 0.5 });
      const drag = slider({ label: "Measures", texts: data.shares.map(share =>
        `${Math.round(100 * share)}%`
      ), start: at, on: index => ((at = index), draw()) });
      place.append(drag.element,
        h("div", { class: "beside" },
          h("div", { class: "stack" }, budget.element, noise.element, chance.element,
            words.element), chart.element));
    }
    draw();
  } };
}
