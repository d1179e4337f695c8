// Keyboard and forms on all project pages. The forms also work without it.
"use strict";

(() => {
  const TYPING = "select, textarea, input:not([type=checkbox], [type=radio])";
  const STOPS = "a[href], button, summary, select, textarea, input:not([type=hidden])";
  const POSITION = "position";
  const PATIENCE = 400;
  const STAYS = 6000;

  // "/" or Ctrl-K focuses the search field.
  document.addEventListener("keydown", (event) => {
    if (event.altKey) return;
    const hasControl = event.ctrlKey || event.metaKey;
    const isTyping = event.target.matches(TYPING);
    if (hasControl ? event.key !== "k" : event.key !== "/" || isTyping) return;
    event.preventDefault();
    document.getElementById("find").select();
  });

  // A held key must not press a button on the next page, where the next row has the focus.
  document.addEventListener("keydown", (event) => {
    if (event.repeat && event.key === "Enter" && event.target.matches("button")) event.preventDefault();
  });

  const lists = () => [...document.querySelectorAll("main :is(ul, ol, tbody)")];
  const stops = (row) => [...row.querySelectorAll(STOPS)].filter((stop) => stop.checkVisibility());
  const nearest = (items, at) => items[Math.min(at, items.length - 1)];

  // The list, row and control that have the focus.
  function placeOf(element) {
    const row = element.closest("main :is(li, tr)");
    if (!row) return null;
    return [lists().indexOf(row.parentElement), [...row.parentElement.children].indexOf(row), stops(row).indexOf(element)];
  }

  function stopAt([list, row, stop]) {
    const rows = lists()[list]?.children;
    return rows?.length ? nearest(stops(nearest([...rows], row)), stop) : undefined;
  }

  function same({ action, name, value }) {
    return [...document.querySelectorAll("main button")].find((button) =>
      button.form?.action === action && button.name === name && button.value === value && button.checkVisibility());
  }

  // After a form, restore the scroll position; a page with errors focuses its own field.
  function comeBack() {
    const position = JSON.parse(sessionStorage.getItem(POSITION));
    sessionStorage.removeItem(POSITION);
    if (position?.path !== location.pathname || document.querySelector("[autofocus]")) return;
    scrollTo(0, position.top);
    const main = document.getElementById("main");
    main.tabIndex = -1;
    const stop = same(position.button) ?? (position.row && stopAt(position.row)) ?? main;
    stop.focus({ preventScroll: stop === main });
  }

  let progress;
  document.addEventListener("submit", ({ target: form, submitter }) => {
    if (form.method === "post") {
      const { name = "", value = "" } = submitter ?? {};
      const button = { action: form.action, name, value };
      const row = placeOf(document.activeElement) ?? (submitter && placeOf(submitter));
      sessionStorage.setItem(POSITION, JSON.stringify({ path: location.pathname, top: scrollY, button, row }));
    }
    if (submitter?.matches("[data-file]")) return; // the response is a file: this page stays
    setTimeout(() => {
      progress ??= document.body.appendChild(document.createElement("p"));
      progress.role = "status";
      progress.className = "toast working";
      progress.textContent = "Working…";
    }, PATIENCE);
  });
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    progress?.remove();
    progress = undefined;
  });
  comeBack();

  // How many boxes are ticked, and their total.
  for (const sum of document.querySelectorAll("[data-sum]")) {
    const form = sum.closest("form");
    const boxes = [...form.elements].filter(({ name }) => name?.startsWith("selected.") || name === "compare");
    const show = () => {
      const ticked = boxes.filter((box) => box.checked);
      const cents = ticked.reduce((total, box) => total + Number(box.dataset.cents), 0);
      const dollars = (cents / 100).toLocaleString("en-US", { style: "currency", currency: "USD" });
      const total = Number.isNaN(cents) ? "" : `: ${dollars}`;
      sum.textContent = ticked.length ? `${ticked.length} selected${total}` : "";
    };
    for (const box of boxes) box.addEventListener("change", show);
    addEventListener("pageshow", show);
    show();
  }

  // Copies a field that is only read, an element's address or text, or of an empty one the page's.
  for (const field of document.querySelectorAll("[readonly], [data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "small plain";
    button.textContent = `Copy ${field.dataset.copy ?? field.labels[0].textContent}`;
    button.onclick = () => {
      navigator.clipboard.writeText(field.value ?? field.href ?? (field.textContent || location));
      button.textContent = "Copied";
    };
    if (navigator.clipboard) field.after(" ", button);
  }

  // A message leaves after six seconds, not while the pointer or the focus is on it. Its Undo keeps its key.
  const toast = document.querySelector(".toast");
  let leaving;
  function leaveSoon() {
    clearTimeout(leaving);
    leaving = setTimeout(() => {
      if (!toast.matches(":hover, :focus-within")) toast.hidden = true;
    }, STAYS);
  }
  if (toast) {
    for (const name of ["pointerleave", "focusout"]) toast.addEventListener(name, leaveSoon);
    leaveSoon();
  }
})();
