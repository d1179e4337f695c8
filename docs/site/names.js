// Two buttons of the theme's search have only pictures.
const NAMES = { "lucide-search": "Search", "lucide-list-filter": "Filters" };

const name = (root) => {
  for (const [picture, text] of Object.entries(NAMES)) {
    root.querySelector(`.${picture}`)?.closest("button").setAttribute("aria-label", text);
  }
};

const watch = () => {
  for (const { shadowRoot } of document.querySelectorAll("body > div")) {
    if (!shadowRoot) continue;
    name(shadowRoot);
    new MutationObserver(() => name(shadowRoot)).observe(shadowRoot, { childList: true, subtree: true });
  }
};

new MutationObserver(watch).observe(document.body, { childList: true });
watch();
