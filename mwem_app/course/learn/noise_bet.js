function make(root) {
  let data, at, round, won;
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
  return { update(next) {
    const first = !data;
    data = next;
    if (!first) return draw();
    at = data.start;
    place.append(
      slider({ label: "Privacy budget ε", texts: data.epsilons.map(String), start: at,
        on: index => ((at = index), start()) }).element,
      strip.element,
      h("div", { class: "row" }, withYou, without, again),
      result.element,
      score.element,
    );
    start();
  } };
}
