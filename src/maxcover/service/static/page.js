// The page: texts in, a summary for every position of the slider out.
//
// One request for the curve answers all budgets: it brings sentences, concepts and a selection for
// each budget, so that moving the slider asks nobody. Text only ever becomes text nodes.
"use strict";

const byId = (id) => document.getElementById(id);
const POINTS = 60;
const PATIENCE = 300; // milliseconds after the last keystroke

const state = { texts: [], curve: null, request: 0, unit: "words" };

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// --- texts ---------------------------------------------------------------------------------

function addText(name = "", text = "") {
  const number = state.texts.length + 1;
  const entry = { name, area: make("textarea", { spellcheck: "false", dir: "auto" }) };
  const label = make("label", {}, name || `Text ${number}`);
  entry.area.id = `text-${crypto.getRandomValues(new Uint32Array(1))[0]}`;
  label.htmlFor = entry.area.id;
  entry.area.value = text;
  entry.area.placeholder = "Paste a text here";
  const remove = make("button", { type: "button", "aria-label": `Remove ${name || `text ${number}`}` }, "×");
  const item = make("li", {}, make("div", {}, label, remove), entry.area);
  remove.addEventListener("click", () => {
    state.texts = state.texts.filter((other) => other !== entry);
    item.remove();
    if (!state.texts.length) addText();
    (byId("texts").querySelector("textarea") || byId("add")).focus();
    refreshSoon();
  });
  entry.area.addEventListener("input", refreshSoon);
  state.texts.push(entry);
  byId("texts").append(item);
  return entry;
}

async function addFiles(files) {
  const opened = await Promise.all([...files].map(async (file) => [file.name, await file.text()]));
  state.texts.filter((entry) => !entry.area.value && !entry.name).forEach((entry) => {
    state.texts = state.texts.filter((other) => other !== entry);
    entry.area.closest("li").remove();
  });
  for (const [name, text] of opened) addText(name, text);
  refreshSoon();
}

// JSON cannot carry half a character; browsers let people paste one.
const whole = (text) => (text.toWellFormed ? text.toWellFormed() : text);

function documents() {
  const filled = state.texts.filter((entry) => entry.area.value.trim());
  return {
    documents: filled.map((entry) => whole(entry.area.value)),
    names: filled.map((entry, k) => whole(entry.name) || `Text ${k + 1}`),
  };
}

// --- requests ------------------------------------------------------------------------------

async function ask(path, body) {
  const headers = { "content-type": "application/json" };
  const token = byId("token").value.trim();
  if (token) headers.authorization = `Bearer ${token}`;
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  if (response.ok) return response;
  if (response.status === 401) byId("access").hidden = false;
  let message = `the service answered ${response.status}`;
  try {
    message = (await response.json()).error.message;
  } catch {
    // the answer of something in between; its number has to do
  }
  throw new Error(message);
}

let timer = 0;

function refreshSoon() {
  clearTimeout(timer);
  timer = setTimeout(refresh, PATIENCE);
}

async function refresh() {
  const mine = ++state.request;
  const { documents: texts, names } = documents();
  if (!texts.length) {
    state.curve = null;
    show();
    say("No text yet.");
    return;
  }
  say("Reading …");
  const unit = byId("unit").value;
  const share = Array.from({ length: POINTS }, (_, k) => `${(100 * ((k + 1) / POINTS) ** 2).toFixed(4)}%`);
  try {
    const response = await ask("/v1/curve", { documents: texts, unit, budgets: share, detail: true });
    const curve = await response.json();
    if (mine !== state.request) return; // a later text is already being read
    prepare(curve, texts, names, unit);
    show();
    say(`${curve.sentences.length} sentences read.`);
  } catch (error) {
    if (mine === state.request) say(error.message, true);
  }
}

// --- from the curve to a summary -----------------------------------------------------------

