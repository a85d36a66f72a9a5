// What both tabs use: elements, requests, files, and texts that survive a reload.
"use strict";

export const byId = (id) => document.getElementById(id);

// Text only ever becomes text nodes.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export const percent = (share) => `${(Math.floor(share * 1000) / 10).toLocaleString("en")}\u202f%`;

// JSON cannot carry half a character; browsers let people paste one.
export const whole = (text) => (text.toWellFormed ? text.toWellFormed() : text);

// --- requests ------------------------------------------------------------------------------

const TRIES = 4;
const GONE = "The service does not answer. Check that it is still running; your texts stay here.";
const sleep = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

async function send(path, body) {
  const headers = { "content-type": "application/json" };
  const token = byId("token").value.trim();
  if (token) headers.authorization = `Bearer ${token}`;
  try {
    return await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  } catch {
    throw new Error(GONE);
  }
}

// Ask the service; where it is busy, wait as long as it says and ask again.
export async function ask(path, body, say = () => {}) {
  let response = await send(path, body);
  for (let tries = 1; tries < TRIES && [429, 503].includes(response.status); tries += 1) {
    const seconds = Number(response.headers.get("retry-after")) || 1;
    say(`The service is busy; asking again in ${seconds} s.`);
    await sleep(seconds);
    response = await send(path, body);
  }
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

function inBase64(file) {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => fail(new Error(`${file.name} cannot be read`));
    reader.readAsDataURL(file);
  });
}

// The texts of files, read by the service as the command line reads them; what cannot be is told.
export async function readFiles(files, say) {
  const found = [];
  const problems = [];
  for (const file of files) {
    say(`Reading ${file.name} …`);
    try {
      const sent = { files: [{ name: whole(file.name), content: await inBase64(file) }] };
      const response = await ask("/v1/read", sent, say);
      found.push(...(await response.json()).documents);
    } catch (error) {
      problems.push(error.message);
    }
  }
  return { found, problem: problems.join("; ") };
}

export async function copy(text, say) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied.");
  } catch {
    say("The browser does not allow copying here.", true);
  }
}

// A function that shows a message in a status line.
export const sayer = (id) => (text, bad = false) => {
  byId(id).textContent = text;
  byId(id).classList.toggle("bad", bad);
};

// Call a function a moment after the last keystroke.
export function soon(action, milliseconds = 300) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}

// --- what survives a reload ----------------------------------------------------------------

// Only in this tab of the browser, and only until it is closed.
export const memory = {
  get(name) {
    try {
      return JSON.parse(sessionStorage.getItem(`maxcover.${name}`));
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      sessionStorage.setItem(`maxcover.${name}`, JSON.stringify(value));
    } catch {
      // too large, or not allowed: then a reload loses it, as everywhere
    }
  },
};
