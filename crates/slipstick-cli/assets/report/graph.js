/* Slipstick report: the modes that the run reached, as a graph.
 *
 * Nodes stand on an ellipse in the order in which they were reached, or in a
 * column where there is little room, and arrows bend to one side, so that both
 * ways between two nodes can be seen. The table below has every event in full. */
"use strict";
(function (S) {

  const MOST_NODES = 8, LINE = 15, NARROW = 560, LETTER = 6.3;

  S.modeGraphSection = function modeGraphSection(data, page) {
    const { modes, edges } = data.contacts.graph;
    const shown = [...modes].sort((a, b) => b.time - a.time).slice(0, MOST_NODES).sort((a, b) => a.number - b.number);
    const host = S.el("div", { class: "mode-graph" });
    let width = 0;
    const draw = () => {
      if (!host.clientWidth || host.clientWidth === width) return;
      width = host.clientWidth;
      host.replaceChildren(new ModeGraph(shown, edges, width, page.view.fullSpan).svg);
    };
    new ResizeObserver(draw).observe(host);
    const note = modes.length > shown.length ? `the ${shown.length} longest of ${modes.length} modes are drawn` : `${modes.length} ${modes.length === 1 ? "mode" : "modes"}`;
    return S.section("mode-graph", "Modes reached", [S.el("span", { class: "quiet" }, note)], host, edgeTable(modes, edges));
  };

  /** Events by name without what all of them have in common. */
  const short = (event) => event.replaceAll("contact.", "").replace(/ in [\w.]+/g, "").replaceAll("->", "→");
  const cut = (text, most) => (text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text);

  class ModeGraph {
    constructor(modes, edges, width, time) {
      this.narrow = width < NARROW;
      this.width = width;
      this.box = { w: this.narrow ? Math.min(196, width - 150) : Math.min(214, width / 3.4) };
      this.nodes = new Map(modes.map((mode, i) => [mode.number, this.node(mode, i, time)]));
      this.place(modes.length);
      const arrows = this.merge(edges);
      this.svg = svg("svg", { width, height: this.height, viewBox: `0 0 ${width} ${this.height}`, role: "img", "aria-label": "Graph of the modes reached and the events between them" },
        svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" },
          svg("path", { d: "M0 0L8 4L0 8z", class: "arrow-head" }))));
      const drawn = arrows.map((arrow) => this.arrow(arrow));
      this.svg.append(...drawn.map(([path]) => path), ...[...this.nodes.values()].map((node) => this.drawNode(node)), ...drawn.map(([, label]) => label));
    }

    node(mode, i, time) {
      const letters = Math.floor((this.box.w - 16) / LETTER);
      const parts = S.pretty(mode.name).split(", ");
      const lines = [];
      for (const part of parts) {
        const last = lines[lines.length - 1];
        if (last && last.length + part.length + 2 <= letters) lines[lines.length - 1] = `${last}, ${part}`;
        else lines.push(part);
      }
      const kept = lines.length > 4 ? [...lines.slice(0, 3), `and ${lines.length - 3} lines more`] : lines;
      const share = time > 0 ? mode.time / time : 0;
      return { mode, i, share, lines: kept.map((line) => cut(line, letters)), h: 30 + kept.length * LINE };
    }

    /** Nodes on an ellipse, or one above the other where there is little room. */
    place(count) {
      const tall = Math.max(...[...this.nodes.values()].map(({ h }) => h));
      if (this.narrow) return this.stack(tall);
      const rows = Math.max(1, Math.ceil(count / 2));
      const room = 64, ry = count < 2 ? 0 : count === 2 ? 0 : Math.max(tall * 1.1 + 40, (rows - 1) * (tall + 44) / 2);
      this.height = 2 * (ry + tall / 2 + room);
      const rx = count < 2 ? 0 : (this.width - this.box.w) / 2 - 40;
      const start = count === 3 ? -Math.PI / 2 : Math.PI;
      for (const node of this.nodes.values()) {
        const angle = start + (2 * Math.PI * node.i) / count;
        node.x = this.width / 2 + Math.min(rx, 360) * Math.cos(angle);
        node.y = this.height / 2 + ry * Math.sin(angle);
      }
      return undefined;
    }

    /** Nodes in a column, with room for a loop above each. */
    stack(tall) {
      const step = tall + 54;
      this.height = this.nodes.size * step + 10;
      for (const node of this.nodes.values()) [node.x, node.y] = [this.width / 2, node.i * step + 54 + tall / 2];
    }

    /** All ways from one node to another as one arrow. */
    merge(edges) {
      const arrows = new Map();
      for (const edge of edges) {
        if (!this.nodes.has(edge.from) || !this.nodes.has(edge.to)) continue;
        const key = `${edge.from} ${edge.to}`;
        if (!arrows.has(key)) arrows.set(key, { from: this.nodes.get(edge.from), to: this.nodes.get(edge.to), edges: [] });
        arrows.get(key).edges.push(edge);
      }
      return [...arrows.values()];
    }

    arrow({ from, to, edges }) {
      const [curve, at] = from === to ? this.loop(from) : this.bend(from, to);
      const full = edges.map(({ event, count }) => `${event} ${count}×`).join("\n");
      const total = edges.reduce((sum, { count }) => sum + count, 0);
      const first = edges.length > 1 ? `${edges.length} kinds` : short(edges[0].event);
      const lines = this.narrow || this.nodes.size > 6 ? [`${total}×`] : [cut(first, 30), `${total}×`];
      const path = svg("path", { d: curve, class: "way", "marker-end": "url(#arrow)" }, svg("title", {}, full));
      return [path, this.label(at, lines, full)];
    }

    label([x, y], lines, full) {
      const w = Math.max(...lines.map((line) => line.length)) * 5.6 + 8, h = lines.length * 13 + 3;
      const left = Math.min(Math.max(x - w / 2, 1), this.width - w - 1);
      const group = svg("g", { class: "way-label" }, svg("title", {}, full), svg("rect", { x: left, y: y - h / 2, width: w, height: h, rx: 3 }));
      lines.forEach((line, i) => group.append(svg("text", { x: left + w / 2, y: y - h / 2 + 11 + 13 * i }, S.pretty(line))));
      return group;
    }

    /** An arrow that bends to its left, which is outside for nodes in their order, and the middle of it. */
    bend(from, to) {
      if (this.narrow) return this.beside(from, to);
      const dx = to.x - from.x, dy = to.y - from.y, length = Math.hypot(dx, dy);
      const bow = Math.min(0.24 * length, 90);
      const control = [(from.x + to.x) / 2 + (dy / length) * bow, (from.y + to.y) / 2 - (dx / length) * bow];
      const [a, b] = [this.edge(from, control), this.edge(to, control)];
      const middle = [0, 1].map((i) => (a[i] + 2 * control[i] + b[i]) / 4);
      return [`M${a.map(round)}Q${control.map(round)} ${b.map(round)}`, middle];
    }

    /** In a column: down on the right, up on the left. */
    beside(from, to) {
      const side = to.y > from.y ? 1 : -1, x = from.x + (side * this.box.w) / 2, shift = side * 7;
      const out = x + side * Math.min(34 + 20 * (Math.abs(to.i - from.i) - 1), this.width / 2 - this.box.w / 2 - 6);
      const [a, b] = [from.y + shift, to.y - shift];
      return [`M${round(x)} ${round(a)}C${round(out)} ${round(a)} ${round(out)} ${round(b)} ${round(x)} ${round(b)}`, [(x + 3 * out) / 4, (a + b) / 2]];
    }

    /** A loop on the outer side of a node. */
    loop(node) {
      const up = this.narrow || node.y <= this.height / 2 ? -1 : 1, y = node.y + (up * node.h) / 2, x = node.x;
      return [`M${round(x - 22)} ${round(y)}C${round(x - 42)} ${round(y + up * 44)} ${round(x + 42)} ${round(y + up * 44)} ${round(x + 22)} ${round(y)}`, [x, y + up * 36]];
    }

    /** Where the line from a node's middle to a point leaves its box. */
    edge(node, [x, y]) {
      const dx = x - node.x, dy = y - node.y;
      const scale = Math.min(this.box.w / 2 / Math.abs(dx || 1e-9), node.h / 2 / Math.abs(dy || 1e-9), 1);
      return [node.x + dx * scale, node.y + dy * scale];
    }

    drawNode({ mode, x, y, h, lines, share }) {
      const w = this.box.w, left = x - w / 2, top = y - h / 2;
      const facts = `${mode.number === 1 ? "start, " : ""}${mode.entered}×, ${(100 * share).toFixed(1)} %`;
      const group = svg("g", { class: "mode" }, svg("title", {}, `${mode.number}: ${mode.name}\n${facts}`),
        svg("rect", { x: left, y: top, width: w, height: h, rx: 6 }),
        svg("rect", { class: "share", x: left + 8, y: top + h - 7, width: Math.max(1, (w - 16) * share), height: 3, rx: 1.5 }));
      lines.forEach((line, i) => group.append(svg("text", { x, y: top + 17 + LINE * i, class: "name" }, line)));
      group.append(svg("text", { x, y: top + h - 12 }, `${mode.number}: ${facts}`));
      return group;
    }
  }

  const round = (v) => Math.round(v * 10) / 10;

  function svg(tag, attributes, ...children) {
    const node = document.createElementNS("http:" + "//www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  }

  function edgeTable(modes, edges) {
    const name = (number) => modes[number - 1].name;
    const row = ({ from, to, event, count }) => S.el("tr", {},
      S.el("td", { class: "num way-cell", title: `${name(from)} → ${name(to)}` }, `${from} → ${to}`), S.el("td", {}, event), S.el("td", { class: "num" }, `${count}×`));
    const head = S.el("tr", {}, ...["Way", "Event", "Count"].map((text) => S.el("th", { scope: "col" }, text)));
    return S.el("div", { class: "table-box contact-table", hidden: !edges.length }, S.el("table", {}, S.el("thead", {}, head), S.el("tbody", {}, ...edges.map(row))));
  }

})(window.Slipstick);
