// What a phone can be asked: one question by coins, several questions, or the prediction of a lesson. Each maker gives
// its element and `update(now)`, which is called whenever the server has said what it knows.
const WORD = { true: "yes", false: "no" };

// Heads with this probability, from the browser's source of randomness for cryptography.
function heads(probability) {
  return crypto.getRandomValues(new Uint32Array(1))[0] < probability * 2 ** 32;
}

// The phone flips two coins, and only what they leave of the truth is sent.
function coins({ texts, first_coin, odds }, send) {
  let truth = null;
  const faces = h("div", { class: "coins" }), said = note(), spent = h("p", { class: "small" });
  const flip = button("Flip the coins and send", () => {
    const [tellTruth, coinSays] = [heads(first_coin), heads(1 / 2)],
      answer = tellTruth ? truth : coinSays;
    send([answer]);
    faces.replaceChildren(
      coin(tellTruth, "First coin",
        tellTruth ? "heads: the truth" : "tails: the second coin answers"),
      coin(coinSays, "Second coin",
        tellTruth ? "not needed" : `${coinSays ? "heads" : "tails"}: ${WORD[coinSays]}`, tellTruth),
    );
    close(`Sending ${WORD[answer]} …`);
  }, { primary: true });
  flip.disabled = true;
  const chosen = yesNo("Your true answer. It stays on this phone.", yes => {
    truth = yes;
    flip.disabled = false;
  });
  const ask = h("div", { class: "stack" }, chosen, flip);
  const element = h("section", { class: "stack" }, h("h1", {}, texts[0]), ask, faces, said.element,
    spent);
  function close(text) {
    ask.remove();
    truth = null;
    said.show(text);
  }
  function update({ sent, spent: sum }) {
    if (sent)
      close(`This phone sent ${WORD[sent[0]]}. Nobody can tell whether you said it or a coin did. `
        + `It moves the odds about you by a factor of ${odds} at most.`);
    spent.textContent = sum ? `All your answers by coins together cost ε = ${sum}.` : "";
  }
  return { element, update };
}

function coin(up, name, says, idle = false) {
  return h("figure", { class: idle ? "idle" : null },
    h("span", { class: "coin", "aria-hidden": "true" }, up ? "H" : "T"),
    h("figcaption", {}, h("b", {}, name), says));
}

// Several questions, whose answers are sent as they are.
function survey({ texts }, send) {
  const answers = texts.map(() => null), said = note(), fewest = document.body.dataset.fewest;
  const done = button(`Send all ${texts.length}`, () => {
    send(answers);
    close("Sending …");
  }, { primary: true });
  done.disabled = true;
  const asked = texts.map((text, i) =>
    yesNo(text, yes => {
      answers[i] = yes;
      done.disabled = answers.includes(null);
    })
  );
  const sharing = h("p", { class: "small" },
    "These answers leave your phone as they are, without a name. "
      + `The teacher sees shares of the class, and nothing before ${fewest} phones have answered.`);
  const ask = h("div", { class: "stack" }, sharing, asked, done), list = h("ul");
  const element = h("section", { class: "stack" }, h("h1", {}, `${texts.length} questions`), ask,
    list, said.element);
  function close(text) {
    ask.remove();
    said.show(text);
  }
  function update({ sent, closed }) {
    if (sent) {
      close("Your answers have arrived. The result is on the teacher's screen.");
      list.replaceChildren(...texts.map((text, i) => h("li", {}, text, h("b", {}, WORD[sent[i]]))));
    } else if (closed)
      close("The answers are closed: the result is on the teacher's screen. This phone sent none.");
  }
  return { element, update };
}

// The prediction of a lesson, and the way into it. A curve is drawn in the lesson itself.
function lesson({ path, title, asked }, send) {
  const said = note(), fewest = document.body.dataset.fewest;
  const link = h("a", { href: `learn?lesson=${encodeURIComponent(path)}` }, `open ${title}`);
  const shared =
    `Predictions are sent without a name. The teacher sees them as bars, once ${fewest} have arrived.`;
  const about = h("p", {}, "The lesson is on the teacher's screen, and here: ", link);
  let ask = h("p", {}, "It asks you to draw your prediction: open it.");
  if (asked) {
    let value = asked.options ? null : asked.start;
    const go = button("Lock in", () => {
      send(value);
      close(value, "Sending");
    }, { primary: true });
    go.disabled = value === null;
    const choose = chosen => {
      value = chosen;
      go.disabled = false;
    };
    const answer = asked.options ? oneOf(asked, choose) : number(asked, choose);
    ask = h("div", { class: "stack" }, h("p", {}, h("b", {}, "Predict first.")), answer, go);
  }
  const element = h("section", { class: "stack" }, h("h1", {}, title), about, ask, said.element,
    h("p", { class: "small" }, shared));
  function close(value, doing) {
    ask.remove();
    said.show(`${doing}: ${value}.`);
  }
  return { element, update({ sent }) {
    if (sent !== null) close(sent, "You predicted");
  } };
}

function oneOf({ question, options }, on) {
  const element = choices({ label: question, options, start: -1, on: i => on(options[i]) }).element;
  element.classList.add("list");
  return element;
}

function number({ question, low, high, start }, on) {
  const texts = Array.from({ length: high - low + 1 }, (_, i) => String(low + i));
  return slider({ label: question, texts, start: start - low, on: i => on(low + i) }).element;
}

function yesNo(label, on) {
  return choices({ label, options: ["Yes", "No"], start: -1, on: i => on(i === 0) }).element;
}
