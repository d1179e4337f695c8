// Opens Swagger UI on the document inside the page. A key that is typed in stays in this window.
"use strict";

SwaggerUIBundle({
  dom_id: "#reference",
  spec: JSON.parse(document.getElementById("document").textContent),
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  requestSnippetsEnabled: true,
  tryItOutEnabled: true,
});
