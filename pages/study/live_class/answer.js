// What a student's phone does with an answer. The true answer stays in this file's variables: it is not stored, and not
// among what `send` hands over.

// ---- the law ------------------------------------------------------------------------

/** A number of 53 random bits from the browser's cryptographic generator, evenly spread over 0 ≤ u < 1. */
export function uniform() {
  const words = crypto.getRandomValues(new Uint32Array(2));
  return ((words[0] >>> 5) * 2 ** 26 + (words[1] >>> 6)) / 2 ** 53;
}

/** One of 0 … m-1, all exactly alike: draws that would favour the first are drawn again. */
export function below(m) {
  const fair = Math.floor(2 ** 32 / m) * m;
  for (;;) {
    const [word] = crypto.getRandomValues(new Uint32Array(1));
    if (word < fair) return word % m;
  }
}

/** The report for a value: one value (GRR), or one bit for each (OUE). u < p has a chance within 2⁻⁵³ of p. */
export function privatize({ mechanism, k, p, q }, value) {
  if (mechanism === "OUE") {
    return Array.from({ length: k }, (_, other) => (uniform() < (other === value ? p : q) ? 1 : 0));
  }
  if (uniform() < p) return value;
  const other = below(k - 1);
  return other < value ? other : other + 1;
}

/** How many times as likely a report is from an answer that it supports as from one that it does not. */
export function likelihoodRatio({ mechanism, p, q }) {
  return mechanism === "OUE" ? (p * (1 - q)) / (q * (1 - p)) : p / q;
}

/** Whether p and q are chances, and keep the promise of ε: a server that asks for less noise is refused. */
export function keepsPromise(law) {
  const { mechanism, k, p, q, eps } = law;
  if (![p, q, eps].every(Number.isFinite) || !(k >= 2) || !(q > 0 && q < p && p < 1)) return false;
  if (mechanism === "GRR" && Math.abs(p + (k - 1) * q - 1) > 1e-9) return false;
  return (mechanism === "GRR" || mechanism === "OUE") && Math.log(likelihoodRatio(law)) <= eps + 1e-9;
}

/** Which answers a report supports. */
export function supported({ mechanism, k }, report) {
  return Array.from({ length: k }, (_, value) => (mechanism === "OUE" ? report[value] === 1 : report === value));
}

