/* Slipstick report: elements, numbers, and the panels made of text.
 *
 * Small helpers shared by every file (elements, number formatting, axis ticks),
 * then the event table, the notes, the tables of options and statistics, and the
 * model text. Everything is published on the one global object `Slipstick`; text
 * from the data only ever enters the page as text nodes. */
"use strict";
window.Slipstick = window.Slipstick || {};
(function (S) {

  // ---------------------------------------------------------------- elements

  /** Creates an element; `props` are properties, except class, aria-*, data-* and on*. */
  S.el = function el(tag, props, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(props || {})) {
      if (value === null || value === undefined) continue;
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (key === "class" || key === "for" || key.includes("-") || key === "role") node.setAttribute(key, value);
      else node[key] = value;
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  };

  // ----------------------------------------------------------------- numbers

  const isNumber = (v) => typeof v === "number" && Number.isFinite(v);

  /** About `digits` significant digits, no trailing zeros, "–" for no value. */
  S.formatNumber = function formatNumber(v, digits = 6) {
    if (!isNumber(v)) return "–";
    if (v === 0) return "0";
    const size = Math.abs(v);
    if (size >= 1e-4 && size < 10 ** Math.max(6, digits)) {
      const text = v.toPrecision(digits);
      if (!text.includes("e")) return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
    }
    return v.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e");
  };

  /** What fired at an event: `a, b → c` where a and b fired together and made c fire. */
  S.eventNames = (event) => event.rounds.map((names) => names.join(", ")).join(" → ");

  /** All 17 digits: reading it back gives the same double. */
  S.exactNumber = (v) => (isNumber(v) ? v.toPrecision(17) : "–");

  /** A true minus sign, for text that is looked at rather than copied. */
  S.pretty = (text) => text.replace(/-/g, "\u2212");

  const superscript = (n) => String(n).replace(/./g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]));

  S.withUnit = (text, unit) => (unit ? `${text} ${unit}` : text);
  S.axisName = (name, unit) => (unit ? `${name} [${unit}]` : name);

  // ------------------------------------------------------------------- ticks

  function niceStep(span, count) {
    const raw = span / Math.max(1, count);
    const power = 10 ** Math.floor(Math.log10(raw));
    return [1, 2, 5, 10].find((m) => m * power >= raw * 0.72) * power;
  }

  /** Round tick values in [lo, hi], with labels and a note such as "×10⁻⁶ + 0.45". */
  S.linearTicks = function linearTicks(lo, hi, count) {
    const step = niceStep(hi - lo, count);
    const values = [];
    for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi + step * 1e-9; i++) values.push(i * step);
    const largest = Math.max(...values.map(Math.abs), step);
    const offset = largest / step > 2e5 ? Math.floor(values[0] / (step * 100)) * step * 100 : 0;
    const rest = Math.max(...values.map((v) => Math.abs(v - offset)), step);
    const exponent = rest >= 1e5 || rest < 1e-2 ? Math.floor(Math.log10(rest) / 3) * 3 : 0;
    const decimals = Math.min(20, Math.max(0, exponent - Math.floor(Math.log10(step) + 1e-9)));
    const labels = values.map((v) => S.pretty(((v - offset) / 10 ** exponent).toFixed(decimals).replace(/^-(0\.?0*)$/, "$1")));
    const scale = exponent ? `×10${superscript(exponent)}` : "";
    const shift = offset ? `${scale ? " " : ""}${offset < 0 ? "−" : "+"} ${S.formatNumber(Math.abs(offset), 15)}` : "";
    return { values, labels, note: scale + shift };
  };

  /** Ticks for an axis whose coordinate is log10 of the value. */
  S.logTicks = function logTicks(lo, hi, count) {
    const stride = Math.max(1, Math.ceil((hi - lo) / Math.max(1, count)));
    const parts = hi - lo <= 2 ? [1, 2, 5] : [1];
    const values = [], labels = [];
    for (let e = Math.floor(lo / stride) * stride; e <= hi; e += stride) {
      for (const m of parts) {
        const at = e + Math.log10(m);
        if (at < lo || at > hi) continue;
        values.push(at);
        labels.push(m === 1 ? `10${superscript(e)}` : `${m}·10${superscript(e)}`);
      }
    }
    return { values, labels, note: "" };
  };


  // ---------------------------------------------------------------- sections

  /** A titled section of the page; `controls` stand at the right of its heading. */
  S.section = function section(id, title, controls, ...content) {
    const heading = S.el("h2", { id: `${id}-title` }, title);
    const head = S.el("div", { class: "section-head" }, heading, S.el("div", { class: "controls" }, ...controls));
    return S.el("section", { class: "panel", id, "aria-labelledby": `${id}-title` }, head, ...content);
  };

  S.button = (text, onclick, props) => S.el("button", { type: "button", class: "button", onclick, ...props }, text);

  /** Copies text; says so on the button for a moment. */
  S.copyButton = function copyButton(label, getText, props) {
    const button = S.button(label, async (event) => {
      event.stopPropagation();
      await copyText(getText());
      button.classList.add("done");
      setTimeout(() => button.classList.remove("done"), 1200);
    }, props);
    return button;
  };

  async function copyText(text) {
    try { await navigator.clipboard.writeText(text); } catch { copyBySelection(text); }
  }

  function copyBySelection(text) {
    const area = S.el("textarea", { value: text, class: "offscreen" });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }

  // ------------------------------------------------------------ event table

  const PAGE_ROWS = 200, CHANGES_SHOWN = 4;

  S.EventTable = class EventTable {
    /** `onpick(event)` is called when a row is chosen. */
    constructor(data, onpick) {
      Object.assign(this, { data, onpick, shown: data.events, page: 0, picked: null });
      this.body = S.el("tbody");
      this.box = S.el("div", { class: "table-box", tabIndex: 0, role: "region", "aria-label": "Table of events" }, this.buildTable());
      this.count = S.el("span", { class: "quiet", role: "status" });
      this.filter = S.el("input", {
        type: "search", class: "input", placeholder: "Filter by name or mode", "aria-label": "Filter events by name or mode",
        oninput: () => this.applyFilter(),
      });
      this.pager = S.el("div", { class: "pager" });
      const few = data.events.length === 0;
      this.section = S.section("events", "Events", few ? [] : [this.count, this.filter],
        few ? S.el("p", { class: "quiet" }, "No events happened in this run.") : this.box, this.pager);
      this.render();
    }

    buildTable() {
      const heads = ["#", S.axisName("t", this.data.time_unit), "Bracket", "Event", "What happened"];
      if (this.data.modes.length) heads.push("Mode");
      heads.push("Before → after");
      const row = S.el("tr", {}, ...heads.map((text) => S.el("th", { scope: "col" }, text)));
      return S.el("table", { class: "events" }, S.el("thead", {}, row), this.body);
    }

    applyFilter() {
      const wanted = this.filter.value.trim().toLowerCase();
      const matches = (event) => [...event.rounds.flat(), ...event.kinds, event.mode_before, event.mode_after]
        .some((text) => text && text.toLowerCase().includes(wanted));
      this.shown = wanted ? this.data.events.filter(matches) : this.data.events;
      this.page = 0;
      this.render();
    }

    render() {
      const from = this.page * PAGE_ROWS, rows = this.shown.slice(from, from + PAGE_ROWS);
      this.body.replaceChildren(...rows.map((event) => this.row(event)));
      if (!rows.length) this.body.append(S.el("tr", {}, S.el("td", { colSpan: 7, class: "quiet" }, "No event matches the filter.")));
      const all = this.data.events.length;
      this.count.textContent = this.shown.length === all ? `${all}` : `${this.shown.length} of ${all}`;
      this.renderPager();
    }

    renderPager() {
      const pages = Math.ceil(this.shown.length / PAGE_ROWS);
      this.pager.hidden = pages < 2;
      const go = (page) => () => { this.page = page; this.render(); this.box.scrollTop = 0; };
      const step = (text, label, page) =>
        S.button(text, go(page), { "aria-label": label, disabled: page < 0 || page >= pages || page === this.page });
      const first = this.page * PAGE_ROWS;
      this.pager.replaceChildren(
        step("«", "First page", 0), step("‹", "Previous page", this.page - 1),
        S.el("span", {}, `rows ${first + 1}–${Math.min(first + PAGE_ROWS, this.shown.length)} of ${this.shown.length}`),
        step("›", "Next page", this.page + 1), step("»", "Last page", pages - 1));
    }

    row(event) {
      const zoom = S.el("button", { type: "button", class: "link", "aria-label": `Zoom the plots around event ${event.number}` }, String(event.number));
      const row = S.el("tr", { onclick: () => this.onpick(event) },
        S.el("td", { class: "num" }, zoom), this.timeCell(event),
        S.el("td", { class: "num quiet", title: "Width of the bracket that locates the event" }, S.formatNumber(event.bracket_width, 2)),
        S.el("td", { class: "strong" }, S.eventNames(event)),
        S.el("td", {}, event.kinds.join(", "), ...(event.words || []).map((text) => S.el("div", { class: "quiet" }, text.replaceAll("`", "").replace("->", "→")))));
      if (this.data.modes.length) row.append(modeCell(event));
      row.append(this.changesCell(event));
      if (event === this.picked) row.classList.add("picked");
      return row;
    }

    timeCell(event) {
      const exact = S.exactNumber(event.t);
      const copy = S.copyButton("Copy", () => exact, { class: "button tiny", "aria-label": `Copy the time of event ${event.number}, all digits` });
      return S.el("td", { class: "num time", title: exact }, S.formatNumber(event.t, 12), copy);
    }

    changesCell(event) {
      const changed = this.data.series.map((_, s) => s).filter((s) => event.before[s] !== event.after[s]);
      const cell = S.el("td", { class: "changes" });
      const show = (list) => cell.append(...list.map((s) => this.change(event, s)));
      show(changed.slice(0, CHANGES_SHOWN));
      const rest = changed.slice(CHANGES_SHOWN);
      if (!changed.length) cell.append(S.el("span", { class: "quiet" }, "no jump"));
      if (rest.length) {
        const more = S.button(`+${rest.length} more`, (click) => { click.stopPropagation(); more.remove(); show(rest); }, { class: "button tiny" });
        cell.append(more);
      }
      return cell;
    }

    change(event, s) {
      const { name, unit } = this.data.series[s];
      const [before, after] = distinguish(event.before[s], event.after[s]);
      return S.el("span", { class: "change", title: `${S.exactNumber(event.before[s])} → ${S.exactNumber(event.after[s])}` },
        S.el("span", { class: "name" }, name), ` ${before} → `, S.el("mark", {}, after), unit ? ` ${unit}` : null);
    }

    /** Marks a row as chosen; with `reveal`, turns to its page and scrolls to it. */
    pick(event, reveal) {
      this.picked = event;
      if (reveal) {
        if (!this.shown.includes(event)) { this.filter.value = ""; this.shown = this.data.events; }
        this.page = Math.floor(this.shown.indexOf(event) / PAGE_ROWS);
      }
      const scroll = this.box.scrollTop;
      this.render();
      this.box.scrollTop = scroll;
      const row = this.body.querySelector(".picked");
      if (reveal && row) row.scrollIntoView({ block: "center" });
    }
  };

  function modeCell(event) {
    const { mode_before: before, mode_after: after } = event;
    if (before === after) return S.el("td", { class: "quiet" }, before || "–");
    return S.el("td", {}, `${before || "–"} → `, S.el("mark", {}, after || "–"));
  }

  /** Both numbers with just enough digits to tell them apart. */
  function distinguish(before, after) {
    for (const digits of [6, 9, 12]) {
      const texts = [S.formatNumber(before, digits), S.formatNumber(after, digits)];
      if (texts[0] !== texts[1]) return texts;
    }
    return [S.exactNumber(before), S.exactNumber(after)];
  }

  // --------------------------------------------------------- notes and tables

  /** The list `id` of the data, warnings or notes, as a section. */
  S.notesSection = function notesSection(data, id, title) {
    const notes = data[id];
    const item = (note) => S.el("li", {},
      S.el("code", {}, note.code),
      S.el("span", { class: "num quiet" }, note.t === null ? "" : `t = ${S.withUnit(S.formatNumber(note.t, 9), data.time_unit)}`),
      S.el("span", {}, note.text));
    return S.section(id, title, [S.el("span", { class: "quiet" }, String(notes.length))],
      S.el("ul", { class: "notes" }, ...notes.map(item)));
  };

  S.pairsTable = function pairsTable(caption, pairs) {
    const rows = pairs.map(([label, value]) =>
      S.el("tr", {}, S.el("th", { scope: "row" }, label), S.el("td", { class: "num" }, value)));
    return S.el("table", { class: "pairs" }, S.el("caption", {}, caption), S.el("tbody", {}, ...rows));
  };

  // -------------------------------------------------------------- model text

  const TOKENS = /(#.*$)|("""|''')|("(?:[^"\\]|\\.)*"|'[^']*')|(^\s*\[\[?[^\]]*\]\]?)|([A-Za-z0-9_.-]+(?=\s*=))|\b(true|false|inf|nan)\b|([+-]?\d[\d_]*(?:[.:T-]?[\d_]+)*(?:[eE][+-]?\d+)?)/g;
  const CLASSES = ["comment", "string", "string", "table", "key", "number", "number"];

  /** Colours TOML line by line; remembers a triple-quoted string left open. */
  class TomlPainter {
    constructor() { this.quote = null; }

    line(text) {
      const out = S.el("span", { class: "line" });
      for (let at = 0; at < text.length;) at = this.quote ? this.string(out, text, at) : this.code(out, text, at);
      return out;
    }

    /** Appends the string from `at` to its closing quotes; returns where it stops. */
    string(out, text, at) {
      const end = text.indexOf(this.quote, at);
      const stop = end < 0 ? text.length : end + 3;
      if (end >= 0) this.quote = null;
      out.append(token("string", text.slice(at, stop)));
      return stop;
    }

    /** Appends plain text and the next token after `at`; returns where it stops. */
    code(out, text, at) {
      TOKENS.lastIndex = at;
      const found = TOKENS.exec(text);
      out.append(text.slice(at, found ? found.index : text.length));
      if (!found) return text.length;
      if (found[2]) this.quote = found[2];
      out.append(token(CLASSES[found.slice(1).findIndex((group) => group !== undefined)], found[0]));
      return TOKENS.lastIndex;
    }
  }

  const token = (kind, text) => S.el("span", { class: `tok-${kind}` }, text);

  S.modelSection = function modelSection(data) {
    const painter = new TomlPainter();
    const lines = data.model_text.replace(/\n$/, "").split(/\r?\n/).flatMap((line) => [painter.line(line), "\n"]);
    const code = S.el("pre", { class: "model", tabIndex: 0, "aria-label": "Model text" }, S.el("code", {}, ...lines));
    return S.section("model", "Model", [S.el("code", { class: "quiet" }, data.model_file), S.copyButton("Copy", () => data.model_text)], code);
  };

})(window.Slipstick);
