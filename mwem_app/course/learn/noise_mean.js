function make(root) {
  let data, asked = 0;
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
  return { update(next) {
    data = next;
    if (!asked) asked = data.step;
    draw();
  } };
}