/** What somebody believes after the report to whom all answers were equally likely before it. */
export function belief(law, report) {
  const ratio = likelihoodRatio(law);
  const weights = supported(law, report).map((yes) => (yes ? ratio : 1));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

// ---- what the phone keeps -----------------------------------------------------------

const PREFIX = "ldp-class:";
const ROOMS = 5;
const memory = new Map(); // where the browser lets nothing be stored

/** What this phone keeps of a room: its random name there, and the reports that it sent; never an answer. */
export function recall(room) {
  let kept = memory.get(room);
  try {
    kept = JSON.parse(localStorage.getItem(PREFIX + room)) ?? kept;
  } catch {
    // not allowed, or not ours
  }
  if (kept && typeof kept.token === "string" && kept.sent) return kept;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return { token: Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join(""), sent: {}, at: 0 };
}

/** Keep it, and forget older rooms. */
export function remember(room, kept) {
  kept.at = Date.now();
  memory.set(room, kept);
  try {
    localStorage.setItem(PREFIX + room, JSON.stringify(kept));
    const rooms = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
    const age = (name) => JSON.parse(localStorage.getItem(name)).at;
    rooms.sort((a, b) => age(b) - age(a)).slice(ROOMS).forEach((name) => localStorage.removeItem(name));
  } catch {
    // a private window: the name lasts as long as the page
  }
}

// ---- the page -----------------------------------------------------------------------

/** An element with words in it. Words are always text, whatever signs are in them. */
function element(kind, name, words) {
  const made = document.createElement(kind);
  if (name) made.className = name;
  if (words !== undefined) made.textContent = words;
  return made;
}

/** A share in words that never say more than it is: neither certainty nor impossibility. */
export function percent(share) {
  if (share > 0.999 && share < 1) return "over 99.9%";
  if (share > 0 && share < 0.001) return "under 0.1%";
  return `${(100 * share).toFixed(share < 0.0995 || share > 0.9945 ? 1 : 0)}%`;
}
const rounded = (number) => String(Number(number.toPrecision(3)));
/** An upper bound in three digits, rounded upwards. */
export function upperBound(number) {
  const unit = 10 ** (Math.floor(Math.log10(number)) - 2);
  return String(Number((Math.ceil(number / unit - 1e-12) * unit).toPrecision(3)));
}

function form(law, answers, onSend) {
  const made = element("form");
  const list = element("fieldset");
  list.append(element("legend", "quiet", "Your true answer. It stays on this phone."));
  answers.forEach((words, value) => {
    const label = element("label", "answer");
    const input = element("input");
    Object.assign(input, { type: "radio", name: "answer", value: String(value), required: true });
    label.append(input, element("span", "", words));
    list.append(label);
  });
  const button = element("button", "send", "Blur it and send");
  made.append(list, button);
  made.onsubmit = (event) => {
    event.preventDefault();
    const chosen = made.querySelector("input:checked");
    if (chosen) onSend(Number(chosen.value));
  };
  const odds = upperBound(Math.exp(law.eps));
  const how =
    law.mechanism === "GRR"
      ? `Your phone rolls dice: it sends the true answer with a chance of ${percent(law.p)}, and each of the others ` +
        `with ${percent(law.q)}.`
      : `Your phone writes one yes or no for each answer: “yes” to the true one with a chance of ${percent(law.p)}, ` +
        `to each of the others with ${percent(law.q)}.`;
  made.append(
    element("p", "quiet", `${how} ε = ${rounded(law.eps)}: whatever is sent, it is at most ${odds} times as likely ` +
      "from one answer as from another."),
  );
  return made;
}

function wordsOf(law, answers, report) {
  if (law.mechanism === "GRR") return `“${answers[report]}”`;
  const yes = answers.filter((_, value) => report[value] === 1).map((words) => `“${words}”`);
  return yes.length ? `yes to ${yes.join(", ")}; no to everything else` : "no to every answer";
}

/** What stayed on the phone, and what chance made of it. */
function ownWords(law, answers, report, choice) {
  if (choice === null) return "Your answer. This phone stored the report, not the answer, and has forgotten it.";
  const speaks = supported(law, report)[choice]
    ? "By chance the report speaks for it. Nobody but you can be certain of that."
    : "By chance the report does not speak for it.";
  return `Your answer, “${answers[choice]}”. ${speaks}`;
}

function beliefs(law, answers, report) {
  const made = element("div", "beliefs");
  made.append(
    element("p", "quiet", "What somebody who reads your report may believe of you, if all answers were equally likely " +
      `to them before (${percent(1 / law.k)} each):`),
  );
  belief(law, report).forEach((share, value) => {
    const row = element("div", "belief");
    const bar = element("span", "bar");
    bar.style.width = `${100 * share}%`;
    const track = element("span", "track");
    track.append(bar);
    row.append(element("span", "name", answers[value]), track, element("span", "share", percent(share)));
    made.append(row);
  });
  return made;
}

function card(title, words, name) {
  const made = element("section", `card ${name}`);
  made.append(element("h3", "", title), element("p", "", words));
  return made;
}

/** What happened: what stayed, what was sent, and what it may be taken for. */
function outcome(view) {
  const { law, answers, report, choice, status, spent, again } = view;
  const made = element("div", "outcome");
  made.append(
    card("Sent", wordsOf(law, answers, report), "sent"),
    card("Not sent", ownWords(law, answers, report, choice), "kept"),
    element("p", "status", status),
  );
  if (again) {
    const button = element("button", "send", "Send the same report again");
    button.onclick = again;
    made.append(button);
  }
  made.append(beliefs(law, answers, report));
  const rounds = spent.length > 1 ? `${spent.length} rounds with this phone: ε = ` : "";
  if (rounds) {
    const sum = rounded(spent.reduce((a, b) => a + b, 0));
    made.append(element("p", "quiet", `You have answered ${rounds}${spent.map(rounded).join(" + ")} = ${sum} in all.`));
  }
  return made;
}

// So many milliseconds without an answer of the server, and the same report is sent again, later and later; it is counted
// once all the same. A message, or the answer to it, can be lost on the way, and nobody in a class looks after that.
const PATIENCE = 5000;
const LONGEST_WAIT = 30000;

function statusOf({ received, problem, open }, late) {
  if (received) return "✓ The server has counted your report.";
  if (problem) return `Not counted: ${problem}.`;
  if (!open) return "This round was closed before your report was confirmed.";
  return late
    ? "No answer from the server yet. Your phone sends the same report again by itself; it counts once."
    : "Sending …";
}

/** What stands below the question: the form, what came of it, or why there is none. */
function body({ data, law, kept, state, late, send, answer }) {
  const sent = kept.sent[data.round];
  if (sent) {
    const spent = Object.values(kept.sent).map((one) => one.eps);
    const choice = state.choices[data.round] ?? null;
    const again = (data.problem || late) && data.open && !data.received ? () => send(sent.report) : null;
    const { answers } = data;
    return outcome({ law, answers, report: sent.report, choice, status: statusOf(data, late), spent, again });
  }
  if (!data.open) return element("p", "status", `Round ${data.round} is closed. The next one opens here by itself.`);
  if (keepsPromise(law)) return form(law, data.answers, answer);
  return element("p", "status", "This server asks for less noise than it promises: your phone does not answer.");
}

export default function ({ data, parentElement, setTriggerValue }) {
  const law = { mechanism: data.mechanism, k: data.answers.length, eps: data.eps, p: data.p, q: data.q };
  const place = parentElement.querySelector(".place");
  const state = (place.state ??= { choices: {}, tries: {}, shown: "" });
  const kept = recall(data.room);
  const isWaiting = () => kept.sent[data.round] && data.open && !data.received && !data.problem;
  const wait = () => {
    clearTimeout(state.timer);
    const patience = Math.min(PATIENCE * (state.tries[data.round] ?? 0), LONGEST_WAIT);
    if (isWaiting()) state.timer = setTimeout(() => send(kept.sent[data.round].report), patience);
  };
  const send = (report) => {
    state.tries[data.round] = (state.tries[data.round] ?? 0) + 1;
    draw();
    wait();
    setTriggerValue("report", { round: data.round, token: kept.token, report });
  };

  const answer = (value) => {
    // Another tab of this phone may have answered meanwhile.
    Object.assign(kept, recall(data.room));
    if (kept.sent[data.round]) {
      draw();
      wait();
      return;
    }
    const report = privatize(law, value);
    state.choices[data.round] = value;
    kept.sent[data.round] = { report, eps: law.eps };
    remember(data.room, kept);
    send(report);
  };

  const draw = () => {
    const late = Boolean(isWaiting()) && (state.tries[data.round] ?? 0) > 1;
    const shown = JSON.stringify([data, kept.sent[data.round] ?? null, late]);
    if (shown === state.shown) return;
    state.shown = shown;
    const question = element("h2", "", data.question);
    place.replaceChildren(question, body({ data, law, kept, state, late, send, answer }));
  };

  draw();
  // Loaded or drawn in another place before the server confirmed: the same report at once, not another one.
  wait();
  return () => clearTimeout(state.timer);
}
