/* Slipstick report: contacts.
 *
 * What each contact did over time, its forces, its hits as impulses, the energy
 * that impacts lost, and how well contacts kept their laws. A force is finite
 * and an impulse is not a force, so hits are stems on an axis of their own. */
"use strict";
(function (S) {

  const COLOURS = 8, LANE = 20, PLOT = 112, STEMS = 84;
  const DOES = [["sticks", "--m2"], ["slides +", "--m0"], ["slides -", "--m1"], ["closed", "--m4"]];
  const colourOf = (k) => `--s${k % COLOURS}`;

  /** The sections about contacts; `page` has what all plots over time share. */
  S.contactSections = function contactSections(data, page) {
    const panel = new ContactPanel(data, page);
    return [panel.section, auditSection(data, page), S.modeGraphSection(data, page)];
  };

  // ------------------------------------------------------- timeline and forces

  class ContactPanel {
    constructor(data, page) {
      Object.assign(this, { data, page, contacts: data.contacts.contacts });
      this.chosen = new Set(this.contacts.keys());
      const [timeline, plots] = [S.el("div"), S.el("div")];
      const hits = data.contacts.hits.length;
      this.section = S.section("contacts", "Contacts", [S.el("span", { class: "quiet" }, `${hits} ${hits === 1 ? "hit" : "hits"}`)],
        S.el("div", { class: "chip-line" }, ...DOES.map(([does, colour]) => legend(does, colour)), legend("hit", "--bad")),
        timeline,
        S.el("div", { class: "chips", role: "group", "aria-label": "Contacts shown", hidden: this.contacts.length < 2 }, ...this.contacts.map((_, k) => this.chip(k))),
        plots);
      const options = { view: page.view, marks: page.marks, timeUnit: data.time_unit, describe: page.describeMoment };
      this.timeline = new S.Plot(timeline, { ...options, label: "What each contact does against time" });
      this.timeline.setLanes(this.contacts.map((contact, k) => this.statusLane(contact, k)));
      this.plot = new S.Plot(plots, { ...options, label: "Forces, impulses and energy lost against time" });
      this.update();
    }

    chip(k) {
      const swatch = S.el("i", { class: "swatch" });
      swatch.style.background = `var(${colourOf(k)})`;
      const box = S.el("input", { type: "checkbox", checked: true, onchange: () => {
        this.chosen[box.checked ? "add" : "delete"](k);
        node.classList.toggle("on", box.checked);
        this.update();
      } });
      const node = S.el("label", { class: "chip on" }, box, swatch, S.el("span", { class: "chip-name" }, this.contacts[k].name));
      return node;
    }

    /** One lane: coloured where the contact is closed, a thin line where it is open, ticks where it is hit. */
    statusLane(contact, k) {
      const { view } = this.page, hits = this.data.contacts.hits.filter((hit) => hit.contact === k);
      const spans = contact.spans.filter((span) => span.does !== "open")
        .map((span) => ({ ...span, colour: DOES.find(([does]) => does === span.does)[1] }));
      return {
        label: contact.name, height: LANE, curves: [], plain: true,
        paint: (ctx, box, sx) => {
          ctx.fillStyle = S.colour("--line-strong");
          ctx.fillRect(box.x, box.y + box.h / 2, box.w, 1);
          S.drawSpans(ctx, box, spans, sx, view.lo, view.hi, 0.95);
          drawTicks(ctx, box, hits, sx, view);
        },
        rows: (t) => contact.spans.filter((span) => span.from <= t && t <= span.to).slice(-2)
          .map((span) => [colourOfSpan(span), contact.name, span.does]),
      };
    }

    update() {
      const shown = [...this.chosen].sort((a, b) => a - b);
      const withFriction = shown.filter((k) => this.contacts[k].friction);
      const lanes = [
        this.forceLane("normal force", "force.n", shown),
        this.forceLane("friction force", "force.t", withFriction),
        this.impulseLane("normal impulse of hits", "normal", shown),
        this.impulseLane("friction impulse of hits", "tangent", withFriction),
        this.lossLane(),
      ];
      this.plot.setLanes(lanes.filter(Boolean));
    }

    forceLane(label, property, shown) {
      const curves = shown.map((k) => this.forceCurve(k, property)).filter(Boolean);
      if (!curves.some((curve) => curve.v.some((v) => v === v && v !== 0))) return null;
      const unit = curves[0].unit;
      return { label: S.axisName(label, unit), colour: "--muted", height: PLOT, curves };
    }

    /** The force of a contact where it is closed; there is none where it is open. */
    forceCurve(k, property) {
      const { series } = this.data, { name } = this.contacts[k];
      const find = (what) => series.findIndex((of) => of.name === `contact.${name}.${what}`);
      const [force, state] = [find(property), find("state")];
      if (force < 0) return null;
      const curve = this.page.seriesCurve(force), closed = this.page.seriesCurve(state).v;
      return { ...curve, name, colour: colourOf(k), dash: null, join: false, v: curve.v.map((v, i) => (closed[i] === 0 ? NaN : v)) };
    }

    impulseLane(label, part, shown) {
      const items = this.data.contacts.hits.filter((hit) => shown.includes(hit.contact) && hit[part] !== 0)
        .map((hit) => ({ t: hit.t, v: hit[part], colour: colourOf(hit.contact), name: this.contacts[hit.contact].name }));
      return items.length ? stemLane(label, items, this.page, drawStem) : null;
    }

    lossLane() {
      const items = this.data.contacts.losses.map(({ t, lost }) => ({ t, v: lost, colour: lost < 0 ? "--bad" : "--s6", name: "energy lost" }));
      return items.length ? stemLane("energy lost by each impact", items, this.page, drawBar) : null;
    }
  }

  const colourOfSpan = (span) => (DOES.find(([does]) => does === span.does) || [null, null])[1];

  function legend(text, colour) {
    const swatch = S.el("i", { class: "swatch square" });
    swatch.style.background = `var(${colour})`;
    return S.el("span", { class: "legend" }, swatch, S.pretty(text));
  }

  /** At most one tick for each pixel. */
  function drawTicks(ctx, box, hits, sx, view) {
    const columns = new Set(hits.filter((hit) => hit.t >= view.lo && hit.t <= view.hi).map((hit) => Math.round(sx(hit.t))));
    ctx.fillStyle = S.colour("--bad");
    for (const x of columns) ctx.fillRect(x - 1, box.y, 2, box.h);
  }

  /** A lane of single values at times, each drawn from zero, with a scale of its own. */
  function stemLane(label, items, { view }, drawItem) {
    const lane = { label, colour: "--muted", height: STEMS, curves: [], plain: true };
    lane.paint = (ctx, box, sx) => {
      const seen = items.filter(({ t }) => t >= view.lo && t <= view.hi);
      const values = seen.map(({ v }) => v);
      const [lo, hi] = [Math.min(0, ...values), Math.max(0, ...values)];
      const pad = (hi - lo) * 0.08 || 1;
      const [bottom, top] = [lo < 0 ? lo - pad : 0, hi > 0 ? hi + pad : 0.0001 * pad];
      const sy = (v) => box.y + box.h - (v - bottom) * (box.h / (top - bottom));
      const ticks = S.linearTicks(bottom, top, box.h / 30);
      S.drawYAxis(ctx, box, ticks, sy);
      for (const item of tallest(seen, sx)) drawItem(ctx, sx(item.t), [sy(0), sy(item.v)], S.colour(item.colour));
      return ticks.note;
    };
    lane.rows = (t) => items.filter((item) => item.t === t)
      .map((item) => [item.colour, `${label.split(" ")[0]}: ${item.name}`, S.pretty(S.formatNumber(item.v))]);
    return lane;
  }

  /** Of the items of one colour in one pixel, the one that stands out most. */
  function tallest(items, sx) {
    const kept = new Map();
    for (const item of items) {
      const key = `${Math.round(sx(item.t))} ${item.colour} ${item.v < 0}`;
      if (!kept.has(key) || Math.abs(item.v) > Math.abs(kept.get(key).v)) kept.set(key, item);
    }
    return kept.values();
  }

  function drawStem(ctx, x, [zero, y], colour) {
    ctx.strokeStyle = ctx.fillStyle = colour;
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    ctx.moveTo(x, zero);
    ctx.lineTo(x, y);
    ctx.stroke();
    S.dot(ctx, x, y, 2.6);
  }

  function drawBar(ctx, x, [zero, y], colour) {
    ctx.fillStyle = colour;
    ctx.fillRect(x - 2.5, Math.min(zero, y), 5, Math.max(1, Math.abs(zero - y)));
  }

  // ------------------------------------------------------------------- audit

  function auditSection(data, page) {
    const { audit, balance } = data.contacts;
    const tables = [["Laws", audit], ["Energy", balance]].filter(([, pairs]) => pairs.length);
    return S.section("contact-audit", "Audit of contacts", [],
      S.el("div", { class: "pair-grid" }, ...tables.map((table) => S.pairsTable(...table))), contactTable(data, page));
  }

  /** A row for each contact: how often it was hit, what its hits add up to, how long it did what. */
  function contactTable(data, { view }) {
    const { contacts, hits } = data.contacts;
    const heads = ["Contact", "Hits", "Sum of normal impulses", "Sum of friction impulses", "Open", "Slides", "Sticks or closed"];
    const cell = (text) => S.el("td", { class: "num" }, text);
    const part = (spans, words) => {
      const time = spans.filter(({ does }) => words.includes(does)).reduce((sum, { from, to }) => sum + to - from, 0);
      return time ? `${(100 * time / view.fullSpan).toFixed(1)} %` : "–";
    };
    const row = (contact, k) => {
      const own = hits.filter((hit) => hit.contact === k), sum = (key) => own.reduce((total, hit) => total + hit[key], 0);
      const amount = (v) => S.pretty(S.formatNumber(v, 6));
      return S.el("tr", {}, S.el("th", { scope: "row" }, contact.name), cell(String(own.length)), cell(own.length ? amount(sum("normal")) : "–"),
        cell(own.length && contact.friction ? amount(sum("tangent")) : "–"), cell(part(contact.spans, ["open"])),
        cell(part(contact.spans, ["slides +", "slides -"])), cell(part(contact.spans, ["sticks", "closed"])));
    };
    const head = S.el("tr", {}, ...heads.map((text) => S.el("th", { scope: "col" }, text)));
    return S.el("div", { class: "table-box contact-table" }, S.el("table", {}, S.el("thead", {}, head), S.el("tbody", {}, ...contacts.map(row))));
  }

})(window.Slipstick);
