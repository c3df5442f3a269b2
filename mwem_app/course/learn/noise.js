function make(root) {
  let data, kind = 0, at = 0;
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
  return { update(next) {
    const first = !data;
    data = next;
    if (first) {
      at = data.start;
      place.append(
        h("div", { class: "beside" },
          slider({ label: "Privacy budget ε", texts: data.epsilons.map(String), start: at,
            on: index => ((at = index), draw()) }).element,
          choices({ label: "Noise", options: data.kinds.map(({ name }) => name),
            on: index => ((kind = index), draw()) }).element),
        strips.element,
        words.element,
      );
    }
    draw();
  } };
}
