// How many rounds?: a curve to draw, and then the measured one with the bests of theory.
// % of the records: the chart's top, a key's step, and the range with the bound
const HIGH = 25, STEP = 0.5, WIDEST = [0.3, 400];
const ROW = 17; // between labels at the top of the chart

function rounds(root, data, send) {
  let touched = false, e = data.start, wide = false;
  const place = h("div", { class: "stack" }), words = note(), again = h("div", { class: "row" });
  const lock = button("Lock in my curve", () => send({ drawn: [...own.values] }), {
    primary: true,
  });
  root.append(place);

  const locked = () => Boolean(data.curves), mine = () => e === data.start;
  const own = sketch({ label: "Largest error by number of rounds",
    what: "Largest error, % of the students", x: "rounds T", positions: data.rounds,
    names: data.rounds.map(T => `Your error after ${T} ${T > 1 ? "rounds" : "round"}`), high: HIGH,
    step: STEP, unit: "%", isOpen: () => !locked(), on: touch });

  function chart() {
    const high = locked() ? Math.max(HIGH, 5 * Math.ceil(20 * Math.max(...data.curves[e].high)))
      : HIGH;
    own.show(lines(), { range: wide ? WIDEST : [0, high], log: wide, over: locked() ? marks
      : undefined, open: !locked() || (mine() && !wide) });
  }
  function lines() {
    const curve = data.curves?.[e], all = value => data.rounds.map(() => value),
      of100 = values => values.map(value => 100 * value);
    return [{ name: "uniform, no rounds", values: all(100 * data.uniform), colour: "var(--soft)",
      dash: true }, curve
      && { name: `measured, ${data.seeds} runs`, values: of100(curve.mean),
        band: curve.low.map((low, i) => [100 * low, 100 * curve.high[i]]),
        colour: "var(--st-blue-color)" }, curve && wide && curve.bound.some(share => share < 1)
      && { name: data.theorem, values: curve.bound.map(share => (share < 1 ? 100 * share : null)),
        colour: "var(--st-red-color)", dash: true }, (!curve || mine())
      && { name: "your curve", values: own.values, colour: "var(--st-violet-color)" }].filter(
        Boolean,
      );
  }
  // Numbers of rounds, also between the columns; beyond the last one they stand at the edge.
  function marks({ column, edge, foot }) {
    const { best, theorem, promise, adaptive } = data.curves[e], last = data.rounds.at(-1);
    function where(T) {
      const i = data.rounds.findIndex(each => each >= T);
      if (i < 1) return i ? edge : column(0);
      const [low, next] = [data.rounds[i - 1], data.rounds[i]];
      return column(i - 1 + (T - low) / (next - low));
    }
    return [["best", best, "var(--st-blue-color)"],
      promise < 1 && ["theorem", theorem, "var(--st-red-color)"], ["adaptive", adaptive,
      "var(--soft)"]].filter(Boolean).map(([name, T, colour], i) => {
        const x = where(T), y = BOX.top + ROW * i, left = x > edge / 2;
        return svg("g", { class: "mark" },
          svg("line", { x1: x, x2: x, y1: y, y2: foot, stroke: colour }),
          svg("text", { x: x + (left ? -6 : 6), y: y + 11, "text-anchor": left ? "end" : "start" },
            `${name} T = ${short(T)}${T > last ? " →" : ""}`));
      });
  }

  function touch() {
    touched = true;
    lock.disabled = false;
    chart();
  }

  // ---- in words ----
  function verdict() {
    const { best, theorem, promise, adaptive, mean, adaptive_error } = data.curves[e],
      least = Math.min(...mean), percent = share => `${short(100 * share)}%`;
    const near = mean.reduce((sum, share, i) => sum + Math.abs(100 * share - own.values[i]), 0)
        / mean.length, lowest = data.rounds[own.values.indexOf(Math.min(...own.values))];
    const yours = mine()
      ? ` Your curve is lowest at ${lowest}, and ${short(near)} points off on average.` : "";
    const theory = promise < 1
      ? `Theorem 2.3 says T = ${theorem}${
        theorem > data.queries ? ", more than there are cells," : ""
      } and promises at most ${percent(promise)}.`
      : `Theorem 2.3 promises nothing: its bound is above 100% at every T.`;
    return `At ε = ${data.epsilons[e]} the best is T = ${best}, with ${
      percent(least)
    }; uniform has ${percent(data.uniform)}.${yours} ${theory} Adaptive T ends at ${
      short(adaptive)
    }, with ${percent(adaptive_error)}.`;
  }

  function draw() {
    chart();
    words.show(locked() ? verdict()
      : "Drag the points, or draw through the chart in one stroke. Then lock it in.");
  }

  own.set(data.rounds.map(() => Math.round(200 * data.uniform) / 2));
  function show() {
    own.set(data.drawn ?? own.values);
    lock.disabled = !touched;
    again.replaceChildren(...(locked()
      ? [
        slider({ label: "ε", texts: data.epsilons.map(String), start: e,
          on: index => ((e = index), draw()) }).element,
        choices({ label: "Show", options: ["Errors", "With the theorem’s bound"],
          start: wide ? 1 : 0, on: index => ((wide = index === 1), draw()) }).element,
      ] : [lock]));
    draw();
  }
  place.append(again, own.element, words.element);
  show();
  return next => {
    const before = locked();
    data = next;
    if (locked() && !before) show();
  };
}

// What T rounds make of a budget: two slices each, the cells that they ask about, and the noise of each answer.
function rounds_slices(root, data) {
  let at = data.rounds.indexOf(4);
  const budget = purse({ label: "Purse" }), words = note();
  const asked = meter({ label: "Cells asked about", colour: "var(--st-violet-color)",
    most: data.queries });
  const noise = meter({
    label: `Noise of an answer; the whole bar is ${
      short(100 * data.uniform)
    }%, the largest error of the uniform table`,
    colour: "var(--st-red-color)",
    most: data.uniform,
  });

  function draw() {
    const T = data.rounds[at], slice = data.epsilon / (2 * T), amount = data.noise[at],
      share = amount / data.n, percent = `${short(100 * share)}%`;
    budget.show(slices(T, slice, slice), data.epsilon);
    asked.show(T, `${T} of ${data.queries}`);
    noise.show(share, `${short(amount)} students, ${percent}`);
    words.show(
      `${T} ${T > 1 ? "rounds" : "round"}: ${
        data.queries - T
      } cells are never asked about, and an answer is off by ${percent} of the students on average${
        share > data.uniform ? ", more than the uniform table" : ""
      }.`,
    );
  }
  root.append(
    h("div", { class: "stack" },
      slider({ label: "Rounds T", texts: data.rounds.map(String), start: at,
        on: index => ((at = index), draw()) }).element, budget.element, asked.element,
      noise.element, words.element),
  );
  draw();
}

const DRAWINGS = { rounds, rounds_slices };
