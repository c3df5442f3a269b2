// A small table of counts as pairs of bars: what is (B) beside what stands for it (A), cell by cell, row by row.
function cells({ rows, columns, names, colours }) {
  const legend = h("div", { class: "legend" },
    keys(names.map((name, i) => ({ name, colour: colours[i] }))));
  const places = rows.flatMap(row =>
    columns.map(column => {
      const bars = names.map((_, i) => h("i", { style: `--colour: ${colours[i]}` })),
        counts = names.map(() => h("span", {}));
      const element = h("div", { class: "cell", role: "img" }, h("div", { class: "pair" }, bars),
        h("div", { class: "counts", "aria-hidden": "true" }, counts));
      return { name: `${row}, ${column}`, element, bars, counts };
    })
  );
  const heads = columns.map(column => h("span", { class: "head" }, column));
  const body = rows.flatMap((row,
    r) => [h("b", { class: "side" }, row),
    ...places.slice(r * columns.length, (r + 1) * columns.length).map(place => place.element)]
  );
  const grid = h("div", { class: "cells", style: `--columns: ${columns.length}` },
    h("span", { class: "side" }), heads, body);
  // `tables`: for each name, the counts of all cells. Cells in `lit`, a list of truth values, are framed.
  function show(tables, { most = Math.max(...tables.flat()), lit = [] } = {}) {
    places.forEach(({ name, element, bars, counts }, x) => {
      tables.forEach((table, i) => {
        bars[i].style.height = `${(100 * table[x]) / most}%`;
        counts[i].textContent = Math.round(table[x]);
      });
      element.classList.toggle("lit", Boolean(lit[x]));
      element.setAttribute("aria-label",
        `${name}: ${names.map((each, i) => `${each} ${Math.round(tables[i][x])}`).join(", ")}`);
    });
  }
  return { element: h("figure", { class: "stack" }, legend, grid), show };
}
