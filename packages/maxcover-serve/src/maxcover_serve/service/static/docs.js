// The API for people to read, made of its OpenAPI description: nothing is fetched from elsewhere.
"use strict";

import { byId, make } from "./common.js";

const code = (text) => make("code", {}, text);

// Follow a reference to the schema that it names.
const follow = (schema, all) => (schema?.$ref ? all[schema.$ref.split("/").pop()] : schema) ?? {};

function typeOf(schema, all) {
  if (schema.$ref) return schema.$ref.split("/").pop();
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts) return [...new Set(parts.map((part) => typeOf(part, all)))].join(" or ");
  if (schema.enum) return schema.enum.map((name) => JSON.stringify(name)).join(", ");
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? {}, all)}`;
  if (schema.type === "object" && schema.additionalProperties?.type) return `object of ${typeOf(schema.additionalProperties, all)}`;
  return schema.type ?? "anything";
}

function table(schema, all, caption, path) {
  const rows = Object.entries(schema.properties ?? {}).map(([name, one]) => {
    const needed = schema.required?.includes(name) ? "required" : one.default === undefined ? "" : JSON.stringify(one.default);
    return make("tr", {}, make("th", { scope: "row" }, code(name)), make("td", {}, typeOf(one, all)),
      make("td", {}, needed), make("td", {}, one.description ?? ""));
  });
  const head = ["name", "type", "default", "meaning"].map((name) => make("th", { scope: "col" }, name));
  return make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `${caption} of ${path}` },
    make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)));
}

function endpoint(path, method, one, all) {
  const parts = [make("h2", { id: one.operationId ?? path.slice(1) }, code(`${method.toUpperCase()} ${path}`)), make("p", {}, one.summary ?? "")];
  const body = one.requestBody?.content["application/json"];
  if (body) {
    const schema = follow(body.schema, all);
    const choices = (schema.oneOf ?? schema.anyOf ?? [schema]).map((part) => follow(part, all));
    choices.forEach((choice, k) => parts.push(table(choice, all, choices.length > 1 ? `Request, form ${k + 1}` : "Request", path)));
    const shown = Object.values(body.examples ?? {}).map((example) => JSON.stringify(example.value));
    for (const example of shown) {
      const call = `curl -X POST -H 'content-type: application/json' ${location.origin}${path} -d '${example}'`;
      parts.push(make("pre", { tabindex: "0" }, code(call)));
    }
  }
  const answer = one.responses?.["200"]?.content?.["application/json"]?.schema;
  if (answer) parts.push(table(follow(answer, all), all, "Answer", path));
  return make("section", {}, ...parts);
}

try {
  const response = await fetch("/openapi.json");
  if (!response.ok) throw new Error(`the service answered ${response.status}; load this page again in a moment`);
  const found = await response.json();
  const all = found.components.schemas;
  const links = [];
  for (const [path, methods] of Object.entries(found.paths)) {
    for (const [method, one] of Object.entries(methods)) {
      byId("endpoints").append(endpoint(path, method, one, all));
      links.push(make("li", {}, make("a", { href: `#${one.operationId ?? path.slice(1)}` }, code(path))));
    }
  }
  byId("contents").append(make("ul", {}, ...links));
  byId("status").textContent = `Version ${found.info.version}`;
} catch (error) {
  byId("status").textContent = `The description could not be read: ${error.message}`;
}
