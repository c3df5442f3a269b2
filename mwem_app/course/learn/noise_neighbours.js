// Neighbours of a real table: leave a student out, and see which counts move. All counts come from the core.
function make(root) {
  return { update(data) {
    if (!root.children.length)
      root.append(h("div", { class: "stack neighbours" }, neighbours(data)));
  } };
}

function neighbours({ students, tables, start }) {
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
  return [drag.element, h("div", { class: "tables" }, counted.map(({ element }) => element)),
    words.element];
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
