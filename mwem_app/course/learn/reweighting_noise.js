// The same loop with noisy measurements: Ψ round by round, and what its law promises, for every ε and several draws.
function make(root) {
  return { update(data) {
    if (!root.children.length) root.append(h("div", { class: "stack" }, noisy(data)));
  } };
}

function noisy({ epsilons, start, rounds, potentials, promised, missed }) {
  let at = start, draw = 0;
  const curve = plot({ label: "Ψ with noisy measurements", x: "updates", y: "How far A is from B",
      height: 280 }), said = h("p", {}), spoken = note();
  const top = 1.4 * potentials[0][0][0];
  const knob = slider({ label: "ε of each measurement",
    texts: epsilons.map(epsilon => `${epsilon} (noise ${short(1 / epsilon)})`), start, on: i => {
      at = i;
      show();
    } });
  const again = button("Draw the noise again", () => {
    draw = (draw + 1) % potentials.length;
    show();
    spoken.show(`Draw ${draw + 1} of ${potentials.length}.`);
  });
  function show() {
    const psi = potentials[draw][at], line = promised[draw][at],
      rises = psi.slice(1).filter((value, i) => value > psi[i]).length,
      broken = psi.some((value, i) => value > line[i] + 1e-9);
    curve.show([{ name: "Ψ", points: psi.map((value, i) => [i, value]),
      colour: "var(--st-blue-color)" }, { name: "promised: at most this",
      points: line.map((value, i) => [i, value]), colour: "var(--soft)", dash: true }], {
      xs: [0, rounds],
      ys: [0, top],
      text: `Ψ after each update: ${psi.map(value => value.toFixed(3)).join(", ")}`,
    });
    said.replaceChildren("The measurements missed by ",
      h("b", {}, missed[draw][at].map(value => Math.abs(value).toFixed(0)).join(", ")),
      ` students. Ψ rose in ${rises} of ${rounds} rounds${
        broken ? ", and the bound is broken!" : "; the bound held in all."
      }`);
  }
  show();
  return [knob.element, curve.element, said, h("div", { class: "row" }, again, spoken.element)];
}