function prepare(curve, texts, names, unit) {
  // offsets count characters; a string of JavaScript counts halves of some
  const cut = texts.map((text) => {
    if (!/[\ud800-\udfff]/.test(text)) return (start, end) => text.slice(start, end);
    const points = Array.from(text);
    return (start, end) => points.slice(start, end).join("");
  });
  const usable = curve.selections.map((_, k) => k).filter((k) => curve.selections[k].length);
  state.curve = { ...curve, texts, names, unit, cut, usable };
  const slider = byId("budget");
  const before = state.unit === unit ? Number(slider.value) : 0;
  state.unit = unit;
  slider.max = Math.max(0, usable.length - 1);
  slider.disabled = usable.length < 2;
  slider.value = before && before < usable.length ? before : Math.floor(usable.length / 3);
}

// The sentences of a selection with what each is the first to cover, best first, then in place.
function explain(curve, selection) {
  const covered = new Set();
  const left = new Set(selection);
  const found = [];
  const gainOf = (k) =>
    curve.sentences[k].concepts.reduce((sum, c) => sum + (covered.has(c) ? 0 : curve.concepts[c].weight), 0);
  while (left.size) {
    let best = -1;
    let gain = -1;
    for (const k of left) {
      const here = gainOf(k);
      if (here > gain) [best, gain] = [k, here];
    }
    const fresh = curve.sentences[best].concepts.filter((c) => !covered.has(c));
    fresh.forEach((c) => covered.add(c));
    left.delete(best);
    found.push({ ...curve.sentences[best], index: best, gain, covers: fresh.map((c) => curve.concepts[c]) });
  }
  for (const sentence of found) sentence.covers.sort((a, b) => b.weight - a.weight);
  return found.sort((a, b) => a.index - b.index);
}

const percent = (share) => `${(Math.floor(share * 1000) / 10).toLocaleString("en")}\u202f%`;

function certificate(value, bound, budget, unit) {
  const amount = `${budget.toLocaleString("en")} ${unit}`;
  return value >= bound * (1 - 1e-6)
    ? `Proven best: no other selection of whole sentences within ${amount} covers more.`
    : `Proven: at least ${percent(value / bound)} of what the best possible selection within ${amount} covers.`;
}

function current() {
  const curve = state.curve;
  return curve.usable[Number(byId("budget").value)];
}

function show() {
  const curve = state.curve;
  const empty = !curve || !curve.usable.length;
  for (const id of ["certificate", "exports", "covers"]) byId(id).hidden = empty;
  if (empty) {
    byId("summary").replaceChildren();
    byId("sources").replaceChildren();
    byId("size").value = "–";
    byId("budget").disabled = true;
    return;
  }
  const point = current();
  const budget = Math.floor(curve.budgets[point]); // costs are whole, so the rest buys nothing
  const sentences = explain(curve, curve.selections[point]);
  byId("size").value = budget.toLocaleString("en");
  byId("budget").setAttribute("aria-valuetext", `${budget} ${curve.unit}`);
  byId("certificate").textContent = certificate(curve.values[point], curve.upper_bounds[point], budget, curve.unit);
  const paragraph = make("p", { dir: "auto" });
  sentences.forEach((sentence, k) => paragraph.append(showSentence(curve, sentence, k + 1), " "));
  byId("summary").replaceChildren(paragraph);
  showSources(curve, sentences);
  showCovers(curve, null, point);
}

function showSentence(curve, sentence, number) {
  const text = curve.cut[sentence.document](sentence.start, sentence.end);
  const label = `${number}: show in ${curve.names[sentence.document]}`;
  const cite = make("a", { class: "cite", id: `c${number}`, href: `#s${number}`, "aria-label": label }, String(number));
  const span = make("span", { class: "sentence" }, make("bdi", {}, text), "\u2060", cite);
  const enter = () => {
    byId(`s${number}`)?.classList.add("on");
    showCovers(curve, sentence, current());
  };
  const leave = () => {
    byId(`s${number}`)?.classList.remove("on");
    showCovers(curve, null, current());
  };
  span.addEventListener("mouseenter", enter);
  span.addEventListener("mouseleave", leave);
  span.addEventListener("focusin", enter);
  span.addEventListener("focusout", leave);
  return span;
}

