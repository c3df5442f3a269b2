// What T rounds make of a budget: two slices each, the cells that they ask about, and the noise of each answer.
function make(root) {
  let data, at, asked, noise;
  const budget = purse({ label: "Purse" }), words = note(), place = h("div", { class: "stack" });
  root.append(place);

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
  return { update(next) {
    if (data) return;
    data = next;
    at = data.rounds.indexOf(4);
    asked = meter({ label: "Cells asked about", colour: "var(--st-violet-color)",
      most: data.queries });
    noise = meter({
      label: `Noise of an answer; the whole bar is ${
        short(100 * data.uniform)
      }%, the largest error of the uniform table`,
      colour: "var(--st-red-color)",
      most: data.uniform,
    });
    place.append(
      slider({ label: "Rounds T", texts: data.rounds.map(String), start: at,
        on: index => ((at = index), draw()) }).element,
      budget.element,
      asked.element,
      noise.element,
      words.element,
    );
    draw();
  } };
}
