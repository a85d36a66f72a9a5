// The second tab: passages in, a context for a language model out.
"use strict";

import { ask, byId, copy, make, memory, readFiles, sayer, soon, whole } from "./common.js";

const say = sayer("pack-status");
const refreshSoon = soon(refresh);
const FIELDS = ["passages", "pack-question", "pack-budget", "pack-unit"];
let request = 0;
let text = "";

const passages = () => byId("passages").value.split(/\n\s*\n/).map((part) => part.trim()).filter(Boolean);

// one line is one question; several share the budget
const questions = () => byId("pack-question").value.split("\n").map((line) => whole(line.trim())).filter(Boolean);

export async function refresh() {
  const mine = ++request;
  memory.set("pack", Object.fromEntries(FIELDS.map((id) => [id, byId(id).value])));
  const given = passages().map(whole);
  const budget = Number(byId("pack-budget").value);
  if (!given.length) {
    show(null, given);
    say("No passage yet.");
    return;
  }
  say("Choosing …");
  const asked = { passages: given, query: questions(), budget, unit: byId("pack-unit").value };
  try {
    const packed = await (await ask("/v1/pack", asked, say)).json();
    if (mine !== request) return;
    show(packed, given);
    say(`${packed.passages.length} of ${given.length} passages.`);
  } catch (error) {
    if (mine === request) say(error.message, true);
  }
}

function show(packed, given) {
  const empty = !packed || !packed.passages.length;
  text = empty ? "" : packed.text;
  for (const id of ["pack-certificate", "pack-exports"]) byId(id).hidden = empty;
  byId("context").replaceChildren(...(empty ? [] : packed.passages.map((one) => showPassage(packed, one))));
  if (empty) return;
  byId("pack-certificate").textContent =
    `${packed.cost.toLocaleString("en")} of ${packed.budget.toLocaleString("en")} ${packed.unit}. ${packed.certificate}`;
}

function showPassage(packed, one) {
  const number = make("span", { class: "cite" }, String(one.index + 1));
  const cost = make("span", { class: "quiet" }, `${one.cost.toLocaleString("en")} ${packed.unit}`);
  return make("article", {}, make("p", { class: "passage-head" }, number, " ", cost), make("p", { dir: "auto" }, make("bdi", {}, one.text)));
}

export function addTexts(found) {
  const before = byId("passages").value.trim();
  byId("passages").value = [before, ...found.map((one) => one.text)].filter(Boolean).join("\n\n");
}

export async function addFiles(files) {
  const { found, problem } = await readFiles(files, say);
  addTexts(found);
  if (found.length) await refresh();
  if (problem) say(problem, true);
}

const EXAMPLE = [
  "Order 99172 was placed on 3 March and paid by card. The parcel left the warehouse on 5 March.",
  "The customer asked for a refund of order 99172 on 12 March because the lamp was broken.",
  "A refund for order 99172 was asked for on 12 March; the lamp had arrived broken.",
  "Refunds are paid within ten working days to the card that was used for the order.",
  "Our shops are open from nine to six. On Sundays they are closed.",
];

export function start() {
  const before = memory.get("pack");
  if (before) for (const id of FIELDS) byId(id).value = before[id];
  for (const id of FIELDS) byId(id).addEventListener("input", refreshSoon);
  byId("pack-open").addEventListener("click", () => byId("pack-files").click());
  byId("pack-files").addEventListener("change", (event) => addFiles(event.target.files));
  byId("pack-example").addEventListener("click", () => {
    byId("passages").value = EXAMPLE.join("\n\n");
    byId("pack-question").value = "When is the refund of order 99172 paid?";
    byId("pack-budget").value = 60;
    refresh();
  });
  byId("pack-clear").addEventListener("click", () => {
    byId("passages").value = byId("pack-question").value = "";
    byId("passages").focus();
    refresh();
  });
  byId("pack-copy").addEventListener("click", () => copy(text, say));
  if (before?.passages) refresh();
}
