// Three sentences in large type: how far off, how much one person shows, how much is spent.
function sentences() {
  const off = h("p", {}), shows = h("p", {}), spent = h("p", {});
  const element = h("div", { class: "sentences" }, off, h("div", {}, shows, spent));

  function show({ systems, shown, n, epsilon, delta, share }) {
    const errors = shown.map(at =>
      at && at.run.mean && { mean: n * at.run.mean[at.round], max: n * at.run.max[at.round] }
    );
    off.hidden = !errors[0];
    off.classList.toggle("several", systems.length > 1);
    if (errors[0] && systems.length === 1)
      off.replaceChildren("A count is off by ", h("b", {}, records(errors[0].mean)),
        ` records on average, of ${whole(n)}; the worst by `, h("b", {}, records(errors[0].max)),
        ".");
    else if (errors[0])
      off.replaceChildren("A count is off by ", ...systems.flatMap(({ title }, i) => (errors[i]
        ? [i ? ", " : "", h("b", { class: `system-${i}` }, records(errors[i].mean)), ` (${title})`]
        : [])
      ), " records on average.");
    const right = rightAtMost(epsilon, delta), gone = right >= 0.99;
    shows.classList.toggle("gone", gone);
    shows.replaceChildren(
      "Whoever sees the whole run can be right about whether you are in it in at most ",
      h("b", {}, ofHundred(right)),
      " of 100 cases",
      gone ? ": this no longer protects you." : "; without it, in 50.",
    );
    spent.replaceChildren("ε ", h("b", {}, two(share * epsilon)), ` of ${two(epsilon)} is spent.`);
  }
  return { element, show };
}

const two = value => (value < 0.1 && value > 0 ? value.toPrecision(2) : value.toFixed(2));

// How often the best guesser is right, if a record is in the table or not with even chances: (e^ε +
// δ) / (1 + e^ε).
function rightAtMost(epsilon, delta) {
  return Math.min(1, (1 + delta * Math.exp(-epsilon)) / (1 + Math.exp(-epsilon)));
}

// A bound in percent, with as many digits as tell it from 50 and from 100.
function ofHundred(right) {
  let digits = right < 0.6 || right >= 0.99 ? 1 : 0;
  while (right < 1 && Number((100 * right).toFixed(digits)) >= 100 && digits < 6) digits++;
  return String(Number((100 * right).toFixed(digits)));
}

// What one person's presence shows: of 100 guesses, how many say that someone is in the table.
function presence() {
  const strip = odds({ label: "Guesses “you are in it”, at most" }),
    words = h("p", { class: "soft" });
  const element = h("section", { class: "presence" }, strip.element, words);
  function show(epsilon, delta) {
    const right = rightAtMost(epsilon, delta), ratio = Math.exp(epsilon);
    strip.show(100 * right, 100 * (1 - right));
    words.textContent = `Odds of at most ${
      ratio < 10 ? ratio.toFixed(ratio < 1.1 ? 2 : 1) : whole(ratio)
    } : 1${delta ? `, but for a probability of ${delta}` : ""}.`;
  }
  return { element, show };
}
