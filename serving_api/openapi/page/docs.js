// The reference of the API as a page: reads the document inside the page, builds a form for each
// operation and sends what is filled in. Every text goes in as text, never as markup.
"use strict";

const api = JSON.parse(document.getElementById("document").textContent);

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function shown(value) {
  return JSON.stringify(value, null, 2);
}

function field(parameter) {
  const input = element("input", { name: parameter.name, required: Boolean(parameter.required) });
  input.dataset.place = parameter.in;
  input.placeholder = parameter.example == null ? "" : String(parameter.example);
  const meaning = [parameter.in, parameter.required ? "required" : "", parameter.description || ""];
  return element("label", {}, element("code", { textContent: parameter.name }), " ",
    element("span", { className: "meaning", textContent: meaning.filter(Boolean).join(" · ") }), input);
}

function requestOf(form, method, path) {
  const headers = {};
  const query = new URLSearchParams();
  for (const input of form.querySelectorAll("input")) {
    if (!input.value) continue;
    if (input.dataset.place === "path") {
      path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    } else if (input.dataset.place === "query") {
      query.append(input.name, input.value);
    } else {
      headers[input.name] = input.value;
    }
  }
  const key = document.getElementById("key").value.trim();
  if (key) headers.Authorization = `Bearer ${key}`;
  const options = { method: method.toUpperCase(), headers };
  const body = form.querySelector("textarea");
  if (body && body.value.trim()) {
    headers["Content-Type"] = "application/json";
    options.body = body.value;
  }
  return [query.size ? `${path}?${query}` : path, options];
}

async function send(form, method, path, output) {
  output.hidden = false;
  output.textContent = "…";
  try {
    const response = await fetch(...requestOf(form, method, path));
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    const text = await response.text();
    const isJson = (response.headers.get("Content-Type") || "").includes("json");
    const content = isJson ? shown(JSON.parse(text)) : text;
    output.textContent = `${response.status} ${response.statusText}\n${headers}\n\n${content}`;
  } catch (error) {
    output.textContent = String(error);
  }
}

function form(method, path, operation) {
  const made = element("form");
  made.append(...(operation.parameters || []).map(field));
  const body = operation.requestBody && operation.requestBody.content["application/json"];
  if (body) {
    const example = body.example === undefined ? "" : shown(body.example);
    made.append(element("label", {}, "Body", element("textarea", { value: example, spellcheck: false })));
  }
  const output = element("pre", { hidden: true });
  made.append(element("button", { textContent: "Send" }), output);
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    send(made, method, path, output);
  });
  return made;
}

function answers(operation) {
  const parts = Object.entries(operation.responses).map(([status, response]) => {
    const content = (response.content || {})["application/json"] || {};
    const examples = content.examples
      ? Object.values(content.examples).map((example) => example.value)
      : [content.example];
    const texts = examples.filter((one) => one !== undefined).map(shown).join("\n\n");
    return element("details", {},
      element("summary", { textContent: `${status} ${response.description.replaceAll("`", "")}` }),
      element("pre", { textContent: texts }));
  });
  return element("section", {}, element("h4", { textContent: "Answers" }), ...parts);
}

function operationBlock(method, path, operation) {
  const summary = element("summary", {},
    element("span", { className: "method", textContent: method.toUpperCase() }),
    element("code", { textContent: path }), operation.summary || "");
  const block = element("details", {}, summary,
    element("p", { className: "description", textContent: operation.description || "" }));
  for (const role of (operation.security || []).flatMap((one) => Object.values(one).flat())) {
    summary.append(" ", element("span", { className: "note", textContent: role }));
  }
  block.dataset.text = `${method} ${path} ${operation.summary} ${operation.description}`.toLowerCase();
  block.addEventListener("toggle", () => {
    if (block.open && !block.querySelector("form")) {
      block.append(form(method, path, operation), answers(operation));
    }
  });
  return block;
}

function sections() {
  const byTag = new Map();
  for (const [path, operations] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const tag = (operation.tags || ["other"])[0];
      if (!byTag.has(tag)) byTag.set(tag, []);
      byTag.get(tag).push(operationBlock(method, path, operation));
    }
  }
  return [...byTag].map(([tag, blocks]) =>
    element("section", {}, element("h2", { textContent: tag }), ...blocks));
}

function find(words) {
  for (const section of document.querySelectorAll("#operations > section")) {
    const blocks = [...section.querySelectorAll(":scope > details")];
    for (const block of blocks) {
      block.hidden = !words.every((word) => block.dataset.text.includes(word));
    }
    section.hidden = blocks.every((block) => block.hidden);
  }
}

document.getElementById("title").textContent = `${api.info.title} ${api.info.version}`;
document.getElementById("description").textContent = api.info.description || "";
document.getElementById("operations").replaceChildren(...sections());
document.getElementById("filter").addEventListener("input", (event) => {
  find(event.target.value.toLowerCase().split(/\s+/).filter(Boolean));
});
