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

// The page: it joins a class, asks the server what the teacher shows now, and sends what the student chooses. The seat
// lies in this tab's storage, under the names of reload.js, so a lesson that is opened here has it too.
const SEAT = "mwem-seat", LOCKED = "mwem-locked";
const RETRY = 3; // seconds, after a request that failed
const MAKERS = { coins, survey, lesson };
const place = document.querySelector("main"), trouble = h("p", { class: "trouble", role: "alert" });
const leaving = button("Leave, and delete what I sent", async () => {
  const own = seat;
  door();
  try {
    await request({ do: "leave", seat: own });
  } catch {
    trouble.textContent =
      "No connection to the server: what you sent is deleted when the class ends.";
  }
});
let seat = remembered(SEAT), shown = null, timer = null, unsent = null, asking = false;

const device = matchMedia("(prefers-color-scheme: dark)");
const colour = () => (document.documentElement.dataset.scheme = device.matches ? "dark" : "light");
document.querySelector("footer").append(leaving);
device.addEventListener("change", colour);
colour();

function remembered(name) {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  } // a browser that stores nothing: a reload starts anew
}

function remember(name, text) {
  try {
    if (text === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch { /* the same */ }
}

async function request(message) {
  const answer = await fetch("class", { method: "POST",
    headers: { "content-type": "application/json" }, body: JSON.stringify(message) });
  return { status: answer.status, ...(await answer.json()) };
}

function put(first, ...others) {
  place.replaceChildren(first, trouble, ...others.filter(Boolean));
}

// ---- outside a class ----
function door(problem = "") {
  clearTimeout(timer);
  [seat, shown, unsent] = [null, null, null];
  remember(SEAT, null);
  foot();
  // not of a class that is over
  const id = newId(), code = problem ? "" : new URLSearchParams(location.search).get("room") ?? "";
  const input = h("input", { id, value: code, maxlength: 20, autocomplete: "off",
    autocapitalize: "characters", spellcheck: "false", required: true });
  const go = h("button", { class: "primary" }, "Join");
  const form = h("form", { class: "stack" }, h("label", { for: id }, "Code"), input, go);
  form.addEventListener("submit", async event => {
    event.preventDefault();
    go.disabled = true;
    try {
      const { problem: refused, ...view } = await request({ do: "join", code: input.value });
      if (refused) throw new Error(refused);
      remember(SEAT, seat = view.seat);
      show(view);
    } catch (error) {
      trouble.textContent = error instanceof TypeError ? "No connection to the server. Try again."
        : error.message;
      go.disabled = false;
    }
  });
  put(h("h1", {}, "Join the class"), form,
    problem ? h("p", {}, h("a", { href: "learn?lesson=all" }, "All lessons")) : null);
  trouble.textContent = problem;
}

function ofTeacher() {
  put(h("h1", {}, "Join the class"),
    h("p", {}, "You are the teacher of a class: this page is for your students' phones."),
    h("p", {}, h("a", { href: "room" }, "Back to your class")));
}

// ---- in a class ----
async function ask() {
  clearTimeout(timer);
  if (asking) return;
  const [own, sending] = [seat, unsent];
  asking = true;
  try {
    const { status, problem, ended, ...view } = await request({ seat: own,
      ...(sending ?? { do: "show" }) });
    if (seat !== own) return; // it has left meanwhile
    if (ended)
      return door(
        `${problem} For the next class, type its code. The lessons are open to everyone.`,
      );
    if (status !== 429 && unsent === sending) unsent = null; // it has arrived, or does not fit what is asked any more
    trouble.textContent = problem ?? "";
    if (problem) later(RETRY);
    else show(view);
  } catch { // no connection, or no answer of this server: what is not sent is sent again, and the first answer counts
    trouble.textContent = "No connection to the server. Trying again …";
    later(RETRY);
  } finally {
    asking = false;
    if (unsent !== null && unsent !== sending) ask();
  }
}

function later(seconds) {
  clearTimeout(timer);
  // phones that were loaded together do not ask together
  timer = setTimeout(ask, seconds * (900 + 200 * Math.random()));
}

function send(message) {
  unsent = message;
  ask();
}

function show({ code, left, every, now }) {
  foot(code, left);
  const name = now === null ? "nothing" : `${now.kind} ${now.number ?? now.path}`;
  if (name !== shown?.name) {
    shown = { name, ...(now === null ? waiting() : MAKERS[now.kind](now, value =>
      send(messageOf(now, value)))) };
    put(shown.element);
  }
  shown.update(now);
  if (now?.kind === "lesson" && now.sent !== null) lockIn(now);
  later(every);
}

function messageOf({ kind, number, path }, value) {
  return kind === "lesson" ? { do: "predict", lesson: path, value }
    : { do: "answer", number, answer: value };
}

function waiting() {
  const element = h("section", { class: "stack" }, h("h1", {}, "You are in"),
    h("p", { role: "status" }, "Wait for the teacher."));
  return { element, update() {} };
}

// The lesson, opened in this tab, finds what was predicted here.
function lockIn({ path, asked, sent }) {
  const before = JSON.parse(remembered(LOCKED) ?? "{}"), slot = `${path}_prediction`;
  if (asked && !(slot in before))
    remember(LOCKED, JSON.stringify({ ...before, [slot]: sent }));
}

function foot(code = "", left = "") {
  leaving.hidden = !code;
  document.querySelector("[data-class]").textContent = code && `Class ${code}`;
  document.querySelector("[data-left]").textContent = left
    && `This room ends in ${left}. True answers to questions by coins never leave your phone.`;
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden && seat !== null) ask();
});
addEventListener("pageshow", ({ persisted }) => {
  if (persisted && seat !== null) ask();
});
if (seat === null) door();
else if (seat.endsWith(" teacher")) ofTeacher();
else ask();
