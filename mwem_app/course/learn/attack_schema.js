// A schema that was read off a class: leave out a student, and see which values vanish from it.
function make(root) {
  let data;
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
  return { update(next) {
    const first = !data;
    data = next;
    if (!first) return;
    const drag = slider({ label: "Leave out", texts: ["nobody", ...data.names], start: data.start,
      on: draw });
    place.append(drag.element,
      h("div", { class: "beside" }, table,
        h("div", {}, h("p", {}, "The schema, published with the release"), schema)), words.element);
    draw(drag.index);
  } };
}
