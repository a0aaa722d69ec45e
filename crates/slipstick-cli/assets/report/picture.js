/* Slipstick report: the moving picture with its controls.
 *
 * Play, scrub, speed, loop; ticks of events that lead to them; zoom, pan, follow,
 * trails, arrows; a film of what is shown. `S.pictureSection(data, hooks)` makes it. */
"use strict";
(function (S) {

  const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000];
  const SHORTEST = 3, LONGEST = 30, GLOW = 0.18, TRAIL = 2, BAR = 34, NEAR = 6, TALLEST = 520;

  let lastScroll = 0;
  addEventListener("scroll", () => { lastScroll = performance.now(); }, { passive: true });

  /** Real time if a film of the run is neither too short nor too long, or else the next round speed. */
  function firstSpeed(span) {
    if (span >= SHORTEST && span <= LONGEST) return 1;
    const wanted = span < SHORTEST ? span / SHORTEST : span / LONGEST;
    const fits = span < SHORTEST ? [...SPEEDS].reverse().find((s) => s <= wanted) : SPEEDS.find((s) => s >= wanted);
    return fits || (span < SHORTEST ? SPEEDS[0] : SPEEDS[SPEEDS.length - 1]);
  }

  class Picture {
    /** `hooks.moved(t)` is told of each time that is shown. */
    constructor(data, hooks) {
      Object.assign(this, { data, hooks, scene: new S.Scene(data), playing: false, last: 0, before: false, follow: null, recorder: null });
      const { motion } = this.scene;
      Object.assign(this, { t: motion.start, start: motion.start, end: motion.end, speed: firstSpeed(motion.end - motion.start) });
      this.canvas = S.el("canvas", { class: "picture-canvas", tabIndex: 0, role: "img", "aria-label": "The moving picture. Space plays, arrow keys move in time, plus and minus zoom, zero fits." });
      this.bar = S.el("canvas", { class: "picture-bar", tabIndex: 0, role: "slider", "aria-label": "Time" });
      this.readout = S.el("span", { class: "picture-time num" });
      this.mode = S.el("span", { class: "badge picture-mode", hidden: !data.modes.length });
      this.event = S.el("span", { class: "picture-event quiet" });
      this.section = S.section("picture", "Picture", [this.event, this.readout, this.mode], this.stage(), this.transport(), this.options(), this.hints());
      this.attach();
      new ResizeObserver(() => this.resize()).observe(this.canvas.parentElement);
      new MutationObserver(() => this.draw()).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    }

    // -------------------------------------------------------------- elements

    stage() { return S.el("div", { class: "picture-stage" }, this.canvas); }

    transport() {
      const none = !this.data.events.length;
      this.playButton = S.button("▶", () => this.toggle(), { class: "button picture-play", "aria-label": "Play" });
      const step = (text, label, by) => S.button(text, () => this.stepEvent(by), { "aria-label": label, title: label, disabled: none });
      return S.el("div", { class: "picture-transport" }, this.playButton,
        S.el("div", { class: "toggle", role: "group", "aria-label": "Step through the events" }, step("‹", "Previous event", -1), step("›", "Next event", 1)),
        this.bar);
    }

    options() {
      const select = (label, list, chosen, onchange) => {
        const box = S.el("select", { class: "input", "aria-label": label, onchange: () => { onchange(box.value); this.draw(); } },
          ...list.map(([value, text]) => S.el("option", { value, selected: value === chosen }, text)));
        return S.el("label", { class: "field" }, label, box);
      };
      const check = (label, key, on) => {
        const box = S.el("input", { type: "checkbox", checked: on, onchange: () => { this[key] = box.checked; this.draw(); } });
        this[key] = on;
        return S.el("label", { class: "field" }, box, label);
      };
      const speeds = SPEEDS.map((s) => [String(s), `${s}×`]);
      const bodies = this.scene.bodies.filter((body) => typeof body.pose === "number" && !body.ground);
      const follow = [["", "nothing"], ...bodies.map((body) => [String(body.k), body.name])];
      this.recordButton = S.button("Record", () => this.record(), { title: "Make a film of the run as it is shown" });
      this.recordButton.hidden = !(window.MediaRecorder && this.canvas.captureStream);
      return S.el("div", { class: "controls picture-options" },
        select("Speed", speeds, String(this.speed), (value) => { this.speed = Number(value); }),
        check("Loop", "loop", true), check("Trails", "trails", false), check("Velocities", "arrows", false),
        bodies.length ? select("Follow", follow, "", (value) => { this.follow = value === "" ? null : Number(value); }) : null,
        S.button("Fit", () => this.fit(), { title: "Show everything (double-click on the picture)" }), this.recordButton);
    }

    hints() {
      const cut = this.data.ends ? ` The picture ends at t = ${this.data.ends}: the rest of the run would make the page too large.` : "";
      return S.el("p", { class: "hint" },
        S.el("span", { class: "for-mouse" }, "Drag to pan, wheel to zoom, double-click to fit, click a tick to go to its event. Keys: space plays, ← → go through time, comma and period from event to event, + − 0 zoom."),
        S.el("span", { class: "for-touch" }, "Drag to pan, pinch to zoom, double-tap to fit."), cut);
    }

    // ------------------------------------------------------------------ time

    toggle() { if (this.playing) this.pause(); else this.play(); }

    play() {
      if (this.t >= this.end) this.t = this.start;
      this.playing = true;
      this.showPlaying();
      this.last = performance.now();
      requestAnimationFrame((now) => this.tick(now));
    }

    pause() {
      this.playing = false;
      this.showPlaying();
    }

    showPlaying() {
      this.playButton.textContent = this.playing ? "❚❚" : "▶";
      this.playButton.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    }

    tick(now) {
      if (!this.playing) return;
      // After a pause of the page it does not jump.
      const passed = Math.min(0.1, Math.max(0, (now - this.last) / 1000));
      this.last = now;
      let t = this.t + passed * this.speed;
      if (t >= this.end) {
        if (this.loop && !this.recorder && this.end > this.start) t = this.start + ((t - this.start) % (this.end - this.start));
        else { t = this.end; this.pause(); this.stopRecording(); }
      }
      this.show(t, false);
      requestAnimationFrame((next) => this.tick(next));
    }

    /** Shows a time; `before` chooses the side of an event. */
    show(t, before) {
      this.t = Math.min(this.end, Math.max(this.start, t));
      this.before = before;
      this.draw();
      this.hooks.moved(this.t);
    }

    seek(t) { this.pause(); this.show(t, false); }

    /** Goes to the next event or back to the one before; first to its side before it, then to that after it. */
    stepEvent(by) {
      const { events } = this.data;
      const times = events.flatMap(({ t }) => [[t, true], [t, false]]);
      const later = ([t, before]) => t > this.t || (t === this.t && this.before && !before);
      const earlier = ([t, before]) => t < this.t || (t === this.t && !this.before && before);
      const next = by > 0 ? times.find(later) : times.filter(earlier).pop();
      this.pause();
      if (next) this.show(...next);
    }

    // --------------------------------------------------------------- drawing

    resize() {
      const width = this.canvas.parentElement.clientWidth, [low, high] = this.data.bounds;
      const wanted = width * ((high[1] - low[1]) / (high[0] - low[0]));
      const height = Math.round(Math.min(Math.max(wanted, width < 500 ? 220 : 300), TALLEST, Math.max(300, 0.6 * innerHeight)));
      const ratio = devicePixelRatio || 1;
      const size = (canvas, w, h) => {
        [canvas.width, canvas.height] = [Math.round(w * ratio), Math.round(h * ratio)];
        canvas.style.height = `${h}px`;
      };
      if (width < 1) return;
      size(this.canvas, width, height);
      size(this.bar, this.bar.clientWidth, BAR);
      this.scene.camera.resize(width, height);
      this.draw();
    }

    draw() {
      const ratio = devicePixelRatio || 1;
      const ctx = this.canvas.getContext("2d");
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      const { before, arrows, follow } = this;
      const trails = this.trails ? TRAIL * this.speed : 0;
      this.scene.draw(ctx, this.t, { before, arrows, follow, trails, glow: GLOW * this.speed });
      this.drawBar(ratio);
      this.showMoment();
    }

    drawBar(ratio) {
      const ctx = this.bar.getContext("2d"), width = this.bar.width / ratio, { data } = this;
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      ctx.clearRect(0, 0, width, BAR);
      const x = (t) => this.barX(t, width);
      const names = [...new Set(data.modes.map(([name]) => name))];
      ctx.fillStyle = S.colour("--grid");
      ctx.fillRect(x(this.start), 14, x(this.end) - x(this.start), 8);
      for (const [name, from, to] of data.modes) {
        ctx.fillStyle = S.colour(`--m${names.indexOf(name) % 8}`);
        ctx.fillRect(x(from), 14, x(to) - x(from), 8);
      }
      ctx.fillStyle = S.colour("--accent");
      ctx.fillRect(x(this.start), 17, x(this.t) - x(this.start), 2);
      ctx.fillStyle = S.colour("--mark");
      for (const at of new Set(data.events.map(({ t }) => Math.round(x(t))))) ctx.fillRect(at - 1, 9, 2, 18);
      ctx.fillStyle = S.colour("--accent");
      S.dot(ctx, x(this.t), 18, 7);
    }

    barX(t, width) { return 8 + (width - 16) * (this.end > this.start ? (t - this.start) / (this.end - this.start) : 0); }

    /** The time, the mode, and the last event as long as it glows. */
    showMoment() {
      const { data, t } = this;
      const time = (v, digits) => S.pretty(S.withUnit(S.formatNumber(v, digits), data.time_unit));
      const digits = Math.max(3, Math.ceil(Math.log10(Math.max(1, Math.abs(this.end) / ((this.end - this.start) || 1)))) + 4);
      const side = this.data.events.some((event) => event.t === t) ? (this.before ? " (before the event)" : " (after the event)") : "";
      this.readout.textContent = `t = ${time(t, digits)}${side}`;
      const mode = data.modes.filter(([, from, to]) => from <= t && t <= to);
      if (mode.length) this.mode.textContent = (this.before ? mode[0] : mode[mode.length - 1])[0];
      const [event] = this.scene.recent(t, 3 * GLOW * this.speed);
      const impulse = event && event.impulse ? `, impulse ${S.formatNumber(event.impulse, 4)}` : "";
      this.event.textContent = event ? S.pretty(`${event.name}${impulse}`) : "";
      this.bar.setAttribute("aria-valuemin", this.start);
      this.bar.setAttribute("aria-valuemax", this.end);
      this.bar.setAttribute("aria-valuenow", t);
      this.bar.setAttribute("aria-valuetext", this.readout.textContent);
    }

    fit() { this.scene.camera.fit(); this.draw(); }

    // -------------------------------------------------------------- gestures

    attach() {
      this.attachBar();
      this.attachCanvas();
      for (const node of [this.canvas, this.bar]) node.addEventListener("keydown", (event) => this.press(event));
    }

    attachBar() {
      const go = (event) => {
        const rect = this.bar.getBoundingClientRect();
        const x = event.clientX - rect.left;
        const near = this.data.events.map(({ t }) => t).filter((t) => Math.abs(this.barX(t, rect.width) - x) <= NEAR)
          .sort((a, b) => Math.abs(this.barX(a, rect.width) - x) - Math.abs(this.barX(b, rect.width) - x));
        this.seek(near.length ? near[0] : this.start + ((x - 8) / (rect.width - 16)) * (this.end - this.start));
      };
      this.bar.addEventListener("pointerdown", (event) => { this.bar.setPointerCapture(event.pointerId); go(event); });
      this.bar.addEventListener("pointermove", (event) => { if (event.buttons) go(event); });
    }

    attachCanvas() {
      const { canvas, scene: { camera } } = this, fingers = new Map();
      const at = (event) => { const rect = canvas.getBoundingClientRect(); return [event.clientX - rect.left, event.clientY - rect.top]; };
      let moved = 0;
      canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); fingers.set(event.pointerId, at(event)); moved = 0; });
      canvas.addEventListener("pointermove", (event) => {
        if (!fingers.has(event.pointerId)) return;
        const was = [...fingers.values()].map((place) => [...place]);
        fingers.set(event.pointerId, at(event));
        const now = [...fingers.values()];
        moved += Math.hypot(now[0][0] - was[0][0], now[0][1] - was[0][1]);
        this.drag(was, now);
      });
      for (const name of ["pointerup", "pointercancel"]) {
        canvas.addEventListener(name, (event) => {
          if (name === "pointerup" && fingers.size === 1 && moved < 4) this.toggle();
          fingers.delete(event.pointerId);
        });
      }
      canvas.addEventListener("dblclick", () => this.fit());
      canvas.addEventListener("wheel", (event) => {
        if (performance.now() - lastScroll < 250 || (camera.isFitted && event.deltaY > 0)) return;
        event.preventDefault();
        camera.zoom(Math.exp(-Math.min(Math.max(event.deltaY * (event.deltaMode === 1 ? 30 : 1), -300), 300) * 0.002), ...at(event));
        this.draw();
      }, { passive: false });
    }

    /** One finger moves the picture, two also change its size. */
    drag(was, now) {
      const { camera } = this.scene;
      const middle = (list) => [0, 1].map((k) => list.reduce((sum, place) => sum + place[k], 0) / list.length);
      const [[a, b], [c, d]] = [middle(was), middle(now)];
      camera.pan((a - c) / camera.scale, (d - b) / camera.scale);
      if (now.length === 2) {
        const apart = (list) => Math.hypot(list[0][0] - list[1][0], list[0][1] - list[1][1]);
        if (apart(was) > 8) camera.zoom(apart(now) / apart(was), c, d);
      }
      this.draw();
    }

    press(event) {
      const { camera } = this.scene, step = (this.end - this.start) / 100;
      const zoom = (factor) => { camera.zoom(factor, camera.width / 2, camera.height / 2); this.draw(); };
      const actions = {
        " ": () => this.toggle(), ArrowLeft: () => this.seek(this.t - step), ArrowRight: () => this.seek(this.t + step),
        Home: () => this.seek(this.start), End: () => this.seek(this.end), ",": () => this.stepEvent(-1), ".": () => this.stepEvent(1),
        "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), 0: () => this.fit(),
      };
      if (event.ctrlKey || event.metaKey || event.altKey || !actions[event.key]) return;
      event.preventDefault();
      actions[event.key]();
    }

    // ---------------------------------------------------------------- record

    /** Plays the run once from its start, and hands out the film. */
    record() {
      if (this.recorder) { this.stopRecording(); return; }
      const kinds = ["video/mp4", "video/webm;codecs=vp9", "video/webm"].filter((kind) => MediaRecorder.isTypeSupported(kind));
      const recorder = new MediaRecorder(this.canvas.captureStream(60), { mimeType: kinds[0], videoBitsPerSecond: 8e6 });
      const pieces = [];
      recorder.ondataavailable = (event) => pieces.push(event.data);
      recorder.onstop = () => {
        const file = new Blob(pieces, { type: recorder.mimeType });
        const link = S.el("a", { href: URL.createObjectURL(file), download: `picture.${recorder.mimeType.includes("mp4") ? "mp4" : "webm"}` });
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10000);
      };
      this.recorder = recorder;
      this.recordButton.textContent = "Stop";
      this.t = this.start;
      recorder.start();
      this.play();
    }

    stopRecording() {
      if (!this.recorder) return;
      this.recorder.stop();
      this.recorder = null;
      this.recordButton.textContent = "Record";
      this.pause();
    }
  }

  /** The section with the picture, and what moves it to a time. */
  S.pictureSection = function pictureSection(data, hooks) {
    const picture = new Picture(data, hooks);
    window.Slipstick.picture = picture;
    return { section: picture.section, seek: (t) => picture.seek(t) };
  };

  /** With `#test` in the address, what the picture says of itself. */
  S.pictureVerdict = function pictureVerdict(data) {
    if (!/\btest\b/.test(location.hash)) return null;
    return S.el("p", { id: "picture-test", class: "hint" }, S.testPicture(data));
  };

})(window.Slipstick);
