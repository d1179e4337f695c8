// "/" or Ctrl-K moves to the search field of the page's head.
"use strict";

const TYPING = "select, textarea, input:not([type=checkbox], [type=radio])";

document.addEventListener("keydown", (event) => {
  if (event.altKey) return;
  const hasControl = event.ctrlKey || event.metaKey;
  const isTyping = event.target.matches(TYPING);
  if (hasControl ? event.key !== "k" : event.key !== "/" || isTyping) return;
  event.preventDefault();
  document.getElementById("find").select();
});
