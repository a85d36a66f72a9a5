// The first tab: texts in, a summary for every position of the slider out.
//
// One request for the curve answers all budgets: it brings sentences, concepts and a selection for
// each budget, so that moving the slider asks nobody.
"use strict";

import { ask, byId, copy, make, memory, percent, readFiles, sayer, soon, whole } from "./common.js";

const POINTS = 60;
const say = sayer("status");
const refreshSoon = soon(refresh);
// budget: the position of the slider, if it was moved; exact: the budget, if one was typed
const state = { texts: [], curve: null, request: 0, budget: null, exact: null };

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
  entry.item = make("li", {}, make("div", {}, label, remove), entry.area);
  remove.addEventListener("click", () => {
    drop(entry);
    if (!state.texts.length) addText();
    (byId("texts").querySelector("textarea") || byId("add")).focus();
    refreshSoon();
  });
  entry.area.addEventListener("input", refreshSoon);
  state.texts.push(entry);
  byId("texts").append(entry.item);
  return entry;
}

function drop(entry) {
  state.texts = state.texts.filter((other) => other !== entry);
  entry.item.remove();
}

export function addTexts(found) {
  if (found.length) state.texts.filter((entry) => !entry.area.value && !entry.name).forEach(drop);
  for (const { name, text } of found) addText(name, text);
}

export async function addFiles(files) {
  const { found, problem } = await readFiles(files, say);
  addTexts(found);
  if (found.length) await refresh();
  if (problem) say(problem, true);
}

function documents() {
  const filled = state.texts.filter((entry) => entry.area.value.trim());
  return {
    documents: filled.map((entry) => whole(entry.area.value)),
    names: filled.map((entry, k) => whole(entry.name) || `Text ${k + 1}`),
  };
}

// What is asked for besides the texts.
const wishes = () => ({
  unit: byId("unit").value,
  language: byId("language").value,
  query: whole(byId("question").value.trim()),
  known: [whole(byId("known").value.trim())].filter(Boolean),
});

function remember() {
  const texts = state.texts.map((entry) => ({ name: entry.name, text: entry.area.value }));
  memory.set("summarize", { texts, ...wishes(), budget: state.budget, exact: state.exact });
}

// --- requests ------------------------------------------------------------------------------

async function refresh() {
  const mine = ++state.request;
  const { documents: texts, names } = documents();
  remember();
  if (!texts.length) {
    state.curve = null;
    show();
    say("No text yet.");
    return;
  }
  say("Reading …");
  const asked = wishes();
  const budgets = Array.from({ length: POINTS }, (_, k) => `${(100 * ((k + 1) / POINTS) ** 2).toFixed(4)}%`);
  if (state.exact) budgets.push(state.exact);
  try {
    const response = await ask("/v1/curve", { documents: texts, ...asked, budgets, detail: true }, say);
    const curve = await response.json();
    if (mine !== state.request) return; // a later text is already being read
    prepare({ ...curve, texts, names, asked });
    show();
    say(`${curve.sentences.length} sentences read.`);
  } catch (error) {
    if (mine === state.request) say(error.message, true);
  }
}

// --- from the curve to a summary -----------------------------------------------------------

