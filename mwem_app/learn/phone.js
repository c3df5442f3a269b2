// A student's phone. With `first_coin`, one question: the phone flips two coins, and only what they leave of the truth
// is sent. Without, several questions whose answers are sent as they are.
const RESEND = 3000; // milliseconds, until the server has said that the answer arrived

function make(root, send) {
  let shown = null, resend = null;

  function update(data) {
    if (data.number !== shown?.number) {
      clearInterval(resend);
      shown = { number: data.number, ...(data.first_coin === null ? survey(data, submit) : coins(data, submit)) };
      root.replaceChildren(h("div", { class: "stack phone" }, shown.element));
    }
    if (data.sent || data.closed) clearInterval(resend);
    if (data.sent) shown.arrived(data.sent);
    else if (data.closed) shown.closed();
  }

  // A connection may break just now. The server counts the first answer only, so it can be sent again.
  function submit(answer) {
    send(answer);
    resend = setInterval(() => (root.isConnected ? send(answer) : clearInterval(resend)), RESEND);
  }

  return { update };
}

const word = (yes) => (yes ? "yes" : "no");

// Heads with this probability, from the browser's source of randomness for cryptography.
function heads(probability) {
  return crypto.getRandomValues(new Uint32Array(1))[0] < probability * 2 ** 32;
}

function coins({ texts, first_coin, odds }, submit) {
  let truth = null;
  const faces = h("div", { class: "coins" }), said = note();
  const flip = button("Flip the coins and send", () => {
    const [tellTruth, coinSays] = [heads(first_coin), heads(1 / 2)], answer = tellTruth ? truth : coinSays;
    submit([answer]);
    faces.replaceChildren(
      coin(tellTruth, "First coin", tellTruth ? "heads: the truth" : "tails: the second coin answers"),
      coin(coinSays, "Second coin", tellTruth ? "not needed" : `${coinSays ? "heads" : "tails"}: ${word(coinSays)}`, tellTruth));
    close(`Sending ${word(answer)} …`);
  }, { primary: true });
  flip.disabled = true;
  const chosen = yesNo("Your true answer. It stays on this phone.", (yes) => { truth = yes; flip.disabled = false; });
  const ask = h("div", { class: "stack" }, chosen, flip);
  const element = h("div", { class: "stack" }, h("h2", {}, texts[0]), ask, faces, said.element);
  function close(text) {
    ask.remove();
    truth = null;
    said.show(text);
  }
  function arrived([answer]) {
    close(`This phone sent ${word(answer)}. Nobody can tell whether you said it or a coin did. It moves the odds about you by a factor of ${odds} at most.`);
  }
  return { element, arrived };
}

function coin(up, name, says, idle = false) {
  return h("figure", { class: idle ? "idle" : null },
    h("span", { class: "coin", "aria-hidden": "true" }, up ? "H" : "T"),
    h("figcaption", {}, h("b", {}, name), says));
}

function survey({ texts, fewest }, submit) {
  const answers = texts.map(() => null), said = note();
  const done = button(`Send all ${texts.length}`, () => { submit(answers); close("Sending …"); }, { primary: true });
  done.disabled = true;
  const asked = texts.map((text, i) => yesNo(text, (yes) => { answers[i] = yes; done.disabled = answers.includes(null); }));
  const sharing = h("p", { class: "note" }, `These answers leave your phone as they are, without a name. The teacher sees shares of the class, and nothing before ${fewest} phones have answered.`);
  const ask = h("div", { class: "stack" }, sharing, asked, done), list = h("ul", {});
  const element = h("div", { class: "stack" }, ask, list, said.element);
  function close(text) {
    ask.remove();
    said.show(text);
  }
  function arrived(sent) {
    close("Your answers have arrived. The result is on the teacher's screen.");
    list.replaceChildren(...texts.map((text, i) => h("li", {}, text, h("b", {}, word(sent[i])))));
  }
  const closed = () => close("The answers are closed: the result is on the teacher's screen. This phone sent none.");
  return { element, arrived, closed };
}

function yesNo(label, on) {
  return choices({ label, options: ["Yes", "No"], start: -1, on: (i) => on(i === 0) }).element;
}
