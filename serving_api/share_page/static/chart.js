// Draws the chart of views by day from the table that says the same in text, and folds the table.
// Without scripts the table stays open.
"use strict";

(() => {
  const SECONDS_A_DAY = 86400;
  const TICKS = [1, 2, 7, 14, 28].map((days) => days * SECONDS_A_DAY);
  const HEIGHT = 240;
  const WIDEST_BAR = 40;
  const STEPS = Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

  const place = document.getElementById("chart");
  const reading = document.getElementById("reading");
  const table = document.getElementById("days");

  const rows = [...table.querySelectorAll("tbody tr")];
  const days = rows.map((row) => Date.parse(row.dataset.day) / 1000);
  const views = rows.map((row) => (row.dataset.views === "" ? null : Number(row.dataset.views)));

  const before = rows.map((row) => Number(row.dataset.before));

  const inUtc = (options) => new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
  const shortDay = inUtc({ day: "numeric", month: "short" });
  const longDay = inUtc({ day: "numeric", month: "short", year: "numeric" });
  const shortNumber = new Intl.NumberFormat("en", { notation: "compact" });
  const longNumber = new Intl.NumberFormat("en");

  const LAST = days.length - 1;
  const counted = (count) =>
    count === null ? "not known" : `${longNumber.format(count)} ${count === 1 ? "view" : "views"}`;

  // Tells the day that the pointer is at, or the last one, which goes on.
  function read(at) {
    const day = longDay.format(days[at] * 1000) + (at === LAST ? " so far" : "");
    const apart = before[at] ? `, and ${longNumber.format(before[at])} from before tracking` : "";
    reading.textContent = `${day}: ${counted(views[at])}${apart}`;
  }

  function options(width) {
    const style = getComputedStyle(document.documentElement);
    const [bar, ink, line] = ["--accent", "--quiet", "--line"].map((name) => style.getPropertyValue(name));
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { show: false } };
    return {
      width,
      height: HEIGHT,
      cursor: { y: false, drag: { x: false, y: false } },
      legend: { show: false },
      hooks: { setCursor: [(shown) => read(shown.cursor.idx ?? LAST)] },
      scales: {
        x: { range: (_chart, from, to) => [from - SECONDS_A_DAY / 2, to + SECONDS_A_DAY / 2] },
        y: { range: (_chart, least, most) => [Math.min(0, least) * 1.1, Math.max(1, most) * 1.1] },
      },
      axes: [
        { ...axis, grid: { show: false }, size: 30, space: 60, incrs: TICKS, values: (_chart, at) => at.map((second) => shortDay.format(second * 1000)) },
        { ...axis, size: 56, incrs: STEPS, values: (_chart, at) => at.map((count) => shortNumber.format(count)) },
      ],
      series: [
        {},
        {
          fill: bar,
          width: 0,
          paths: uPlot.paths.bars({ size: [0.75, WIDEST_BAR] }),
          points: { show: false },
        },
      ],
    };
  }

  let chart = null;
  function draw() {
    chart?.destroy();
    chart = new uPlot(options(place.clientWidth), [days, views], place);
    read(LAST);
  }

  draw();
  table.open = false;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  new ResizeObserver(() => {
    if (place.clientWidth !== chart.width) chart.setSize({ width: place.clientWidth, height: HEIGHT });
  }).observe(place);
})();
