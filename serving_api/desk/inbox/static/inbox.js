// Keys of the inbox. Each presses a button or moves the focus: the forms do the work.
"use strict";

const posts = [...document.querySelectorAll(".posts > li")];
const PLACE = "inbox-place";

function focused() {
  return posts.findIndex((post) => post.contains(document.activeElement));
}

function focus(place) {
  const post = posts[Math.max(0, Math.min(place, posts.length - 1))];
  post?.querySelector("[type=checkbox]").focus();
}

function press(button) {
  if (!button) return;
  sessionStorage.setItem(PLACE, focused()); // the page that follows has the next post there
  button.click();
}

const KEYS = {
  j: () => focus(focused() + 1),
  k: () => focus(focused() - 1),
  a: () => press(posts[focused()]?.querySelector("[name=approve]")),
  r: () => press(posts[focused()]?.querySelector("[name=exclude]")),
  u: () => press(document.querySelector("[data-undo]")),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("select, textarea, input:not([type=checkbox])")) return;
  KEYS[event.key]?.();
});

const place = sessionStorage.getItem(PLACE);
sessionStorage.removeItem(PLACE);
if (place !== null) focus(Number(place));
for (const hint of document.querySelectorAll("[data-keys]")) hint.hidden = false;
