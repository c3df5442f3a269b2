// The line where anyone asks a question of the table, and its answer at both sliders. `on(text)`
// for a question that the table in view does not answer.
function questionLine({ on }) {
  const id = newId(), examples = h("datalist", { id: newId() }),
    input = h("input", { id, type: "text", list: examples.id, autocomplete: "off",
      spellcheck: "false", maxlength: 2000 });
  const form = h("form", { onsubmit: event => {
    event.preventDefault();
    if (input.value.trim()) on(input.value.trim());
  } }, h("label", { for: id }, "How many have"), input, examples,
    h("button", { type: "submit", class: "primary" }, "Ask"));
  const chips = h("div", { class: "chips" }), head = h("p", { class: "asked" }),
    verdict = h("p", { class: "verdict" }), range = h("p", { class: "soft" });
  const spoken = h("p", { class: "spoken", "aria-live": "polite" });
  const curve = curveByEpsilon(),
    answer = h("div", { class: "answer", hidden: true }, head, verdict, range);
  const element = h("section", { class: "question" }, h("div", {}, form, chips, answer, spoken),
    curve.element);
  let question = null, offered = "";

  function offer(texts) {
    if (texts.join("\n") === offered) return;
    offered = texts.join("\n");
    examples.replaceChildren(...texts.map(value => h("option", { value })));
    chips.replaceChildren(...texts.map(text =>
      button(text, () => {
        input.value = text;
        on(text);
      })
    ));
  }
  // A question has { text, place, truth, estimates: { run: [records after each round] }, intervals,
  // problem, waiting }.
  function show(next) {
    question = next;
    answer.hidden = !next;
    chips.hidden = Boolean(next);
    curve.element.hidden = !next;
    if (!next) return;
    input.value = next.text;
    const tag = !next.problem && !next.waiting && PLACES[next.place];
    head.replaceChildren(
      ...(tag ? [h("span", { class: `tag ${next.place}` }, tag[0]), ` ${tag[1]}`] : []),
    );
    curve.show(next);
    spoken.textContent = next.problem || "";
  }
  function move({ systems, shown, epsilon, epsilons, share, runs }) {
    if (!question) return;
    answer.classList.toggle("small", systems.length > 1 || Boolean(question.problem));
    curve.element.style.display = question.problem || question.waiting ? "none" : "";
    range.textContent = "";
    if (question.problem || question.waiting)
      return verdict.replaceChildren(question.problem || "Asking …");
    const { truth } = question;
    const lines = systems.map(({ name, title }, i) => {
      const value = shown[i] && question.estimates[idOf(name, epsilon)]?.[shown[i].round];
      if (value === undefined || value === null) return null;
      const off = truth === null ? null : Math.abs(value - truth);
      if (systems.length > 1)
        return h("span", { class: `system-${i}` }, i ? "; " : "", `${title} `,
          h("b", {}, whole(value)), off === null ? "" : ` (off by ${whole(off)})`);
      return h("span", {}, "Estimate ", h("b", {}, whole(value)), off === null ? "."
        : [", truth ", h("b", { class: "true" }, whole(truth)),
          `: off by ${whole(off)} of ${whole(truth)}.`]);
    });
    verdict.replaceChildren(
      ...(lines.some(Boolean) ? lines.filter(Boolean) : ["This run has no answer yet."]),
      ...(systems.length === 1 || !lines.some(Boolean) ? []
        : truth === null ? ["."] : ["; truth ", h("b", { class: "true" }, whole(truth)), "."]),
    );
    const interval = question.intervals?.[idOf(systems[0].name, epsilon)];
    if (interval)
      range.textContent = interval.refused ? `No interval: ${interval.refused}`
        : `Interval of the whole run: ${whole(interval.low)} to ${
          whole(interval.high)
        }. ${interval.rests_on}`;
    curve.move({ question, systems, epsilon, epsilons, share, runs });
  }
  return { element, offer, show, move, hint: text => input.setAttribute("placeholder", text) };
}

const PLACES = { inside: ["inside", "The workload has a table with all of its attributes."],
  next: ["next to it", "It has one attribute more than the workload's largest table."],
  far: ["far", "No table of the workload is near it: the model guesses."] };

