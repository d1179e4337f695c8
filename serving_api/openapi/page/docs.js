// Opens Swagger UI with the document in the page. An entered key stays in this window.
"use strict";

// Swagger UI has a dark mode but does not select it.
const dark = matchMedia("(prefers-color-scheme: dark)");
const wear = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", wear);
wear();

// Operations are tried where the page came from, whatever address the document names.
const spec = JSON.parse(document.getElementById("document").textContent);
spec.servers = [{ url: location.origin }];

SwaggerUIBundle({
  dom_id: "#reference",
  spec,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  requestSnippetsEnabled: true,
  tryItOutEnabled: true,
});
