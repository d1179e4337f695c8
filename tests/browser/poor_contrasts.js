() => {
  const luminance = (colour) => {
    const [red, green, blue] = colour.match(/[\d.]+/g).map(Number).map((value) => {
      const part = value / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const ground = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (!colour.endsWith(", 0)")) return colour;
    }
    return isDark ? "rgb(18, 18, 18)" : "rgb(255, 255, 255)";
  };
  const hasText = (element) =>
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
  return [...document.querySelectorAll("main *")].filter(hasText).flatMap((element) => {
    const text = luminance(getComputedStyle(element).color);
    const behind = luminance(ground(element));
    const contrast = (Math.max(text, behind) + 0.05) / (Math.min(text, behind) + 0.05);
    return contrast < 4.5 ? [`${contrast.toFixed(2)}: ${element.textContent.trim()}`] : [];
  });
}