// The estimate by ε, at the share of the budget that is shown, with the truth and the intervals of
// the whole runs.
function curveByEpsilon() {
  const WIDTH = 260, HEIGHT = 92, PLACE = { left: 44, right: 8, top: 8, bottom: 18 };
  const drawing = svg("svg", { role: "img", viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      "aria-label": "The estimate by ε" }), element = h("figure", { class: "curve" }, drawing);
  let range = [0, 1];
  function show({ estimates, truth, intervals }) {
    const ends = Object.values(intervals ?? {}).filter(each => !each.refused).flatMap((
      { low, high },
    ) => [low, high]);
    const values = [...Object.values(estimates ?? {}).flatMap(rows => [...rows]), ...ends,
      ...(truth === null ? [] : [truth])];
    range = values.length ? [Math.max(0, Math.min(...values)), Math.max(...values, 1)] : [0, 1];
  }
  function move({ question, systems, epsilon, epsilons, share, runs }) {
    const X = scale([0, epsilons.length - 1], [PLACE.left + 6, WIDTH - PLACE.right - 4]),
      Y = scale(range, [HEIGHT - PLACE.bottom, PLACE.top]);
    const lines = systems.map(({ name }, s) => {
      const points = epsilons.map((_, i) => {
        const run = runs.get(name, i),
          value = run && question.estimates[idOf(name, i)]?.[roundAt(run, share)];
        return value === undefined ? null : [i, value];
      }).filter(Boolean);
      const held = s ? []
        : epsilons.map((_, i) => question.intervals?.[idOf(name, i)]).map((each, i) =>
          each && !each.refused
          && svg("line", { class: "interval", x1: X(i), x2: X(i), y1: Y(each.low),
            y2: Y(each.high) })
        ).filter(Boolean);
      return svg("g", { class: `system-${s}` }, held,
        svg("path", { class: "line",
          d: points.map(([i, v], k) => `${k ? "L" : "M"}${X(i).toFixed(1)} ${Y(v).toFixed(1)}`)
            .join("") }),
        points.map(([i, v]) => svg("circle", { cx: X(i), cy: Y(v), r: i === epsilon ? 5 : 2.2 })));
    });
    drawing.replaceChildren(
      ...[range[0], range[1]].map((value, i) =>
        svg("text", { x: PLACE.left - 4, y: Y(value) + (i ? 8 : 2), "text-anchor": "end" },
          short(Math.round(value)))
      ),
      ...(question.truth === null ? []
        : [
          svg("line", { class: "outline", x1: PLACE.left, x2: WIDTH - PLACE.right,
            y1: Y(question.truth), y2: Y(question.truth) }),
        ]),
      svg("text", { x: X(0), y: HEIGHT - 3, "text-anchor": "middle" }, String(epsilons[0])),
      svg("text", { x: (X(0) + X(epsilons.length - 1)) / 2, y: HEIGHT - 3,
        "text-anchor": "middle" }, "estimate by ε"),
      svg("text", { x: X(epsilons.length - 1), y: HEIGHT - 3, "text-anchor": "end" },
        String(epsilons.at(-1))),
      ...lines,
    );
  }
  return { element, show, move };
}

// The question that a selection of a table asks: a condition on each attribute that it does not
// take whole. It is empty where no condition can be written for one of its labels.
function questionOf(table, { x, y }) {
  const sides = [[table.x_terms, x], ...(table.y ? [[table.y_terms, y]] : [])],
    taken = sides.map(([terms, [from, to]]) => terms.slice(from, to + 1));
  const narrow = taken.filter((terms, i) => terms.length < sides[i][0].length),
    parts = (narrow.length ? narrow : taken.slice(0, 1)).map(conditionOf);
  if (parts.includes("")) return "";
  return parts.map(part => (parts.length > 1 && / or /.test(part) ? `(${part})` : part)).join(
    " and ",
  );
}

// One condition for the labels of neighbours: an interval or a list where their own conditions
// allow.
function conditionOf(terms) {
  if (terms.length === 1 || terms.includes("")) return terms.length === 1 ? terms[0] : "";
  const ends = terms.map(endsOf);
  if (ends.every(Boolean))
    return [ends[0].low, ends.at(-1).high].filter(Boolean).map(end => `${ends[0].name} ${end}`)
      .join(" and ");
  const equal = terms.map(term => EQUAL.exec(term));
  if (equal.every(Boolean)) return `${equal[0][1]} in (${equal.map(match => match[2]).join(", ")})`;
  return terms.map(term => (/ (and|or) /.test(term) ? `(${term})` : term)).join(" or ");
}

const NAME = "(`[^`]+`|[^\\s`\"'()]+)", TEXT = "\"[^\"]*\"|'[^']*'";
const EQUAL = new RegExp(`^${NAME} == (${TEXT}|[^\\s"']+)$`),
  NUMBER = new RegExp(`^${NAME} == ([-+.\\deE]+)$`);
const INTERVAL = new RegExp(
  `^${NAME} >= (${TEXT}|[^\\s"']+)(?: and ${NAME} (<=? (?:${TEXT}|[^\\s"']+)))?$`,
);

// The ends of the condition of one ordered label, "" for an end that is open; null for any other
// condition.
function endsOf(term) {
  const number = NUMBER.exec(term), interval = INTERVAL.exec(term);
  if (number) return { name: number[1], low: `>= ${number[2]}`, high: `<= ${number[2]}` };
  return interval && { name: interval[1], low: `>= ${interval[2]}`, high: interval[4] ?? "" };
}
