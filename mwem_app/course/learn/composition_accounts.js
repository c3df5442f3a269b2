function make(root) {
  let data, at = null;
  const chart = plot({ label: "ε of a transcript of T rounds by three accounts",
    x: "rounds T, each a selection and a measurement", y: "ε in all", height: 280 });
  const words = note(), place = h("div", { class: "stack" });
  root.append(place);
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
  return { update(next) {
    const first = !data;
    data = next;
    if (first) {
      at = data.start;
      place.append(
        slider({ label: "T", texts: data.accounts["the sum"].map((_, i) => String(i + 1)),
          start: at, on: index => ((at = index), draw()) }).element,
        chart.element,
        words.element,
      );
    }
    draw();
  } };
}
