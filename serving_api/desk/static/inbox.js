// Keyboard of the inbox: each key presses a button or moves the focus.
"use strict";

const posts = [...document.querySelectorAll(".posts > li")];

function focused() {
  return posts.findIndex((post) => post.contains(document.activeElement));
}

function focus(index) {
  const post = posts[Math.max(0, Math.min(index, posts.length - 1))];
  post?.querySelector("[type=checkbox]").focus();
}

const KEYS = {
  j: () => focus(focused() + 1),
  k: () => focus(focused() - 1),
  a: () => posts[focused()]?.querySelector("[name=approve]")?.click(),
  r: () => posts[focused()]?.querySelector("[name=exclude]")?.click(),
  u: () => document.querySelector("[data-undo]")?.click(),
};

document.addEventListener("keydown", (event) => {
  if (event.repeat && "aru".includes(event.key)) return; // a held key would review the next post
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("select, textarea, input:not([type=checkbox])")) return;
  KEYS[event.key]?.();
});

for (const hint of document.querySelectorAll("[data-keys]")) hint.hidden = false;