function showCovers(curve, sentence, point) {
  const all = curve.total_weight || 1;
  byId("covers-text").textContent = sentence
    ? `This sentence adds ${percent(sentence.gain / all)} for ${sentence.cost} ${curve.unit}; it is the first to cover:`
    : `${Math.round(curve.costs[point])} ${curve.unit} cover ${percent(curve.values[point] / all)} of the weight ` +
      "of everything that the texts say. Point at a sentence to see what it adds.";
  const words = sentence ? sentence.covers.slice(0, 40) : [];
  byId("covers-words").replaceChildren(...words.map((c) => make("li", {}, make("bdi", {}, c.name))));
}

function showSources(curve, sentences) {
  const articles = curve.texts.map((text, document) => {
    const body = make("div", { class: "text", dir: "auto", tabindex: "0", role: "region" });
    body.setAttribute("aria-label", curve.names[document]);
    const cut = curve.cut[document];
    let done = 0;
    sentences.forEach((sentence, k) => {
      if (sentence.document !== document) return;
      const back = make("a", { class: "cite", href: `#c${k + 1}`, "aria-label": `${k + 1}: back to the summary` }, `${k + 1}\u00a0↑`);
      const inside = make("bdi", {}, cut(sentence.start, sentence.end));
      body.append(make("bdi", {}, cut(done, sentence.start)), make("mark", { id: `s${k + 1}` }, inside, back));
      done = sentence.end;
    });
    body.append(make("bdi", {}, cut(done, text.length)));
    return make("article", {}, make("h3", {}, make("bdi", {}, curve.names[document])), body);
  });
  byId("sources").replaceChildren(...articles);
}

function say(text, bad = false) {
  byId("status").textContent = text;
  byId("status").classList.toggle("bad", bad);
}

// --- taking it along -----------------------------------------------------------------------

async function copy() {
  const text = [...byId("summary").querySelectorAll("bdi")].map((part) => part.textContent).join(" ");
  try {
    await navigator.clipboard.writeText(text);
    say("Copied.");
  } catch {
    say("The browser does not allow copying here.", true);
  }
}

async function download(format) {
  const curve = state.curve;
  const budget = Math.floor(curve.budgets[current()]);
  // the rules of the curve, so that the file says what the page says
  const body = { documents: curve.texts, names: curve.names, unit: curve.unit, budget, max_similarity: 1 };
  const ending = { markdown: "md", json: "json", html: "html" }[format];
  try {
    const response = await ask(`/v1/summarize?format=${format}`, body);
    const url = URL.createObjectURL(await response.blob());
    const link = make("a", { href: url, download: `summary.${ending}` });
    link.click();
    URL.revokeObjectURL(url);
    say(`summary.${ending} saved.`);
  } catch (error) {
    say(error.message, true);
  }
}

const EXAMPLE = [
  ["Harbour", "The storm reached the coast on Monday night. Ferries stayed in the harbour and two hundred passengers slept in the terminal. The mayor opened the school as a shelter. By Tuesday morning the wind had fallen, but the sea was still too high for the ferries."],
  ["Market", "Fish was scarce at the market on Tuesday because no boat had left the harbour. Prices doubled within hours. Traders said that the storm had cost them a week's income. The ferries are expected to sail again on Wednesday."],
  ["Weather", "The weather service had warned of the storm since Saturday. It measured gusts of 130 kilometres an hour on the coast. Another storm may follow at the weekend."],
];

function start() {
  addText();
  byId("add").addEventListener("click", () => addText().area.focus());
  byId("open").addEventListener("click", () => byId("files").click());
  byId("files").addEventListener("change", (event) => addFiles(event.target.files));
  byId("example").addEventListener("click", () =>
    addFiles(EXAMPLE.map(([name, text]) => ({ name, text: async () => text }))));
  byId("budget").addEventListener("input", show);
  byId("unit").addEventListener("change", refresh);
  byId("access").addEventListener("submit", (event) => {
    event.preventDefault();
    refresh();
  });
  byId("copy").addEventListener("click", copy);
  byId("exports").addEventListener("click", (event) => {
    if (event.target.dataset.format) download(event.target.dataset.format);
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    if (event.dataTransfer.files.length) addFiles(event.dataTransfer.files);
    else {
      const text = event.dataTransfer.getData("text/plain");
      if (text) {
        addText("", text);
        refreshSoon();
      }
    }
  });
}

start();
