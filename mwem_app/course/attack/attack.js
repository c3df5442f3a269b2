function attack(root, data) {
  const place = h("div", { class: "stack attack" });
  root.append(place);
  ({ exact, noisy })[data.scene](place, data);
}

const word = bit => (bit === null ? "?" : bit ? "yes" : "no");

// Counts over groups, answered exactly: tap the students of a group, ask, and see whose answers are now known.
function exact(place, { names, smallest, greedy, secret, first }) {
  let group = names.map(() => 0), groups = first;
  const students = names.map((name, i) => student(name, () => ((group[i] = 1 - group[i]), draw())));
  const ask = button("", () => ((groups = [...groups, [...group]]), update()), { primary: true }),
    again = button("Start again", () => ((group = group.map(() => 0)), (groups = first), update()));
  const asked = h("ol", { class: "asked" }), words = note();
  place.append(
    h("div", { class: "students", role: "group", "aria-label": "The group to ask about" },
      students.map(({ element }) => element)),
    h("div", { class: "row" }, ask, again),
    words.element,
    asked,
  );

  function draw() {
    const size = group.reduce((sum, bit) => sum + bit, 0), small = size < smallest;
    students.forEach(({ element }, i) => element.setAttribute("aria-pressed", !!group[i]));
    ask.textContent = small
      ? `Tap ${smallest - size} more ${smallest - size === 1 ? "student" : "students"}`
      : `How many of these ${size} said yes?`;
    ask.disabled = small;
  }
  function update() {
    const { answers, known, left } = givenAway(secret, groups);
    students.forEach(({ show }, i) => show(word(known[i]), known[i] === null ? "open" : "known"));
    asked.replaceChildren(...groups.map((group, k) => {
      const members = names.filter((_, i) => group[i]);
      return h("li", {},
        h("span", { class: "members", role: "img", "aria-label": members.join(", ") },
          names.map((name, i) => h("i", { class: group[i] ? "in" : null }, name[0]))),
        h("span", {}, `${answers[k]} of ${members.length} said yes`));
    }));
    words.show(left === 1
      ? `All eight are known after ${groups.length} questions. `
        + `An attacker who always asks what tells most needs ${greedy}.`
      : `${groups.length} questions asked: of the ${
        2 ** names.length
      } ways in which eight students can have answered, ${left} are left.`);
    draw();
  }
  update();
}

// The same attack on noisy counts: drag ε, and see how many bits it finds.
function noisy(place, { names, epsilons, bits, guess, share, cap, scale, start }) {
  const students = names.map(name => student(name)), words = note();
  const curve = plot({ label: "Share of bits found against ε", x: "ε, for all answers together",
    y: "Share of secrets found", height: 230 });
  const drag = slider({ label: "ε", texts: epsilons.map(epsilon => `ε = ${epsilon}`), start,
    on: draw });
  place.append(drag.element,
    h("div", { class: "students" }, students.map(({ element }) => element)), words.element,
    curve.element);
  const through = values => [[0, 0.5], ...epsilons.map((epsilon, i) => [epsilon, values[i]])],
    ends = [0, epsilons.at(-1)];
  function draw(at) {
    const right = guess[at].filter((bit, i) => bit === bits[i]).length,
      percent = value => `${Math.round(100 * value)}%`;
    students.forEach(({ show }, i) =>
      show(word(guess[at][i]), guess[at][i] === bits[i] ? "right" : "wrong")
    );
    words.show(
      `ε = ${epsilons[at]}: each count is off by about ${
        short(scale[at])
      }. The attack has ${right} of 8 right here, and ${percent(share[at])} over many classes.`,
    );
    curve.show([{ name: "this attack", points: through(share), colour: "var(--st-blue-color)" }, {
      name: "the most any attack can",
      points: through(cap),
      colour: "var(--soft)",
      dash: true,
    }, { name: "a coin", points: ends.map(end => [end, 0.5]),
      colour: "color-mix(in srgb, var(--st-text-color) 40%, transparent)" }, {
      points: [[epsilons[at], share[at]]],
      colour: "var(--st-blue-color)",
      spots: true,
    }], { xs: ends, ys: [0.4, 1],
      text: `At ε = ${epsilons[at]} the attack finds ${
        percent(share[at])
      } of the secrets; no attack can find more than ${percent(cap[at])}.` });
  }
  draw(drag.index);
}

// A student with what is known of the answer; with `on`, a button.
function student(name, on) {
  const mark = h("b", {}), verdict = h("span", { class: "verdict" });
  const element = h(on ? "button" : "div", { class: "student", type: on ? "button" : null,
    onclick: on ?? (() => {}) }, h("span", {}, name), mark, verdict);
  function show(text, state) {
    element.dataset.state = state;
    mark.textContent = text;
    verdict.textContent = { right: "✓ right", wrong: "✗ wrong" }[state] ?? "";
  }
  return { element, show };
}

// What exact answers for these groups give away: `consistent` and `known_bits` of attack_numbers.py in the browser.
function givenAway(secret, groups) {
  const counted = (bits, group) => sumOf(bits.map((bit, i) => bit * group[i])),
    answers = groups.map(group => counted(secret, group));
  const left = Array.from({ length: 2 ** secret.length },
    (_, k) => secret.map((_, i) => (k >> i) & 1)).filter(bits =>
      groups.every((group, k) => counted(bits, group) === answers[k])
    );
  const known = secret.map((bit, i) => (left.every(bits => bits[i] === bit) ? bit : null));
  return { answers, known, left: left.length };
}

const DRAWINGS = { attack };
