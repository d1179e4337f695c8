// Draws each chart of a page from its JSON. The table below has the same numbers.
"use strict";

(() => {
  const HEIGHT = 220;
  const LABEL = 84;
  const WIDEST_BAR = 40;
  const ROUND = [1, 2, 2.5, 5, 10];
  const PALETTE = ["--accent", "--warn", "--good", "--bad", "--quiet"];
  const DASHES = [[], [8, 4], [3, 3], [10, 3, 3, 3], [1, 4]];

  const formats = (options, divisor) => {
    const long = new Intl.NumberFormat("en", options);
    const short = new Intl.NumberFormat("en", { ...options, minimumFractionDigits: 0, notation: "compact" });
    return { long: (value) => long.format(value / divisor), short: (value) => short.format(value / divisor) };
  };
  const UNITS = {
    count: formats({}, 1),
    cents: formats({ style: "currency", currency: "USD" }, 100),
    percent: formats({ style: "percent", maximumFractionDigits: 1 }, 100),
  };
  const month = new Intl.DateTimeFormat("en-US", { month: "short", timeZone: "UTC" }); // en-GB has Sept
  const shortDay = (day) => `${day.getUTCDate()} ${month.format(day)}`;
  const longDay = (day) => `${shortDay(day)} ${day.getUTCFullYear()}`;
  const written = (xValue, format) =>
    typeof xValue === "number" ? `Day ${xValue}` : format(new Date(xValue));

  // Rounded ends of an axis and the distance between its lines: at most five intervals.
  function ends(low, high, unit) {
    const span = Math.max(high - low, 1);
    const power = 10 ** Math.floor(Math.log10(span / 5));
    const step = ROUND.map((one) => one * power).find((one) => one * 5 >= span);
    const whole = unit === "percent" ? step : Math.ceil(step);
    return { step: whole, bottom: Math.floor(low / whole) * whole, top: Math.ceil(high / whole) * whole };
  }

  function splits(bottom, top, unit) {
    const { step } = ends(bottom, top, unit);
    const first = Math.ceil(bottom / step); // below 0 the step may be larger than that of the ends
    return Array.from({ length: Math.floor(top / step) - first + 1 }, (_, at) => (first + at) * step);
  }

  function element(name, parent, className = "") {
    const made = parent.appendChild(document.createElement(name));
    made.className = className;
    return made;
  }

  class Drawing {
    constructor(figure) {
      this.data = JSON.parse(figure.querySelector("script").textContent);
      const { xValues, lines, events } = this.data;
      this.lines = lines.filter((line) => line.kind !== "aside");
      this.last = xValues.length - 1;
      const isKnown = (_, at) => this.lines.some((line) => line.values[at] !== null);
      const today = xValues.indexOf(this.data.today);
      this.known = today >= 0 && isKnown(null, today) ? today : Math.max(0, xValues.findLastIndex(isKnown));
      this.notes = xValues.map((xValue) => events.filter((event) => event.at === xValue).map((event) => event.text).join("\n"));
      this.looks = this.lines.map((line, at) => this.look(line, at));
      this.plot = element("div", figure, "plot");
      this.reading = this.legend(element("figcaption", figure, "reading"));
      this.offer();
      this.draw();
    }

    look(line, at) {
      if (line.kind === "earlier") return { colour: "--quiet", dash: [2, 5], width: 1.5 };
      if (line.kind === "expected") return { colour: "--accent", dash: [6, 4], width: 2 };
      const before = this.lines.slice(0, at).filter((other) => other.kind === line.kind).length;
      return { colour: PALETTE[at % PALETTE.length], dash: DASHES[before % DASHES.length], width: 2 };
    }

    legend(caption) {
      const when = element("strong", caption);
      const numbers = this.data.lines.map((line) => {
        const key = element("span", caption, "key");
        const look = this.looks[this.lines.indexOf(line)];
        if (look) {
          const swatch = element("i", key);
          swatch.style.borderTop = `3px ${look.dash.length ? "dashed" : "solid"} var(${look.colour})`;
        }
        element("bdi", key).textContent = line.label;
        return element("b", key);
      });
      return { when, numbers, notes: element("span", caption, "hint words") };
    }

    // A slider, so that keys, touch and screen readers can move from value to value.
    offer() {
      const { plot } = this;
      plot.tabIndex = 0;
      plot.setAttribute("role", "slider");
      plot.setAttribute("aria-label", this.data.title);
      plot.setAttribute("aria-valuemin", 0);
      plot.setAttribute("aria-valuemax", this.last);
      plot.addEventListener("keydown", (event) => {
        const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.last }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        const left = this.chart.valToPos(Math.min(Math.max(to, 0), this.last), "x");
        this.chart.setCursor({ left, top: 0 });
      });
      for (const name of ["pointerdown", "pointermove"]) {
        plot.addEventListener(name, (event) => {
          if (event.pointerType !== "touch") return;
          const left = event.clientX - this.chart.over.getBoundingClientRect().left;
          this.chart.setCursor({ left, top: 0 });
        });
      }
    }

    words(line, at) {
      const { long } = UNITS[line.unit];
      if (line.values[at] === null) return "not known";
      const value = long(line.values[at]);
      const isRange = line.low.length && line.low[at] !== null;
      return isRange ? `${value} (${long(line.low[at])} to ${long(line.high[at])})` : value;
    }

    read(at) {
      this.at = at;
      const { data, reading } = this;
      reading.when.textContent =
        written(data.xValues[at], longDay) + (data.xValues[at] === data.today ? " so far" : "");
      const numbers = data.lines.map((line) => this.words(line, at));
      reading.numbers.forEach((number, each) => {
        number.textContent = numbers[each];
        number.parentElement.hidden = data.lines[each].kind === "aside" && !data.lines[each].values[at];
      });
      reading.notes.textContent = this.notes[at];
      this.plot.setAttribute("aria-valuenow", at);
      this.plot.setAttribute("aria-valuetext", reading.when.parentElement.innerText.replace(/\s+/g, " "));
    }

    series(colour) {
      const isolated = (chart, series) => {
        const values = chart.data[series];
        return values.flatMap((value, at) =>
          value !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null ? [at] : []);
      };
      return this.lines.map((line, at) => {
        const look = this.looks[at];
        const ink = colour(look.colour);
        const shared = { label: line.label, scale: line.unit, stroke: ink, dash: look.dash, width: look.width };
        if (line.kind === "bars")
          return { ...shared, dash: [], width: 0, fill: ink, paths: uPlot.paths.bars({ size: [0.75, WIDEST_BAR] }), points: { show: false } };
        const fill = line.kind === "area" ? colour("--wash") : undefined;
        return { ...shared, fill, points: { show: true, size: 5, fill: ink, filter: isolated } };
      });
    }

    // The ends of intervals, below all lines: invisible, with a band between them.
    bands(colour) {
      const ranges = this.lines.filter((line) => line.low.length);
      return {
        values: ranges.flatMap((line) => [line.high, line.low]),
        series: ranges.flatMap((line) => Array(2).fill({ scale: line.unit, width: 0, points: { show: false } })),
        bands: ranges.map((_, at) => ({ series: [1 + 2 * at, 2 + 2 * at], fill: colour("--wash") })),
      };
    }

    axes(colour) {
      const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
      const { xValues } = this.data;
      const labelled = (chart) => {
        const step = Math.ceil(Math.max(this.last, 1) / Math.max(1, Math.floor(chart.width / LABEL) - 1));
        const even = Array.from({ length: Math.floor(this.last / step) + 1 }, (_, each) => each * step);
        return [...even.filter((at) => this.last - at > 0.6 * step), this.last];
      };
      const { unit } = this.lines[0];
      return [
        { ...axis, grid: { show: false }, size: 30, splits: labelled, values: (_, at) => at.map((one) => written(xValues[one], shortDay)) },
        { ...axis, scale: unit, size: 56, splits: (_chart, _axis, bottom, top) => splits(bottom, top, unit), values: (_, at) => at.map(UNITS[unit].short) },
      ];
    }

    scales() {
      const half = this.last === 0 || this.lines.some((line) => line.kind === "bars") ? 0.5 : 0;
      const range = (unit) => (_chart, low, high) => {
        const { bottom, top } = ends(Math.min(0, low ?? 0), unit === "percent" ? 100 : Math.max(1, high ?? 0), unit);
        return [bottom, top];
      };
      const byUnit = Object.keys(UNITS).map((unit) => [unit, { range: range(unit) }]);
      return { x: { time: false, range: () => [-half, this.last + half] }, ...Object.fromEntries(byUnit) };
    }

    drawEvents(chart, ink) {
      const { ctx, bbox } = chart;
      const dot = 4 * devicePixelRatio;
      ctx.save();
      ctx.strokeStyle = ctx.fillStyle = ink;
      ctx.setLineDash([dot, dot]);
      this.notes.forEach((note, at) => {
        if (!note) return;
        const x = chart.valToPos(at, "x", true);
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bbox.top + bbox.height);
        ctx.stroke();
        ctx.beginPath();
        ctx.arc(x, bbox.top, dot, 0, 2 * Math.PI);
        ctx.fill();
      });
      ctx.restore();
    }

    draw() {
      this.chart?.destroy();
      const style = getComputedStyle(this.plot);
      const colour = (name) => style.getPropertyValue(name).trim();
      const { values, series, bands } = this.bands(colour);
      const options = {
        width: this.plot.clientWidth,
        height: HEIGHT,
        padding: [10, 24, 0, 0],
        cursor: { y: false, drag: { x: false, y: false } },
        legend: { show: false },
        hooks: {
          setCursor: [(chart) => this.read(chart.cursor.idx ?? this.known)],
          draw: [(chart) => this.drawEvents(chart, colour("--quiet"))],
        },
        scales: this.scales(),
        axes: this.axes(colour),
        series: [{}, ...series, ...this.series(colour)],
        bands,
      };
      const indexes = this.data.xValues.map((_, at) => at);
      this.chart = new uPlot(options, [indexes, ...values, ...this.lines.map((line) => line.values)], this.plot);
      this.read(this.known);
    }

    resize() {
      const { clientWidth: width } = this.plot;
      if (width && width !== this.chart.width) this.chart.setSize({ width, height: HEIGHT });
    }
  }

  for (const figure of document.querySelectorAll("figure.chart")) {
    const drawing = new Drawing(figure);
    for (const query of ["(prefers-color-scheme: dark)", "print"])
      matchMedia(query).addEventListener("change", () => drawing.draw());
    new ResizeObserver(() => drawing.resize()).observe(drawing.plot);
  }
})();
