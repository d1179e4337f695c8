() => {
  // Words of ordinary length that stand on more than one line, and no hyphen or slash to break at.
  const LONGEST = 14;
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const broken = [];
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    for (const word of text.data.matchAll(/[^\s\-/]+/g)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((one) => Math.round(one.top)));
      if (word[0].length <= LONGEST && lines.size > 1) broken.push(word[0]);
    }
  }
  return broken;
}
