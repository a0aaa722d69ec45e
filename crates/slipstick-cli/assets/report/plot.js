/* Slipstick report: the plot component.
 *
 * A View (the shared time window and cursor), curves with per-pixel decimation,
 * and Plot: stacked lanes on a canvas that share one time axis, with zoom, pan,
 * pinch, crosshair and tooltip. Uses the elements and numbers of panels.js. */
"use strict";
window.Slipstick = window.Slipstick || {};
(function (S) {

  // -------------------------------------------------------------------- view

  /** What all plots over time share: window, cursor, pinned moment, and the plot under the pointer. */
  S.View = class View {
    constructor(lo, hi) {
      if (!(hi > lo)) { const pad = Math.abs(lo) * 0.05 || 0.5; lo -= pad; hi += pad; }
      Object.assign(this, { fullLo: lo, fullHi: hi, lo, hi, cursor: null, pinned: null, hovered: null, watchers: [] });
    }
    watch(fn) { this.watchers.push(fn); }
    tell(what) { for (const fn of this.watchers) fn(what); }
    get isFull() { return this.lo <= this.fullLo && this.hi >= this.fullHi; }
    get fullSpan() { return this.fullHi - this.fullLo; }

    set(lo, hi) {
      const finest = Math.max(Math.abs(lo), Math.abs(hi)) * 2e-14 + Number.MIN_VALUE;
      const span = Math.min(this.fullSpan, Math.max(finest, hi - lo));
      const middle = (lo + hi) / 2;
      this.lo = Math.min(Math.max(middle - span / 2, this.fullLo), this.fullHi - span);
      this.hi = span === this.fullSpan ? this.fullHi : this.lo + span;
      if (span === this.fullSpan) this.lo = this.fullLo;
      this.tell("range");
    }
    reset() { this.pinned = null; this.set(this.fullLo, this.fullHi); }
    /** Shows `half` on either side of t, and marks t. */
    pin(t, half) { this.pinned = t; this.set(t - half, t + half); }
    zoom(factor, at) { this.set(at - (at - this.lo) * factor, at + (this.hi - at) * factor); }
    pan(dt) { this.set(this.lo + dt, this.hi + dt); }
    setCursor(t) {
      if (t === this.cursor) return;
      this.cursor = t;
      this.tell("cursor");
    }
  };

  // ------------------------------------------------------------------ curves
  // A curve is { name, unit, colour, dash, t, v, head, join }: `t` ascends (it
  // repeats at jumps), `v` is NaN where there is no value, `head[i]` is 1 where a
  // segment starts, and `join` asks for a dashed connector across jumps.

  S.lowerBound = function lowerBound(a, x) {
    let lo = 0, hi = a.length;
    while (lo < hi) { const mid = (lo + hi) >> 1; if (a[mid] < x) lo = mid + 1; else hi = mid; }
    return lo;
  };
  S.upperBound = function upperBound(a, x) {
    let lo = 0, hi = a.length;
    while (lo < hi) { const mid = (lo + hi) >> 1; if (a[mid] <= x) lo = mid + 1; else hi = mid; }
    return lo;
  };

  const between = (c, i, x) => c.v[i - 1] + (c.v[i] - c.v[i - 1]) * ((x - c.t[i - 1]) / (c.t[i] - c.t[i - 1]));

  /** The values just before and just after time x; NaN where the curve has none. */
  S.valuesAt = function valuesAt(curve, x) {
    const first = S.lowerBound(curve.t, x), last = S.upperBound(curve.t, x) - 1;
    if (first <= last) return [curve.v[first], curve.v[last]];
    if (first === 0 || first === curve.t.length || curve.head[first]) return [NaN, NaN];
    const v = between(curve, first, x);
    return [v, v];
  };

  const indexRange = (c, lo, hi) =>
    [Math.max(0, S.lowerBound(c.t, lo) - 1), Math.min(c.t.length - 1, S.upperBound(c.t, hi))];

  /** Sample i moved onto the edge of [lo, hi] if its line crosses it; null if outside. */
  function clipped(c, i, lo, hi) {
    if (c.t[i] < lo) return i + 1 < c.t.length && !c.head[i + 1] ? [lo, between(c, i + 1, lo)] : null;
    if (c.t[i] > hi) return i > 0 && !c.head[i] ? [hi, between(c, i, hi)] : null;
    return [c.t[i], c.v[i]];
  }

  /** Widens `range` by what the curve shows in [lo, hi]. */
  function extend(range, c, lo, hi) {
    const [i0, i1] = indexRange(c, lo, hi);
    for (let i = i0; i <= i1; i++) {
      const v = i === i0 || i === i1 ? (clipped(c, i, lo, hi) || [0, NaN])[1] : c.v[i];
      if (v < range[0]) range[0] = v;
      if (v > range[1]) range[1] = v;
    }
  }

  /** A y range with some air; never empty. */
  S.padRange = function padRange([lo, hi], least = 0) {
    if (!(lo <= hi)) return [0, 1];
    const size = Math.max(Math.abs(lo), Math.abs(hi));
    const flat = hi - lo <= size * 1e-13;
    const pad = Math.max(flat ? size * 0.1 || 1 : (hi - lo) * 0.07, (least - (hi - lo)) / 2);
    return [lo - pad, hi + pad];
  };

  function traceExact(ctx, c, i0, i1, sx, sy, lo, hi) {
    let down = false;
    for (let i = i0; i <= i1; i++) {
      const p = clipped(c, i, lo, hi);
      if (!p || !(p[1] - p[1] === 0)) { down = false; continue; }
      const x = sx(p[0]), y = sy(p[1]);
      if (down && !c.head[i]) ctx.lineTo(x, y);
      else { ctx.moveTo(x, y); ctx.lineTo(x + 0.01, y); }
      down = true;
    }
  }

  /** One vertical min–max stroke per pixel column; segments are kept apart unless dense. */
  function traceColumns(ctx, c, i0, i1, sx, sy, dense) {
    let column = NaN, down = false, count = 0, first, least, most, last;
    const flush = () => {
      if (!count) return;
      const x = column + 0.5;
      if (down) ctx.lineTo(x, sy(first)); else ctx.moveTo(x, sy(first));
      ctx.lineTo(x, sy(least)); ctx.lineTo(x, sy(most)); ctx.lineTo(x, sy(last) + 0.01);
      down = true; count = 0;
    };
    for (let i = i0; i <= i1; i++) {
      const v = c.v[i], at = Math.floor(sx(c.t[i])), cut = c.head[i] && !dense;
      if (at !== column || cut) { flush(); column = at; if (cut) down = false; }
      if (!(v - v === 0)) { flush(); down = false; continue; }
      if (!count++) first = least = most = v;
      if (v < least) least = v; else if (v > most) most = v;
      last = v;
    }
    flush();
  }

  function drawJoins(ctx, c, i0, i1, sx, sy, lo, hi) {
    ctx.save();
    ctx.globalAlpha = 0.5;
    ctx.lineWidth = 1;
    ctx.setLineDash([2, 3]);
    ctx.beginPath();
    for (let i = Math.max(1, i0); i <= i1; i++) {
      if (!c.head[i] || c.v[i] === c.v[i - 1] || c.t[i] < lo || c.t[i] > hi) continue;
      if (!Number.isFinite(c.v[i]) || !Number.isFinite(c.v[i - 1])) continue;
      ctx.moveTo(sx(c.t[i - 1]), sy(c.v[i - 1]));
      ctx.lineTo(sx(c.t[i]), sy(c.v[i]));
    }
    ctx.stroke();
    ctx.restore();
  }

  function drawCurve(ctx, c, box, sx, sy, lo, hi) {
    const [i0, i1] = indexRange(c, lo, hi);
    const colour = S.colour(c.colour);
    let heads = 0;
    for (let i = i0; i <= i1; i++) heads += c.head[i];
    const dense = heads > box.w / 3;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = colour;
    ctx.lineWidth = 1.6;
    ctx.lineJoin = ctx.lineCap = "round";
    if (c.join && !dense) drawJoins(ctx, c, i0, i1, sx, sy, lo, hi);
    if (c.dash) ctx.setLineDash(c.dash);
    ctx.beginPath();
    if (i1 - i0 > 3 * box.w) { ctx.lineWidth = 1.2; traceColumns(ctx, c, i0, i1, sx, sy, dense); }
    else traceExact(ctx, c, i0, i1, sx, sy, lo, hi);
    ctx.stroke();
    if (i1 - i0 < box.w / 24) drawSamples(ctx, c, i0, i1, sx, sy, lo, hi);
    ctx.restore();
  }

  function drawSamples(ctx, c, i0, i1, sx, sy, lo, hi) {
    for (let i = i0; i <= i1; i++) {
      if (c.t[i] < lo || c.t[i] > hi || !Number.isFinite(c.v[i])) continue;
      S.dot(ctx, sx(c.t[i]), sy(c.v[i]), 2.2);
    }
  }

  S.dot = (ctx, x, y, radius) => { ctx.beginPath(); ctx.arc(x, y, radius, 0, 2 * Math.PI); ctx.fill(); };

  // ----------------------------------------------------------------- drawing

  const colours = new Map();
  /** The current value of a CSS custom property, cached until the theme changes. */
  S.colour = function colour(name) {
    if (!colours.has(name)) colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
    return colours.get(name);
  };

  const surfaces = [];
  S.redrawAll = () => { colours.clear(); surfaces.forEach((surface) => surface.draw()); };

  /** Two stacked canvases (picture and overlay) that follow the width of their host. */
  S.Surface = class Surface {
    constructor(host, label, draw) {
      this.host = host;
      this.base = S.el("canvas", { class: "layer" });
      this.over = S.el("canvas", { class: "layer overlay", role: "img", "aria-label": label });
      this.tip = S.el("div", { class: "tip", hidden: true });
      host.classList.add("surface");
      host.append(this.base, this.over, this.tip);
      this.draw = draw;
      surfaces.push(this);
      new ResizeObserver(() => { if (host.clientWidth !== this.width) draw(); }).observe(host);
    }
    /** Sets the height and returns the cleared context of the picture. */
    resize(height) {
      this.width = this.host.clientWidth;
      this.height = height;
      this.host.style.height = `${height}px`;
      return this.clear(this.base);
    }
    clear(canvas) {
      const scale = window.devicePixelRatio || 1;
      const w = Math.round(this.width * scale), h = Math.round(this.height * scale);
      if (canvas.width !== w || canvas.height !== h) {
        canvas.width = w; canvas.height = h;
        canvas.style.width = `${this.width}px`; canvas.style.height = `${this.height}px`;
      }
      const ctx = canvas.getContext("2d");
      ctx.setTransform(scale, 0, 0, scale, 0, 0);
      ctx.clearRect(0, 0, this.width, this.height);
      ctx.font = S.canvasFont;
      return ctx;
    }
    /** Shows rows of [colour variable or null, name, value] beside the point (x, y). */
    showTip(x, y, title, rows) {
      this.tip.replaceChildren(S.el("div", { class: "tip-title" }, title));
      for (const [colour, name, value] of rows) {
        const swatch = S.el("i", { class: "swatch" });
        swatch.style.background = colour ? `var(${colour})` : "none";
        this.tip.append(S.el("div", { class: "tip-row" }, swatch, S.el("span", {}, name), S.el("b", {}, value)));
      }
      this.tip.hidden = false;
      const { offsetWidth: w, offsetHeight: h } = this.tip;
      const left = x + 16 + w < this.width ? x + 16 : Math.max(0, x - 16 - w);
      this.tip.style.transform = `translate(${left}px, ${Math.max(0, Math.min(y - h / 2, this.height - h))}px)`;
    }
    hideTip() { this.tip.hidden = true; }
  };

  S.canvasFont = "11px system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

  /** Hairline grid and labels of the y axis of a box. */
  S.drawYAxis = function drawYAxis(ctx, box, ticks, sy) {
    ctx.fillStyle = S.colour("--muted");
    ctx.strokeStyle = S.colour("--grid");
    ctx.lineWidth = 1;
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    ctx.beginPath();
    ticks.values.forEach((v, i) => {
      const y = Math.round(sy(v)) + 0.5;
      ctx.moveTo(box.x, y);
      ctx.lineTo(box.x + box.w, y);
      ctx.fillText(ticks.labels[i], box.x - 7, y);
    });
    ctx.stroke();
  };

  S.drawXGrid = function drawXGrid(ctx, box, ticks, sx) {
    ctx.strokeStyle = S.colour("--grid");
    ctx.lineWidth = 1;
    ctx.beginPath();
    for (const v of ticks.values) {
      const x = Math.round(sx(v)) + 0.5;
      ctx.moveTo(x, box.y);
      ctx.lineTo(x, box.y + box.h);
    }
    ctx.stroke();
  };

  /** Tick labels under the box, and the axis name under them at the right. */
  S.drawXAxis = function drawXAxis(ctx, box, ticks, sx, name) {
    const y = box.y + box.h;
    ctx.strokeStyle = S.colour("--axis");
    ctx.lineWidth = 1;
    ctx.strokeRect(box.x + 0.5, y + 0.5, box.w - 1, 0);
    ctx.fillStyle = S.colour("--muted");
    ctx.textAlign = "center";
    ctx.textBaseline = "top";
    ticks.values.forEach((v, i) => ctx.fillText(ticks.labels[i], sx(v), y + 7));
    ctx.textAlign = "right";
    ctx.fillText(ticks.note ? `${name}   ${ticks.note}` : name, box.x + box.w, y + 23);
  };

  /** Event ticks: full-height hairlines when sparse, a density strip when dense. */
  function drawMarks(ctx, box, marks, sx, lo, hi) {
    const i0 = S.lowerBound(marks, lo), i1 = S.upperBound(marks, hi);
    const sparse = i1 - i0 <= box.w / 10;
    const columns = new Map();
    for (let i = i0; i < i1; i++) {
      const x = Math.round(sx(marks[i]));
      columns.set(x, (columns.get(x) || 0) + 1);
    }
    const most = Math.max(2, ...columns.values());
    ctx.fillStyle = S.colour("--mark");
    for (const [x, count] of columns) {
      if (sparse) { ctx.globalAlpha = 0.3; ctx.fillRect(x, box.y, 1, box.h); }
      ctx.globalAlpha = sparse ? 0.8 : 0.2 + (0.6 * count) / most;
      ctx.fillRect(x, box.y - 4, 1, 5);
    }
    ctx.globalAlpha = 1;
  }

  /** Coloured spans of time ({ from, to, colour }), at most one rectangle per pixel. */
  S.drawSpans = function drawSpans(ctx, box, spans, sx, lo, hi, alpha) {
    let painted = -Infinity;
    ctx.globalAlpha = alpha;
    for (const span of spans) {
      if (span.to < lo || span.from > hi) continue;
      const x0 = Math.max(box.x, sx(span.from)), x1 = Math.min(box.x + box.w, Math.max(sx(span.to), x0 + 1));
      if (x1 <= painted) continue;
      const from = Math.max(x0, painted);
      ctx.fillStyle = S.colour(span.colour);
      ctx.fillRect(from, box.y, Math.max(x1 - from, 0.5), box.h);
      painted = x1 - x0 < 2 ? Math.ceil(x1) : x1;
    }
    ctx.globalAlpha = 1;
  };

  // -------------------------------------------------------------------- plot
  // A lane is { label, colour, unit, height, curves, log, guides, spans, paint, rows, plain }:
  // `guides` are horizontal reference values, `spans` the background bands,
  // `paint(ctx, box, sx)` with `rows(t)` replace the curves of an unusual lane, and
  // `plain` leaves out the marks of events.

  const HEAD = 20, FOOT = 38;

  S.Plot = class Plot {
    constructor(host, { view, label, marks, timeUnit, wheel = true, describe }) {
      Object.assign(this, { view, marks, wheel, describe, lanes: [], boxes: [], box: null });
      this.timeName = S.axisName("t", timeUnit);
      this.timeUnit = timeUnit;
      this.surface = new S.Surface(host, `${label}. Arrow keys pan, plus and minus zoom, zero resets.`, () => this.draw());
      this.surface.over.tabIndex = 0;
      attachGestures(this);
      view.watch((what) => this.schedule(what === "cursor" ? "overlay" : "draw"));
    }

    setLanes(lanes) { this.lanes = lanes; this.schedule("draw"); }

    schedule(what) {
      if (what === "draw" || !this.pending) this.pending = what;
      if (this.frame) return;
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        const todo = this.pending;
        this.pending = null;
        if (todo === "draw") this.draw(); else this.drawOverlay();
      });
    }

    get gutter() { return this.surface.host.clientWidth < 520 ? 48 : 62; }
    sx(t) { return this.box.x + (t - this.view.lo) * (this.box.w / (this.view.hi - this.view.lo)); }
    time(x) { return this.view.lo + (x - this.box.x) * ((this.view.hi - this.view.lo) / this.box.w); }

    draw() {
      const height = this.lanes.reduce((sum, lane) => sum + lane.height + HEAD, FOOT);
      const ctx = this.surface.resize(height);
      const left = this.gutter, width = this.surface.width - left - 12;
      if (width < 20) return;
      this.box = { x: left, y: 0, w: width, h: height - FOOT };
      const ticks = S.linearTicks(this.view.lo, this.view.hi, width / 90);
      const sx = (t) => this.sx(t);
      let y = 0;
      this.boxes = this.lanes.map((lane) => {
        const box = { x: left, y: y + HEAD, w: width, h: lane.height };
        y += HEAD + lane.height;
        this.drawLane(ctx, lane, box, ticks, sx);
        return box;
      });
      S.drawXAxis(ctx, this.box, ticks, sx, this.timeName);
      this.drawOverlay();
    }

    drawLane(ctx, lane, box, ticks, sx) {
      const { lo, hi } = this.view;
      if (lane.spans) S.drawSpans(ctx, box, lane.spans, sx, lo, hi, 0.13);
      S.drawXGrid(ctx, box, ticks, sx);
      const note = lane.paint ? lane.paint(ctx, box, sx) : this.drawCurves(ctx, lane, box, sx);
      if (!lane.plain) drawMarks(ctx, box, this.marks, sx, lo, hi);
      ctx.textAlign = "left";
      ctx.textBaseline = "alphabetic";
      ctx.fillStyle = S.colour(lane.colour || "--ink");
      ctx.fillText(lane.label, box.x, box.y - 8);
      if (!note) return;
      const after = box.x + ctx.measureText(lane.label).width + 10;
      ctx.fillStyle = S.colour("--muted");
      ctx.fillText(note, after, box.y - 8);
    }

    drawCurves(ctx, lane, box, sx) {
      const { lo, hi } = this.view;
      const range = [Infinity, -Infinity];
      for (const curve of lane.curves) extend(range, curve, lo, hi);
      const [bottom, top] = S.padRange(range, lane.log ? 1 : 0);
      const sy = (v) => box.y + box.h - (v - bottom) * (box.h / (top - bottom));
      const ticks = (lane.log ? S.logTicks : S.linearTicks)(bottom, top, Math.min(3 + box.h / 90, box.h / 30));
      lane.sy = sy;
      S.drawYAxis(ctx, box, ticks, sy);
      ctx.save();
      ctx.beginPath();
      ctx.rect(box.x - 1, box.y - 1, box.w + 2, box.h + 2);
      ctx.clip();
      for (const value of lane.guides || []) this.drawGuide(ctx, box, sy(value));
      for (const curve of lane.curves) drawCurve(ctx, curve, box, sx, sy, lo, hi);
      ctx.restore();
      return ticks.note;
    }

    drawGuide(ctx, box, y) {
      ctx.save();
      ctx.strokeStyle = S.colour("--bad");
      ctx.setLineDash([5, 4]);
      ctx.beginPath();
      ctx.moveTo(box.x, y);
      ctx.lineTo(box.x + box.w, y);
      ctx.stroke();
      ctx.restore();
    }

    drawOverlay() {
      if (!this.box) return;
      const ctx = this.surface.clear(this.surface.over);
      const t = this.view.cursor;
      const inView = (time) => time !== null && time >= this.view.lo && time <= this.view.hi;
      if (this.selection) this.drawSelection(ctx);
      if (inView(this.view.pinned)) this.drawVertical(ctx, this.view.pinned, "--pin", 7);
      if (!inView(t)) return this.surface.hideTip();
      const x = this.drawVertical(ctx, t, "--cursor", 1);
      for (const lane of this.lanes) if (!lane.paint) this.drawReadings(ctx, lane, t, x);
      if (this.view.hovered === this && !this.selection) this.showTip(t, x);
      else this.surface.hideTip();
    }

    /** A line at time t through every lane; returns its x. */
    drawVertical(ctx, t, colour, width) {
      const x = Math.round(this.sx(t)) + 0.5;
      ctx.strokeStyle = S.colour(colour);
      ctx.lineWidth = width;
      ctx.beginPath();
      for (const box of this.boxes) { ctx.moveTo(x, box.y); ctx.lineTo(x, box.y + box.h); }
      ctx.stroke();
      return x;
    }

    drawReadings(ctx, lane, t, x) {
      for (const curve of lane.curves) {
        ctx.fillStyle = S.colour(curve.colour);
        for (const v of new Set(S.valuesAt(curve, t))) if (Number.isFinite(v)) S.dot(ctx, x, lane.sy(v), 3);
      }
    }

    drawSelection(ctx) {
      const [a, b] = this.selection;
      ctx.fillStyle = S.colour("--accent");
      ctx.globalAlpha = 0.14;
      ctx.fillRect(Math.min(a, b), 0, Math.abs(b - a), this.box.h);
      ctx.globalAlpha = 1;
      ctx.fillRect(a, 0, 1, this.box.h);
      ctx.fillRect(b, 0, 1, this.box.h);
    }

    showTip(t, x) {
      const rows = this.describe ? this.describe(t) : [];
      const all = this.lanes.flatMap((lane) => (lane.rows ? lane.rows(t) : laneRows(lane, t)));
      rows.push(...all.slice(0, 12));
      if (all.length > 12) rows.push([null, `and ${all.length - 12} more`, ""]);
      const digits = Math.min(15, Math.max(6, Math.ceil(Math.log10(Math.abs(t) / (this.view.hi - this.view.lo) + 1)) + 5));
      const title = `t = ${S.pretty(S.withUnit(S.formatNumber(t, digits), this.timeUnit))}`;
      this.surface.showTip(x, this.pointerY, title, rows);
    }

    /** The event time within a few pixels of x, or else the time at x. */
    snap(x) {
      const t = this.time(Math.min(Math.max(x, this.box.x), this.box.x + this.box.w));
      const i = S.lowerBound(this.marks, t);
      const near = [this.marks[i - 1], this.marks[i]].filter((m) => m !== undefined && Math.abs(this.sx(m) - x) <= 5);
      near.sort((a, b) => Math.abs(a - t) - Math.abs(b - t));
      return near.length ? near[0] : t;
    }
  };

  function laneRows(lane, t) {
    return lane.curves.map((curve) => [curve.colour, curve.name, S.reading(curve, t, lane.log)]);
  }

  /** The value of a curve at t as text; "before → after" at a jump. */
  S.reading = function reading(curve, t, log) {
    const show = (v) => S.pretty(S.formatNumber(log ? 10 ** v : v));
    const [before, after] = S.valuesAt(curve, t);
    if (Object.is(before, after) || show(before) === show(after)) return S.withUnit(show(after), curve.unit);
    return S.withUnit(`${show(before)} → ${show(after)}`, curve.unit);
  };

  // ---------------------------------------------------------------- gestures

  let lastScroll = 0;
  window.addEventListener("scroll", () => { lastScroll = performance.now(); }, { passive: true });

  /** Mouse: drag zooms, shift-drag pans, wheel zooms. Touch: drag pans, two fingers zoom. */
  function attachGestures(plot) {
    const { view, surface: { over } } = plot;
    const fingers = new Map();
    const at = (event) => {
      const rect = over.getBoundingClientRect();
      return [event.clientX - rect.left, event.clientY - rect.top];
    };
    const hover = (event) => {
      const [x, y] = at(event);
      plot.pointerY = y;
      view.hovered = plot;
      view.setCursor(plot.snap(x));
      plot.schedule("overlay");
    };
    const leave = (event) => {
      if (event.pointerType === "touch") return;
      view.hovered = null;
      view.setCursor(null);
    };
    const finishBox = () => {
      const [a, b] = plot.selection;
      plot.selection = null;
      if (Math.abs(b - a) > 4) view.set(plot.time(Math.min(a, b)), plot.time(Math.max(a, b)));
      else plot.schedule("overlay");
    };

    over.addEventListener("pointerdown", (event) => {
      if (event.button > 1) return;
      const [x] = at(event);
      over.setPointerCapture(event.pointerId);
      const box = event.pointerType === "mouse" && event.button === 0 && !event.shiftKey;
      if (box) plot.selection = [x, x];
      else {
        fingers.set(event.pointerId, { x, t: plot.time(x) });
        if (event.pointerType === "mouse") event.preventDefault();
      }
      hover(event);
    });
    over.addEventListener("pointermove", (event) => {
      const [x] = at(event);
      if (plot.selection) plot.selection[1] = Math.min(Math.max(x, plot.box.x), plot.box.x + plot.box.w);
      if (fingers.has(event.pointerId)) {
        fingers.get(event.pointerId).x = x;
        follow(plot, [...fingers.values()]);
      }
      hover(event);
    });
    for (const name of ["pointerup", "pointercancel"]) {
      over.addEventListener(name, (event) => {
        if (plot.selection) finishBox();
        fingers.delete(event.pointerId);
        for (const finger of fingers.values()) finger.t = plot.time(finger.x);
      });
    }
    over.addEventListener("pointerleave", leave);
    over.addEventListener("dblclick", () => view.reset());
    over.addEventListener("keydown", (event) => pressKey(view, event));
    if (plot.wheel) over.addEventListener("wheel", (event) => turnWheel(plot, event, at(event)[0]), { passive: false });
  }

  /** Moves the view so that the times under the fingers stay under the fingers. */
  function follow(plot, [one, two]) {
    const { view, box } = plot;
    if (!two) return view.pan(one.t - plot.time(one.x));
    const apart = two.x - one.x;
    if (Math.abs(apart) < 8 || one.t === two.t) return undefined;
    const perPixel = Math.abs((two.t - one.t) / apart);
    const lo = one.t - (one.x - box.x) * perPixel;
    return view.set(lo, lo + box.w * perPixel);
  }

  /** Zooms around x; lets the page scroll when already full or in the middle of a scroll. */
  function turnWheel(plot, event, x) {
    const { view } = plot;
    const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (performance.now() - lastScroll < 250 || (view.isFull && (sideways || event.deltaY > 0))) return;
    event.preventDefault();
    const turn = (event.deltaMode === 1 ? 30 : 1) * (sideways ? event.deltaX || event.deltaY : event.deltaY);
    if (sideways) view.pan((turn / plot.box.w) * (view.hi - view.lo));
    else view.zoom(Math.exp(Math.min(Math.max(turn, -300), 300) * 0.002), plot.snap(x));
  }

  function pressKey(view, event) {
    const span = view.hi - view.lo, middle = (view.lo + view.hi) / 2;
    const actions = {
      ArrowLeft: () => view.pan(-span / 8), ArrowRight: () => view.pan(span / 8),
      "+": () => view.zoom(0.7, middle), "=": () => view.zoom(0.7, middle),
      "-": () => view.zoom(1 / 0.7, middle), 0: () => view.reset(), Escape: () => view.reset(),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

})(window.Slipstick);
