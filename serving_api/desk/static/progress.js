// Follows a new creator's first check: reloads its status until it is done.
"use strict";

(() => {
  const EVERY = 5000;
  const section = document.getElementById("first-check");

  async function follow() {
    if (!document.hidden) {
      try {
        const answer = await fetch(location.href);
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const next = page.getElementById("first-check");
        if (next) {
          section.dataset.waits = next.dataset.waits;
          if (section.innerHTML !== next.innerHTML) section.replaceChildren(...next.childNodes);
        }
      } catch {
        // Network error: the next attempt follows.
      }
    }
    if (section.dataset.waits === "yes") setTimeout(follow, EVERY);
    else section.querySelector("[hidden]")?.removeAttribute("hidden");
  }
  setTimeout(follow, EVERY);
})();
