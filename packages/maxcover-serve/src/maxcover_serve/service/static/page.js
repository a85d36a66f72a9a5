// The page: two tabs, and what belongs to both.
"use strict";

import { byId, memory } from "./common.js";
import * as pack from "./pack.js";
import * as summarize from "./summarize.js";

const TABS = { summarize, pack };
let open = "summarize";

function show(name) {
  open = name;
  for (const other of Object.keys(TABS)) {
    const tab = byId(`tab-${other}`);
    byId(other).hidden = other !== name;
    tab.setAttribute("aria-selected", String(other === name));
    tab.tabIndex = other === name ? 0 : -1;
  }
  memory.set("tab", name);
}

for (const name of Object.keys(TABS)) {
  const tab = byId(`tab-${name}`);
  tab.addEventListener("click", () => show(name));
  tab.addEventListener("keydown", (event) => {
    if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    const other = Object.keys(TABS).find((one) => one !== name);
    show(other);
    byId(`tab-${other}`).focus();
  });
}

byId("access").addEventListener("submit", (event) => {
  event.preventDefault();
  TABS[open].refresh();
});

document.addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dropping");
});
document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  const text = event.dataTransfer.getData("text/plain");
  if (event.dataTransfer.files.length) TABS[open].addFiles(event.dataTransfer.files);
  else if (text) {
    TABS[open].addTexts([{ name: "", text }]);
    TABS[open].refresh();
  }
});

show(Object.keys(TABS).includes(memory.get("tab")) ? memory.get("tab") : open);
summarize.start();
pack.start();