function prepare(curve) {
  const { texts, asked: { unit } } = curve;
  // offsets count characters; a string of JavaScript counts halves of some
  const cut = texts.map((text) => {
    if (!/[\ud800-\udfff]/.test(text)) return (start, end) => text.slice(start, end);
    const points = Array.from(text);
    return (start, end) => points.slice(start, end).join("");
  });
  const usable = curve.selections.map((_, k) => k).filter((k) => curve.selections[k].length);
  state.curve = { ...curve, unit, cut, usable };
  const slider = byId("budget");
  slider.max = Math.max(0, usable.length - 1);
  slider.disabled = usable.length < 2;
  byId("size").disabled = !usable.length;
  const wanted = state.exact ?? curve.usual_budget;
  const first = usable.findIndex((point) => curve.budgets[point] >= wanted);
  const moved = state.exact === null && state.budget !== null && state.budget < usable.length;
  slider.value = moved ? state.budget : first < 0 ? usable.length - 1 : first;
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

function current() {
  const curve = state.curve;
  return curve.usable[Number(byId("budget").value)];
}

// Sentences as one text: without spaces behind Japanese and Chinese ones.
function joined(sentences) {
  return sentences.reduce((text, next) => text + (/[。！？」』]$/.test(text) ? "" : " ") + next);
}

function show() {
  const curve = state.curve;
  const empty = !curve || !curve.usable.length;
  for (const id of ["certificate", "exports", "covers"]) byId(id).hidden = empty;
  if (empty) {
    byId("summary").replaceChildren();
    byId("sources").replaceChildren();
    byId("size").value = "";
    byId("size").disabled = byId("budget").disabled = true;
    return;
  }
  const point = current();
  const budget = Math.floor(curve.budgets[point]); // costs are whole, so the rest buys nothing
  const sentences = explain(curve, curve.selections[point]);
  byId("size").value = budget;
  byId("budget").setAttribute("aria-valuetext", `${budget} ${curve.unit}`);
  byId("certificate").textContent = curve.certificates[point];
  const paragraph = make("p", { dir: "auto" });
  sentences.forEach((sentence, k) => {
    const before = k ? sentences[k - 1] : { speaker: "", document: sentence.document };
    const apart = sentence.speaker !== before.speaker || sentence.document !== before.document;
    if (k && apart) paragraph.append(make("br"));
    if (sentence.speaker && sentence.speaker !== before.speaker) paragraph.append(`${sentence.speaker}: `);
    paragraph.append(showSentence(curve, sentence, k + 1), " ");
  });
  byId("summary").replaceChildren(paragraph);
  showSources(curve, sentences);
  showCovers(curve, null, point);
}

function showSentence(curve, sentence, number) {
  const { text } = sentence; // as it is printed: without the stumbles of speech
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
    : `${curve.said[point]} Point at a sentence to see what it adds.`;
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

// --- taking it along -----------------------------------------------------------------------

async function download(format) {
  const curve = state.curve;
  const budget = Math.floor(curve.budgets[current()]);
  // the rules of the curve, so that the file says what the page says
  const body = { documents: curve.texts, names: curve.names, ...curve.asked, budget, max_similarity: 1 };
  const ending = { markdown: "md", json: "json", html: "html" }[format];
  try {
    const response = await ask(`/v1/summarize?format=${format}`, body, say);
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

// The languages that the service knows, from its description.
async function offerLanguages(chosen) {
  try {
    const { components } = await (await fetch("/openapi.json")).json();
    const names = components.schemas.SummarizeRequest.properties.language.enum;
    byId("language").replaceChildren(...names.map((name) => make("option", {}, name)));
    byId("language").value = names.includes(chosen) ? chosen : components.schemas.SummarizeRequest.properties.language.default;
  } catch {
    // then only the one that is written in the page
  }
}

export async function start() {
  const before = memory.get("summarize");
  if (before) {
    addTexts(before.texts);
    byId("question").value = before.query;
    byId("known").value = before.known.join("");
    byId("unit").value = before.unit;
    state.budget = before.budget;
    state.exact = before.exact ?? null;
  }
  if (!state.texts.length) addText();
  byId("add").addEventListener("click", () => addText().area.focus());
  byId("open").addEventListener("click", () => byId("files").click());
  byId("files").addEventListener("change", (event) => addFiles(event.target.files));
  byId("example").addEventListener("click", () => {
    addTexts(EXAMPLE.map(([name, text]) => ({ name, text })));
    refresh();
  });
  byId("clear").addEventListener("click", () => {
    state.texts.slice().forEach(drop);
    byId("question").value = byId("known").value = "";
    state.budget = state.exact = null;
    addText().area.focus();
    refresh();
  });
  byId("budget").addEventListener("input", () => {
    state.budget = Number(byId("budget").value);
    state.exact = null;
    show();
    remember();
  });
  byId("size").addEventListener("change", () => {
    const typed = Math.floor(Number(byId("size").value));
    state.exact = typed >= 1 ? typed : null;
    state.budget = null;
    refresh();
  });
  for (const id of ["question", "known"]) byId(id).addEventListener("input", refreshSoon);
  byId("unit").addEventListener("change", () => {
    state.budget = state.exact = null;
    refresh();
  });
  byId("language").addEventListener("change", refresh);
  byId("copy").addEventListener("click", () =>
    copy(joined([...byId("summary").querySelectorAll("bdi")].map((part) => part.textContent)), say));
  byId("exports").addEventListener("click", (event) => {
    if (event.target.dataset.format) download(event.target.dataset.format);
  });
  await offerLanguages(before?.language);
  if (before) refresh();
}

export { refresh };
