// Was this person in the table? The attacker's ROC curve beside the most that ε allows, for a release and for its twin.
function attack_membership(root, data) {
  let at = data.start, side = 0;
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
  const stated = slider({ label: "Stated ε", texts: data.epsilons.map(epsilon => `ε = ${epsilon}`),
    start: at, on: index => ((at = index), draw()) });
  const real = choices({ label: "Its noise", options: data.sides.map(({ name }) => name),
    on: index => ((side = index), draw()) });
  root.append(
    h("div", { class: "beside" },
      h("div", { class: "stack" }, stated.element, real.element, words.element), curve.element),
  );
  draw();
}

// A schema that was read off a class: leave out a student, and see which values vanish from it.
function attack_schema(root, data) {
  const table = h("table", {}), schema = h("dl", { class: "schema" }), words = note(),
    place = h("div", { class: "stack attack-schema" });
  root.append(place);
  const capital = text => text[0].toUpperCase() + text.slice(1);

  function draw(at) {
    const out = at - 1, lost = out < 0 ? {} : data.lost[out], names = Object.keys(data.schema);
    table.replaceChildren(h("caption", {}, "The class, which nobody may see"),
      h("thead", {},
        h("tr", {}, ["name", ...names].map(name => h("th", { scope: "col" }, capital(name))))),
      h("tbody", {},
        data.rows.map((row, i) =>
          h("tr", { class: i === out ? "out" : null }, h("th", { scope: "row" }, data.names[i]),
            names.map(name => h("td", {}, row[name])))
        )));
    schema.replaceChildren(
      ...names.flatMap(
        name => [h("dt", {}, capital(name)), h("dd", {}, data.schema[name].map(value =>
          h("span", { class: lost[name]?.includes(value) ? "lost" : null }, value,
            lost[name]?.includes(value) ? h("small", {}, " is gone") : "")
        ))]
      ),
    );
    const gone = Object.entries(lost).flatMap(([name, values]) =>
      values.map(value => `${name} “${value}”`)
    );
    words.show(out < 0 ? "The schema of all eight. It was published before any noise was drawn."
      : gone.length
      ? `Without ${data.names[out]} the schema has no ${
        gone.join(" and no ")
      }. Seeing it there shows that ${data.names[out]} is in the class.`
      : `Without ${data.names[out]} the schema is the same.`);
  }
  const drag = slider({ label: "Leave out", texts: ["nobody", ...data.names], start: data.start,
    on: draw });
  place.append(drag.element,
    h("div", { class: "beside" }, table,
      h("div", {}, h("p", {}, "The schema, published with the release"), schema)), words.element);
  draw(drag.index);
}

// A seeded release: subtract the noise that each seed draws, and see when only whole numbers are left.
function attack_seed(root, data) {
  const table = h("table", {}), words = note(), place = h("div", { class: "stack attack-seed" });
  root.append(place);
  const amount = value =>
    (Math.abs(value - Math.round(value)) < 1e-6 ? String(Math.round(value)) : value.toFixed(2))
      .replace("-", "−");

  function draw(seed) {
    const whole = data.whole[seed],
      numbers = (name, values, kind) =>
        h("tr", { class: kind }, h("th", { scope: "row" }, name), values.map(value =>
          h("td", {}, amount(value))
        ));
    table.replaceChildren(
      h("caption", { class: "spoken" },
        "Published counts, and what is left without the noise of a seed"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, data.attribute), data.labels.map(label =>
        h("th", { scope: "col" }, label)
      ))),
      h("tbody", {}, numbers("published", data.released),
        numbers(`less the noise of seed ${seed}`, data.left[seed], whole ? "whole" : "")),
    );
    words.show(whole
      ? `Seed ${seed}: every count is a whole number. These are the exact counts, and the noise is undone.`
      : `Seed ${seed}: counts of students are whole numbers, and these are not. Try another seed.`);
  }
  const drag = slider({ label: "Seed", texts: data.left.map((_, seed) => `seed ${seed}`), start: 0,
    on: draw });
  place.append(drag.element, table, words.element);
  draw(0);
}

const DRAWINGS = { attack_membership, attack_schema, attack_seed };
