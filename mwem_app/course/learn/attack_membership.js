// Was this person in the table? The attacker's ROC curve beside the most that ε allows, for a release and for its twin.
function make(root) {
  let data, at, side = 0;
  const percent = value => `${Math.round(100 * value)}%`;
  const curve = plot({ label: "Hits against false alarms",
    x: "says “she is in it” although she is not", y: "Says “she is in it”, and she is",
    height: 330 });
  const words = note();

  function draw() {
    const epsilon = data.epsilons[at], { hits, alarms, won } = data.sides[side].attacks[at],
      cap = data.caps[at];
    words.show(
      `The release says ε = ${epsilon}. The attacker wins ${
        percent(won)
      } of even bets; the promise allows ${percent(cap)}. ${
        won > data.limits[at] ? "The promise is broken." : "The promise holds."
      }`,
    );
    curve.show([{ name: "this attack", points: alarms.map((alarm, i) => [alarm, hits[i]]),
      colour: "var(--st-blue-color)" }, { name: "the most that ε allows",
      points: [[0, 0], [1 - cap, cap], [1, 1]], colour: "var(--soft)", dash: true }, {
      name: "a coin",
      points: [[0, 0], [1, 1]],
      colour: "color-mix(in srgb, var(--st-text-color) 40%, transparent)",
    }], { xs: [0, 1], ys: [0, 1], text: words.element.textContent });
  }
  return { update(next) {
    const first = !data;
    data = next;
    if (first) {
      at = data.start;
      const stated = slider({ label: "Stated ε", texts: data.epsilons.map(epsilon =>
        `ε = ${epsilon}`
      ), start: at, on: index => ((at = index), draw()) });
      const real = choices({ label: "Its noise", options: data.sides.map(({ name }) => name),
        on: index => ((side = index), draw()) });
      root.append(
        h("div", { class: "beside" },
          h("div", { class: "stack" }, stated.element, real.element, words.element), curve.element),
      );
    }
    draw();
  } };
}
