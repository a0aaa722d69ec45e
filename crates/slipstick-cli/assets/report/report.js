/* Slipstick report: the page.
 *
 * Reads the data element, lays the samples out as flat arrays, and builds the page
 * from top to bottom: header, time plot with modes, phase plot, step sizes, audit,
 * and the panels of panels.js. One View ties all plots over time together. */
"use strict";
(function (S) {

  const COLOURS = 8, SELECTED_AT_FIRST = 6, MOST_LANES = 24, FILTER_FROM = 25, MOST_JUMPS = 2000;
  const DASHES = [null, [7, 3], [2, 3]];

  const data = JSON.parse(document.getElementById("data").textContent);
  const run = flatten(data.segments);
  const view = new S.View(run.t.length ? run.t[0] : 0, run.t.length ? run.t[run.t.length - 1] : 1);
  const marks = Float64Array.from(data.events, (event) => event.t);
  const spans = modeSpans();
  const timeText = (t, digits) => S.pretty(S.withUnit(S.formatNumber(t, digits), data.time_unit));
  const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
  const smooth = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth");

  // -------------------------------------------------------------------- data

  /** All segments end to end: times, and a flag where each segment starts. */
  function flatten(segments) {
    const size = segments.reduce((sum, segment) => sum + segment.t.length, 0);
    const t = new Float64Array(size), head = new Uint8Array(size);
    let at = 0;
    for (const segment of segments) {
      t.set(segment.t, at);
      if (segment.t.length) head[at] = 1;
      at += segment.t.length;
    }
    return { t, head };
  }

  /** One value per sample from `pick(segment index)`, NaN where there is none. */
  function flatValues(pick) {
    const out = new Float64Array(run.t.length).fill(NaN);
    let at = 0;
    data.segments.forEach((segment, i) => {
      const values = pick(i) || [];
      for (let k = 0; k < segment.t.length; k++) if (typeof values[k] === "number") out[at + k] = values[k];
      at += segment.t.length;
    });
    return out;
  }

  /** Whether a series belongs to a contact: these have a section of their own. */
  const isOfContact = (s) => Boolean(data.contacts) && data.series[s].name.startsWith("contact.");

  const curves = new Map();
  /** The curve of series s, laid out on first use. */
  function seriesCurve(s) {
    if (!curves.has(s)) {
      const { name, unit } = data.series[s];
      curves.set(s, {
        name, unit, t: run.t, head: run.head, join: true,
        v: flatValues((i) => data.segments[i].values[s]),
        colour: `--s${s % COLOURS}`, dash: DASHES[Math.floor(s / COLOURS) % DASHES.length],
      });
    }
    return curves.get(s);
  }

  /** Spans of time in one mode; neighbouring segments in the same mode are merged. */
  function modeSpans() {
    const out = [];
    for (const { mode, t } of data.segments) {
      const last = out[out.length - 1], index = data.modes.indexOf(mode);
      if (!t.length || index < 0) continue;
      if (last && last.name === mode) last.to = t[t.length - 1];
      else out.push({ name: mode, from: t[0], to: t[t.length - 1], colour: `--m${index % COLOURS}` });
    }
    return out;
  }

  // ------------------------------------------------------------------ header

  function header() {
    const { outcome, warnings } = data;
    const verdict = !outcome.ok ? "bad" : warnings.length ? "warn" : "good";
    const badge = S.el("span", { class: `badge ${verdict}` }, outcome.code);
    return S.el("header", { class: "top" },
      S.el("div", { class: "top-line" }, S.el("span", { class: "brand" }, "Slipstick"), S.el("span", { class: "quiet" }, "run report"), S.themeButton()),
      S.el("div", { class: "title-line" }, S.el("h1", {}, data.title), badge, warnings.length ? warningsLink(warnings.length) : null),
      S.el("p", { class: "meta" }, S.el("code", {}, data.model_file), outcome.ok ? ` ${outcome.text}` : null),
      data.description ? S.el("p", { class: "description" }, reflowed(data.description)) : null,
      outcome.ok ? null : banner(outcome),
      data.picture ? null : tiles());
  }

  /** A description in lines as wide as the page; blank lines and lists keep theirs. */
  function reflowed(text) {
    return text.replace(/([^\n])\n(?![\n\s*-])/g, "$1 ");
  }

  /** The numbers of the run; they come after the picture where there is one. */
  function tiles() {
    const all = data.summary.map(([label, value]) => S.el("div", { class: "tile" }, S.el("dt", {}, label), S.el("dd", {}, value)));
    return all.length ? S.el("dl", { class: "tiles" }, ...all) : null;
  }

  function warningsLink(count) {
    return S.el("a", { class: "badge warn", href: "#warnings" }, count === 1 ? "1 warning" : `${count} warnings`);
  }

  function banner(outcome) {
    return S.el("div", { class: "banner", role: "alert" },
      S.el("strong", {}, outcome.text), outcome.hint ? S.el("p", {}, outcome.hint) : null);
  }

  // --------------------------------------------------------------- time plot

  /** The time plot: chips that choose the series, lanes, window and event stepper. */
  class TimePlot {
    constructor(table) {
      this.table = table;
      this.event = null;
      this.chosen = new Set([...data.series.keys()].filter((s) => !isOfContact(s)).slice(0, SELECTED_AT_FIRST));
      this.stacked = this.prefersStacked();
      this.host = S.el("div");
      this.chips = data.series.map((_, s) => this.chip(s));
      this.readout = S.el("span", { class: "readout" });
      this.window = S.el("span", { class: "quiet window" });
      this.resetButton = S.button("Reset", () => view.reset(), { title: "Show the whole run (double-click on a plot)" });
      this.section = S.section("time", "Time plot",
        [this.window, this.stepper(), this.layoutToggle(), this.resetButton],
        S.el("div", { class: "chip-line" }, this.readout, ...this.chipTools()),
        S.el("div", { class: "chips", role: "group", "aria-label": "Series shown" }, ...this.chips.map((chip) => chip.node)),
        this.host, this.modeStrip(),
        S.el("p", { class: "hint" },
          S.el("span", { class: "for-mouse" }, "Drag to zoom, shift-drag to pan, wheel to zoom, double-click to reset. Keys: ← → + − 0."),
          S.el("span", { class: "for-touch" }, "Drag to pan, pinch to zoom, double-tap to reset.")));
      this.plot = new S.Plot(this.host, { view, marks, label: "Series against time", timeUnit: data.time_unit, describe: describeMoment });
      view.watch((what) => (what === "range" ? this.showWindow() : this.scheduleValues()));
      this.update();
      this.showWindow();
    }

    /** Series of different units do not share a y axis well. */
    prefersStacked() {
      const units = new Set([...this.chosen].map((s) => data.series[s].unit));
      return units.size > 1;
    }

    chip(s) {
      const { name, unit, kind } = data.series[s];
      const value = S.el("span", { class: "chip-value" });
      const box = S.el("input", { type: "checkbox", checked: this.chosen.has(s), onchange: () => this.toggle(s, box.checked) });
      const swatch = S.el("i", { class: "swatch" });
      swatch.style.background = `var(--s${s % COLOURS})`;
      const node = S.el("label", { class: "chip", title: `${name} (${kind})` },
        box, swatch, S.el("span", { class: "chip-name" }, name), unit ? S.el("span", { class: "quiet" }, unit) : null, value);
      return { node, box, value, s };
    }

    /** Buttons for all and none, and a search field when there are many series. */
    chipTools() {
      if (data.series.length <= 1) return [];
      const set = (choose) => () => {
        for (const chip of this.chips) {
          if (!chip.node.hidden) { chip.box.checked = choose; this.chosen[choose ? "add" : "delete"](chip.s); }
        }
        this.update();
      };
      const tools = [S.button("All", set(true), { class: "button tiny" }), S.button("None", set(false), { class: "button tiny" })];
      if (data.series.length < FILTER_FROM) return tools;
      const find = S.el("input", { type: "search", class: "input small", placeholder: "Find a series", "aria-label": "Find a series" });
      find.addEventListener("input", () => {
        for (const chip of this.chips) chip.node.hidden = !data.series[chip.s].name.toLowerCase().includes(find.value.toLowerCase());
      });
      return [find, ...tools];
    }

    toggle(s, on) {
      this.chosen[on ? "add" : "delete"](s);
      this.update();
    }

    layoutToggle() {
      const choice = (text, stacked) => S.button(text, () => { this.stacked = stacked; this.update(); }, { class: "button" });
      this.layout = [choice("One plot", false), choice("Stacked", true)];
      return S.el("div", { class: "toggle", role: "group", "aria-label": "Layout of the series", hidden: data.series.length < 2 }, ...this.layout);
    }

    update() {
      this.layout.forEach((button, i) => button.setAttribute("aria-pressed", String((i === 1) === this.stacked)));
      for (const chip of this.chips) chip.node.classList.toggle("on", chip.box.checked);
      const shown = [...this.chosen].sort((a, b) => a - b);
      this.plot.setLanes(this.stacked && shown.length ? this.stackedLanes(shown) : [this.singleLane(shown)]);
      this.showValues();
    }

    singleLane(shown) {
      const units = new Set(shown.map((s) => data.series[s].unit));
      const unit = units.size === 1 ? [...units][0] : null;
      const label = shown.length ? (unit ? `[${unit}]` : units.size > 1 ? "mixed units" : "") : "no series selected";
      return { label, colour: "--muted", height: innerWidth < 640 ? 260 : 360, curves: shown.map(seriesCurve), spans };
    }

    stackedLanes(shown) {
      const tall = shown.length <= 3 ? 128 : 96;
      const lanes = shown.slice(0, MOST_LANES).map((s) => {
        const { name, unit, kind } = data.series[s];
        return { label: S.axisName(name, unit), colour: `--s${s % COLOURS}`, height: kind === "switch" ? 44 : tall, curves: [seriesCurve(s)], spans };
      });
      if (shown.length > MOST_LANES) lanes[MOST_LANES - 1].label += `   (first ${MOST_LANES} of ${shown.length} series)`;
      return lanes;
    }

    modeStrip() {
      if (!spans.length) return null;
      const host = S.el("div");
      const legend = data.modes.map((name, i) => {
        const swatch = S.el("i", { class: "swatch square" });
        swatch.style.background = `var(--m${i % COLOURS})`;
        return S.el("span", { class: "legend" }, swatch, name);
      });
      const plot = new S.Plot(host, { view, marks: new Float64Array(0), label: "Modes against time", timeUnit: data.time_unit });
      plot.setLanes([{ label: "", height: 30, curves: [], paint: paintModes, rows: describeMode }]);
      return S.el("div", { class: "modes", id: "modes" }, S.el("div", { class: "chip-line" }, S.el("h3", {}, "Modes"), ...legend), host);
    }

    /** Previous and next event; the label between them leads to the table. */
    stepper() {
      const total = data.events.length;
      this.stepLabel = S.button(plural(total, "event"), () => this.table.pick(this.event, true), { disabled: true, title: "Show in the table" });
      const step = (text, label, by) => S.button(text, () => this.stepBy(by), { "aria-label": label, disabled: !total });
      return S.el("div", { class: "toggle", role: "group", "aria-label": "Step through the events", hidden: !total },
        step("‹", "Previous event", -1), this.stepLabel, step("›", "Next event", 1));
    }

    stepBy(by) {
      const at = this.event ? data.events.indexOf(this.event) + by : by > 0 ? 0 : data.events.length - 1;
      if (data.events[at]) this.focusEvent(data.events[at]);
    }

    focusEvent(event) {
      this.event = event;
      this.stepLabel.textContent = `Event ${event.number} of ${data.events.length}`;
      this.stepLabel.disabled = false;
      view.pin(event.t, eventNeighbourhood(event.t));
      this.table.pick(event, false);
    }

    /** Scrolls the plot into sight if it is not. */
    reveal() {
      const { top, bottom } = this.host.getBoundingClientRect();
      if (top < 0 || bottom > innerHeight + 40) this.section.scrollIntoView({ block: "start", behavior: smooth() });
    }

    showWindow() {
      const span = view.hi - view.lo;
      this.resetButton.disabled = view.isFull;
      this.window.textContent = view.isFull ? "" : `window ${timeText(span, 3)} wide`;
    }

    scheduleValues() {
      if (!this.frame) this.frame = requestAnimationFrame(() => { this.frame = 0; this.showValues(); });
    }

    /** Live values on the chips: at the cursor, or else at the end of the run. */
    showValues() {
      const t = view.cursor === null ? view.fullHi : view.cursor;
      this.readout.textContent = view.cursor === null ? `Values at the end, t = ${timeText(t)}` : `Values at t = ${timeText(t, 9)}`;
      for (const chip of this.chips) {
        chip.value.textContent = chip.box.checked ? S.pretty(S.formatNumber(S.valuesAt(seriesCurve(chip.s), t)[1], 5)) : "";
      }
    }
  }

  /** Half the window to show around an event: a few gaps to its nearest neighbour. */
  function eventNeighbourhood(t) {
    const before = marks[S.lowerBound(marks, t) - 1], after = marks[S.upperBound(marks, t)];
    const gaps = [t - before, after - t].filter((gap) => gap > 0);
    return Math.max(view.fullSpan * 1e-9, Math.min(view.fullSpan * 0.04, 2.5 * Math.min(...gaps)));
  }

  /** Tooltip rows for the events at a moment. */
  function describeMoment(t) {
    const here = data.events.slice(S.lowerBound(marks, t), S.upperBound(marks, t));
    const rows = here.slice(0, 3).map((event) => ["--mark", `event ${event.number}`, S.eventNames(event)]);
    if (here.length > 3) rows.push([null, `and ${here.length - 3} more events`, ""]);
    return rows;
  }

  function spanAt(t) {
    return spans.filter((span) => span.from <= t && t <= span.to).slice(-2);
  }

  function describeMode(t) {
    return spanAt(t).map(({ name, from, to, colour }) => [colour, name, `${timeText(from)} – ${timeText(to)}`]);
  }

  function paintModes(ctx, box, sx) {
    S.drawSpans(ctx, box, spans, sx, view.lo, view.hi, 0.85);
    ctx.fillStyle = S.colour("--mode-ink");
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    for (const { name, from, to } of spans) {
      const x0 = Math.max(box.x, sx(from)), x1 = Math.min(box.x + box.w, sx(to));
      if (x1 - x0 > 24 && ctx.measureText(name).width + 10 < x1 - x0) ctx.fillText(name, (x0 + x1) / 2, box.y + box.h / 2 + 0.5);
    }
  }

  // -------------------------------------------------------------- phase plot

  /** One series against another: the window in view strong, the rest of the run faint. */
  class PhasePlot {
    constructor() {
      const states = [...data.series.keys()].filter((s) => data.series[s].kind === "state");
      const order = [...states, ...[...data.series.keys()].filter((s) => !states.includes(s))];
      this.selects = [this.select("x", order[0]), this.select("y", order[1])];
      this.host = S.el("div");
      this.fit = S.el("input", { type: "checkbox", onchange: () => this.surface.draw() });
      const pick = (name, select) => S.el("label", { class: "field" }, name, select);
      this.section = S.section("phase", "Phase plot",
        [pick("x", this.selects[0]), pick("y", this.selects[1]), S.el("label", { class: "field" }, this.fit, "fit to window")], this.host);
      this.surface = new S.Surface(this.host, "Phase plot", () => this.draw());
      this.surface.over.addEventListener("pointermove", (event) => this.hover(event));
      this.surface.over.addEventListener("pointerleave", () => { view.hovered = null; view.setCursor(null); });
      view.watch((what) => this.schedule(what === "cursor" ? "drawOverlay" : "draw"));
    }

    select(name, chosen) {
      const options = data.series.map((series, s) => S.el("option", { value: s, selected: s === chosen }, S.axisName(series.name, series.unit)));
      return S.el("select", { class: "input", "aria-label": `Series on the ${name} axis`, onchange: () => this.surface.draw() }, ...options);
    }

    schedule(what) {
      if (what === "draw" || !this.pending) this.pending = what;
      if (!this.frame) this.frame = requestAnimationFrame(() => { this.frame = 0; const todo = this.pending; this.pending = null; this[todo](); });
    }

    draw() {
      const [a, b] = this.selects.map((select) => seriesCurve(Number(select.value)));
      const ctx = this.surface.resize(innerWidth < 640 ? 320 : 380);
      const narrow = this.surface.width < 520;
      const box = { x: narrow ? 48 : 62, y: 20, w: this.surface.width - (narrow ? 60 : 74), h: this.surface.height - 58 };
      const [x0, x1] = this.range(a), [y0, y1] = this.range(b);
      const sx = (v) => box.x + ((v - x0) * box.w) / (x1 - x0), sy = (v) => box.y + box.h - ((v - y0) * box.h) / (y1 - y0);
      Object.assign(this, { a, b, sx, sy });
      const xTicks = S.linearTicks(x0, x1, box.w / 80), yTicks = S.linearTicks(y0, y1, box.h / 55);
      S.drawXGrid(ctx, box, xTicks, sx);
      S.drawYAxis(ctx, box, yTicks, sy);
      S.drawXAxis(ctx, box, xTicks, sx, S.axisName(a.name, a.unit));
      ctx.textAlign = "left";
      ctx.textBaseline = "alphabetic";
      ctx.fillText([S.axisName(b.name, b.unit), yTicks.note].join("   "), box.x, box.y - 8);
      this.drawPath(ctx, box);
      this.drawOverlay();
    }

    /** Sample indices of the window in view. */
    window() { return [S.lowerBound(run.t, view.lo), S.upperBound(run.t, view.hi)]; }

    range({ v }) {
      const [from, to] = this.fit.checked ? this.window() : [0, v.length];
      let lo = Infinity, hi = -Infinity;
      for (let i = from; i < to; i++) { if (v[i] < lo) lo = v[i]; if (v[i] > hi) hi = v[i]; }
      return S.padRange([lo, hi]);
    }

    drawPath(ctx, box) {
      ctx.save();
      ctx.beginPath();
      ctx.rect(box.x, box.y, box.w, box.h);
      ctx.clip();
      ctx.strokeStyle = S.colour("--s0");
      ctx.lineJoin = "round";
      ctx.lineWidth = 1.4;
      if (!view.isFull) { ctx.globalAlpha = 0.22; this.trace(ctx, 0, run.t.length); }
      ctx.globalAlpha = 1;
      this.trace(ctx, ...this.window());
      ctx.restore();
    }

    /** Strokes samples [from, to): solid inside segments, dashed across jumps. */
    trace(ctx, from, to) {
      const solid = new Path2D(), jumps = new Path2D();
      let px = NaN, py = NaN, jumpCount = 0;
      for (let i = from; i < to; i++) {
        const x = this.sx(this.a.v[i]), y = this.sy(this.b.v[i]);
        const near = Math.abs(x - px) + Math.abs(y - py) < 0.7;
        if (!(x - x + y - y === 0)) { px = py = NaN; continue; }
        if (run.head[i] || px !== px) {
          if (px === px && !near && jumpCount++ < MOST_JUMPS) { jumps.moveTo(px, py); jumps.lineTo(x, y); }
          solid.moveTo(x, y);
        } else if (near && i < to - 1 && !run.head[i + 1]) continue;
        else solid.lineTo(x, y);
        px = x; py = y;
      }
      ctx.stroke(solid);
      if (jumpCount > MOST_JUMPS) return;
      ctx.save();
      ctx.globalAlpha *= Math.min(0.5, 120 / jumpCount);
      ctx.lineWidth = 1;
      ctx.setLineDash([2, 3]);
      ctx.stroke(jumps);
      ctx.restore();
    }

    /** Finds the sample nearest to the pointer and makes its time the cursor. */
    hover(event) {
      const rect = this.surface.over.getBoundingClientRect();
      const x = event.clientX - rect.left, y = event.clientY - rect.top;
      let best = 40 ** 2, at = -1;
      for (let [i, to] = this.window(); i < to; i++) {
        const d = (this.sx(this.a.v[i]) - x) ** 2 + (this.sy(this.b.v[i]) - y) ** 2;
        if (d < best) { best = d; at = i; }
      }
      this.nearest = at;
      view.hovered = this;
      view.setCursor(at < 0 ? null : run.t[at]);
      this.schedule("drawOverlay");
    }

    drawOverlay() {
      if (!this.sx) return;
      const ctx = this.surface.clear(this.surface.over);
      this.surface.hideTip();
      if (view.cursor === null) return;
      const [a, b] = [S.valuesAt(this.a, view.cursor), S.valuesAt(this.b, view.cursor)];
      ctx.fillStyle = S.colour("--s1");
      for (const side of [0, 1]) if (Number.isFinite(a[side] + b[side])) S.dot(ctx, this.sx(a[side]), this.sy(b[side]), 4);
      if (view.hovered !== this) return;
      const i = this.nearest;
      const row = (curve) => [null, curve.name, S.pretty(S.withUnit(S.formatNumber(curve.v[i]), curve.unit))];
      this.surface.showTip(this.sx(this.a.v[i]), this.sy(this.b.v[i]), `t = ${timeText(run.t[i], 9)}`, [row(this.a), row(this.b)]);
    }
  }

  // -------------------------------------------------------------- step sizes

  /** A staircase of log10(h): each accepted step is a tread from its start to its end. */
  function stepCurve() {
    const { t, h } = data.steps, n = t.length;
    const curve = { name: "h", unit: data.time_unit, colour: "--s0", t: new Float64Array(2 * n), v: new Float64Array(2 * n), head: new Uint8Array(2 * n) };
    for (let i = 0; i < n; i++) {
      curve.t[2 * i] = t[i];
      curve.t[2 * i + 1] = i + 1 < n ? t[i + 1] : t[i] + h[i];
      curve.v[2 * i] = curve.v[2 * i + 1] = h[i] > 0 ? Math.log10(h[i]) : NaN;
    }
    return curve;
  }

  function stepSection() {
    const host = S.el("div");
    const section = S.section("steps", "Step size", [S.el("span", { class: "quiet" }, plural(data.steps.t.length, "accepted step"))], host);
    const plot = new S.Plot(host, { view, marks, label: "Size of the accepted steps against time", timeUnit: data.time_unit, describe: describeMoment });
    plot.setLanes([{ label: S.axisName("h", data.time_unit), colour: "--muted", height: innerWidth < 640 ? 262 : 322, curves: [stepCurve()], log: true }]);
    return section;
  }

  // ------------------------------------------------------------------- audit

  function auditSection(time) {
    return S.section("audit", "Audit", [S.el("span", { class: "quiet" }, "quantities that should not change, but for jumps at events")],
      S.el("div", { class: "cards" }, ...data.audit.map((quantity) => auditCard(quantity, time))));
  }

  function auditCard(quantity, time) {
    const { name, unit, start, drift, drift_t: driftAt, jump, jump_t: jumpAt, tolerance, ok } = quantity;
    const amount = (v) => S.withUnit(S.formatNumber(v, 4), unit);
    const moment = (t, text) => (t === null || t === undefined ? null
      : S.button(`${text} t = ${timeText(t, 5)}`, () => { view.pin(t, view.fullSpan * 0.03); time.reveal(); }, { class: "link", title: "Zoom the plots there" }));
    const verdict = ok === null || ok === undefined ? ["none", "no tolerance"] : ok ? ["good", "pass"] : ["bad", "fail"];
    const line = (label, ...content) => S.el("div", {}, S.el("dt", {}, label), S.el("dd", {}, ...content));
    const host = S.el("div");
    const plot = new S.Plot(host, { view, marks, wheel: false, label: `Drift of ${name} against time`, timeUnit: data.time_unit });
    const guides = tolerance ? [tolerance, -tolerance] : [];
    plot.setLanes([{ label: S.axisName(`drift of ${name}`, unit), colour: "--muted", height: 110, curves: [driftCurve(quantity)], guides }]);
    const facts = S.el("dl", { class: "facts" },
      line("start", amount(start)),
      line("drift", S.el("b", {}, amount(drift)), moment(driftAt, "worst at")),
      line("largest jump", amount(jump), moment(jumpAt, "at")),
      line("tolerance", tolerance ? amount(tolerance) : "–"));
    const head = S.el("div", { class: "card-head" }, S.el("h3", {}, name), S.el("span", { class: `badge ${verdict[0]}` }, verdict[1]));
    return S.el("article", { class: "card" }, S.el("div", { class: "card-text" }, head, facts), S.el("div", { class: "card-plot" }, host));
  }

  /** How far the quantity is from its start, jumps at events taken off. */
  function driftCurve({ name, unit, drifts }) {
    return { name: `drift of ${name}`, unit, colour: "--s2", t: run.t, head: run.head, v: flatValues((i) => drifts[i]) };
  }

  // -------------------------------------------------------------------- page

  function tablesSection() {
    const tables = [["Statistics", data.statistics], ["Options", data.options]].filter(([, pairs]) => pairs.length);
    const grid = S.el("div", { class: "pair-grid" }, ...tables.map((table) => S.pairsTable(...table)));
    return tables.length ? S.section("numbers", "Statistics and options", [], grid) : null;
  }

  function footer() {
    return S.el("footer", {}, `Slipstick ${data.version}`, S.el("code", { title: "SHA-256 of the model text" }, data.model_hash));
  }

  /** The picture moves the cursor of the plots, and goes to the moment that is pinned in them. */
  function pictureParts() {
    const { section, seek } = S.pictureSection(data.picture, { moved: (t) => view.setCursor(t) });
    let pinned = null;
    view.watch((what) => {
      if (what !== "range" || view.pinned === pinned) return;
      pinned = view.pinned;
      if (pinned !== null) seek(pinned);
    });
    return [section, S.pictureVerdict(data.picture), tiles()];
  }

  function build() {
    const table = new S.EventTable(data, (event) => { time.focusEvent(event); time.reveal(); });
    const time = new TimePlot(table);
    const phase = data.series.length > 1 ? new PhasePlot().section : null;
    const steps = data.steps.t.length ? stepSection() : null;
    const pair = phase || steps ? S.el("div", { class: phase && steps ? "pair" : "" }, ...[phase, steps].filter(Boolean)) : null;
    const notes = (id, title) => (data[id].length ? S.notesSection(data, id, title) : null);
    const contacts = data.contacts ? S.contactSections(data, { view, marks, run, seriesCurve, timeText, describeMoment }) : [];
    const picture = data.picture ? pictureParts() : [];
    const parts = [header(), ...picture, notes("warnings", "Warnings"), time.section, ...contacts, pair, data.audit.length ? auditSection(time) : null, table.section,
      notes("notes", "Notes"), tablesSection(), S.modelSection(data), footer()];
    document.getElementById("page").append(...parts.filter(Boolean));
  }

  // Pictures are drawn at once, in the colours of the theme.
  S.initTheme();
  build();

})(window.Slipstick);
