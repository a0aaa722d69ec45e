/* Slipstick report: one frame of the picture, drawn on a canvas.
 *
 * Ground first, then trails, lines and springs, bodies, points, arrows. What touches
 * or was hit a moment ago is lit. */
"use strict";
(function (S) {

  const BODIES = ["--s0", "--s2", "--s3", "--s4", "--s7", "--s5"];
  const FILL = 0.28, TEETH = 12, STRAIGHT = 0.12, TOOTH = 7, TRAIL_POINTS = 100;
  const BODY_EDGE = 1.6, GROUND_EDGE = 2, LINE_WIDTH = 3, POINT_RADIUS = 3.5;
  const MARGIN = 0.07;

  /** The numbers of a colour such as #0b6cb3. */
  const parts = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

  /** Some of one colour on another. */
  function mix(ink, paper, part) {
    const [a, b] = [parts(ink), parts(paper)];
    return `rgb(${a.map((v, k) => Math.round(b[k] + part * (v - b[k]))).join(" ")})`;
  }

  S.bodyColour = (k, lit) => (lit ? "--bad" : BODIES[k % BODIES.length]);

  // ------------------------------------------------------------------ camera

  /** What part of the plane is seen: the place in the middle and the pixels of one unit, equal both ways. */
  S.Camera = class Camera {
    constructor([low, high]) {
      Object.assign(this, { low, high, width: 1, height: 1, x: 0, y: 0, scale: 1, isFitted: true });
    }
    resize(width, height) {
      Object.assign(this, { width, height });
      if (this.isFitted) this.fit();
    }
    fit() {
      const { low, high, width, height } = this;
      const margin = 2 * MARGIN * Math.min(width, height);
      this.scale = Math.min((width - margin) / (high[0] - low[0]), (height - margin) / (high[1] - low[1]));
      [this.x, this.y] = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
      this.isFitted = true;
    }
    px(x) { return this.width / 2 + (x - this.x) * this.scale; }
    py(y) { return this.height / 2 - (y - this.y) * this.scale; }
    place(px, py) { return [this.x + (px - this.width / 2) / this.scale, this.y + (this.height / 2 - py) / this.scale]; }
    zoom(factor, px, py) {
      const [x, y] = this.place(px, py);
      this.scale *= factor;
      const [nx, ny] = this.place(px, py);
      this.pan(x - nx, y - ny);
    }
    pan(dx, dy) {
      this.x += dx;
      this.y += dy;
      this.isFitted = false;
    }
  };

  // ------------------------------------------------------------------- scene

  S.Scene = class Scene {
    constructor(data) {
      Object.assign(this, { data, motion: new S.Motion(data), camera: new S.Camera(data.bounds), pose: new Float64Array(3), rate: new Float64Array(3) });
      this.bodies = data.bodies.map((body, k) => ({ ...body, k, ground: body.shapes.some(({ kind }) => kind === "half_plane") }));
      this.closed = new Map();
      for (const [name, from, to] of data.closed) {
        if (!this.closed.has(name)) this.closed.set(name, []);
        this.closed.get(name).push([from, to]);
      }
      // The longest arrow is a part of the picture.
      this.fastest = this.findFastest();
    }

    findFastest() {
      const { q, tracks } = this.motion;
      let most = 0;
      for (let i = 0; i < q.length; i += 6) { const v = Math.hypot(q[i + 3], q[i + 4]); if (v > most && v < Infinity) most = v; }
      return tracks ? most : 0;
    }

    /** Whether one of the lights is on at a time: a contact is closed, or an event happened within `glow`. */
    lit(thing, list, t, glow) {
      for (const name of thing.lights) {
        for (const [from, to] of this.closed.get(name) || []) if (from <= t && t < to) return true;
      }
      return thing.lights.length > 0 && this.recent(t, glow).some((event) => event[list].includes(thing.k));
    }

    /** Events that happened within `glow`, the last ones. */
    recent(t, glow) {
      const { events } = this.data;
      let lo = 0, hi = events.length;
      while (lo < hi) { const mid = (lo + hi) >> 1; if (events[mid].t <= t) lo = mid + 1; else hi = mid; }
      const out = [];
      for (let i = lo - 1; i >= 0 && out.length < 50 && events[i].t >= t - glow; i--) out.push(events[i]);
      return out;
    }

    /** Draws the picture at a time. `show` says what beside it: trails, arrows, glow, before, follow. */
    draw(ctx, t, show) {
      const { camera, motion } = this;
      this.paper = S.colour("--panel");
      ctx.fillStyle = this.paper;
      ctx.fillRect(0, 0, camera.width, camera.height);
      motion.seek(t, show.before);
      if (show.follow !== null && show.follow !== undefined) {
        motion.pose(this.bodies[show.follow].pose, this.pose);
        if (Number.isFinite(this.pose[0] + this.pose[1])) { [camera.x, camera.y] = this.pose; camera.isFitted = false; }
      }
      ctx.lineCap = ctx.lineJoin = "round";
      const lit = this.bodies.map((body) => this.lit(body, "bodies", t, show.glow));
      for (const body of this.bodies) if (body.ground) this.drawBody(ctx, body, lit[body.k]);
      this.drawScale(ctx);
      if (show.trails > 0) this.drawTrails(ctx, t, show.trails);
      motion.seek(t, show.before);
      this.data.lines.forEach((line, k) => this.drawLine(ctx, line, this.lit({ ...line, k }, "lines", t, show.glow)));
      for (const body of this.bodies) if (!body.ground) this.drawBody(ctx, body, lit[body.k]);
      for (const joint of this.data.joints) this.drawPoint(ctx, motion.pose(joint.at, this.pose));
      if (show.arrows) this.drawArrows(ctx);
    }

    drawBody(ctx, body, isLit) {
      const { camera } = this, [x, y, angle] = this.motion.pose(body.pose, this.pose);
      if (!Number.isFinite(x + y + angle)) return;
      const still = typeof body.pose !== "number" && !isLit;
      const edge = S.colour(still ? "--mark" : S.bodyColour(body.k, isLit));
      const fill = still ? S.colour("--grid") : mix(edge, this.paper, FILL);
      for (const shape of body.shapes) {
        ctx.save();
        ctx.translate(camera.px(x), camera.py(y));
        ctx.rotate(-angle);
        ctx.translate(shape.at[0] * camera.scale, -shape.at[1] * camera.scale);
        ctx.rotate(-shape.turn);
        if (shape.kind === "half_plane") this.drawHalfPlane(ctx, shape, isLit);
        else this.drawShape(ctx, shape, { edge, fill, turns: body.turns });
        ctx.restore();
      }
    }

    /** A shape about the origin of the canvas; y goes down there. */
    drawShape(ctx, shape, { edge, fill, turns }) {
      const { scale } = this.camera, { kind, size } = shape;
      const open = kind === "segment";
      ctx.beginPath();
      outlines[kind](ctx, size, scale);
      ctx.lineWidth = shape.width === null ? (open ? GROUND_EDGE : BODY_EDGE) : shape.width * scale;
      ctx.strokeStyle = edge;
      if (!open) { ctx.fillStyle = fill; ctx.fill(); }
      if (turns && kind === "disc") { ctx.moveTo(0, 0); ctx.lineTo(size * scale, 0); }
      ctx.stroke();
    }

    /** Solid on the side that the direction leads out of. */
    drawHalfPlane(ctx, { size: [x, y] }, isLit) {
      const { width, height } = this.camera, far = 4 * (width + height) + Math.hypot(...ctxOffset(ctx));
      ctx.rotate(-Math.atan2(y, x));
      ctx.fillStyle = isLit ? mix(S.colour("--bad"), this.paper, FILL) : S.colour("--grid");
      ctx.fillRect(-far, -far, far, 2 * far);
      ctx.beginPath();
      ctx.moveTo(0, -far);
      ctx.lineTo(0, far);
      ctx.lineWidth = GROUND_EDGE;
      ctx.strokeStyle = S.colour(isLit ? "--bad" : "--mark");
      ctx.stroke();
    }

    drawLine(ctx, line, isLit) {
      const { camera, motion } = this;
      const places = line.through.map((at) => { const [x, y] = motion.pose(at, this.pose); return [camera.px(x), camera.py(y)]; });
      if (!places.every(([x, y]) => Number.isFinite(x + y))) return;
      const isSpring = line.kind === "spring";
      const half = line.width === null ? TOOTH : (line.width * camera.scale) / 2;
      ctx.lineWidth = isSpring ? BODY_EDGE : line.width === null ? LINE_WIDTH : line.width * camera.scale;
      ctx.strokeStyle = S.colour(isLit ? "--bad" : "--s6");
      ctx.beginPath();
      (isSpring ? teeth(places, half) : places).forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
      ctx.stroke();
    }

    drawPoint(ctx, [x, y]) {
      if (!Number.isFinite(x + y)) return;
      ctx.beginPath();
      ctx.arc(this.camera.px(x), this.camera.py(y), POINT_RADIUS, 0, 2 * Math.PI);
      ctx.fillStyle = this.paper;
      ctx.strokeStyle = S.colour("--ink");
      ctx.lineWidth = BODY_EDGE;
      ctx.fill();
      ctx.stroke();
    }

    /** Where bodies have been for the last while, at times that do not change as the end moves on. */
    drawTrails(ctx, t, span) {
      const { motion, camera, pose } = this, step = span / TRAIL_POINTS;
      const moving = this.bodies.filter((body) => typeof body.pose === "number" && !body.ground);
      const paths = moving.map(() => new Path2D());
      const from = Math.max(motion.start, t - span);
      const at = (time, first) => {
        motion.seek(time);
        moving.forEach((body, i) => {
          motion.pose(body.pose, pose);
          const [x, y] = [camera.px(pose[0]), camera.py(pose[1])];
          if (first) paths[i].moveTo(x, y); else paths[i].lineTo(x, y);
        });
      };
      at(from, true);
      for (let k = Math.floor(from / step) + 1; k * step < t; k++) at(k * step, false);
      at(t, false);
      ctx.save();
      ctx.globalAlpha = 0.45;
      ctx.lineWidth = 1.5;
      moving.forEach((body, i) => { ctx.strokeStyle = S.colour(S.bodyColour(body.k, false)); ctx.stroke(paths[i]); });
      ctx.restore();
    }

    /** Velocities; the fastest of the run is a sixth of the picture. */
    drawArrows(ctx) {
      const { camera, motion, pose, rate } = this;
      const unit = this.fastest > 0 ? Math.min(camera.width, camera.height) / 6 / this.fastest : 0;
      ctx.strokeStyle = ctx.fillStyle = S.colour("--s1");
      ctx.lineWidth = 2;
      for (const body of this.bodies) {
        if (typeof body.pose !== "number" || body.ground) continue;
        motion.pose(body.pose, pose);
        motion.rates(body.pose, rate);
        const [u, v] = [rate[0] * unit, -rate[1] * unit], length = Math.hypot(u, v);
        if (!(length > 3)) continue;
        const [x, y] = [camera.px(pose[0]), camera.py(pose[1])], [e, f] = [u / length, v / length];
        const head = Math.min(8, length);
        ctx.beginPath();
        ctx.moveTo(x, y);
        ctx.lineTo(x + u - e * head * 0.7, y + v - f * head * 0.7);
        ctx.stroke();
        ctx.beginPath();
        ctx.moveTo(x + u, y + v);
        ctx.lineTo(x + u - e * head - f * head * 0.45, y + v - f * head + e * head * 0.45);
        ctx.lineTo(x + u - e * head + f * head * 0.45, y + v - f * head - e * head * 0.45);
        ctx.fill();
      }
    }

    /** A bar with a round length, at the lower left. */
    drawScale(ctx) {
      const { scale, height, width } = this.camera;
      const raw = Math.min(110, width / 4) / scale, power = 10 ** Math.floor(Math.log10(raw));
      const length = [5, 2, 1].find((m) => m * power <= raw) * power;
      if (!Number.isFinite(length)) return;
      const [x, y, w] = [14, height - 12, length * scale];
      ctx.strokeStyle = ctx.fillStyle = S.colour("--muted");
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.moveTo(x, y - 4); ctx.lineTo(x, y); ctx.lineTo(x + w, y); ctx.lineTo(x + w, y - 4);
      ctx.stroke();
      ctx.font = "12px system-ui, sans-serif";
      ctx.textAlign = "left";
      ctx.textBaseline = "bottom";
      ctx.fillText(S.withUnit(S.formatNumber(length, 3), this.data.unit), x + 4, y - 3);
    }

    /** The body at a pixel that lies on top, or null. */
    bodyAt(px, py) {
      const { camera, motion } = this;
      let found = null;
      for (const body of this.bodies) {
        if (body.ground || typeof body.pose !== "number") continue;
        const [x, y] = motion.pose(body.pose, this.pose);
        const reach = Math.max(14, ...body.shapes.map(({ kind, size }) => (kind === "disc" ? size : 0) * camera.scale));
        if (Math.hypot(camera.px(x) - px, camera.py(y) - py) <= reach) found = body.k;
      }
      return found;
    }
  };

  const ctxOffset = (ctx) => { const { e, f } = ctx.getTransform(); return [e, f]; };

  const polygon = (ctx, corners, scale) => corners.forEach(([x, y], i) => ctx[i ? "lineTo" : "moveTo"](x * scale, -y * scale));

  /** What each kind of shape looks like about the origin. */
  const outlines = {
    disc: (ctx, r, scale) => ctx.arc(0, 0, Math.abs(r) * scale, 0, 2 * Math.PI),
    ellipse: (ctx, [a, b], scale) => ctx.ellipse(0, 0, a * scale, b * scale, 0, 0, 2 * Math.PI),
    box: (ctx, [w, h], scale) => ctx.rect((-w / 2) * scale, (-h / 2) * scale, w * scale, h * scale),
    capsule: (ctx, [length, r], scale) => ctx.roundRect((-length / 2 - r) * scale, -r * scale, (length + 2 * r) * scale, 2 * r * scale, r * scale),
    polygon: (ctx, corners, scale) => { polygon(ctx, corners, scale); ctx.closePath(); },
    segment: polygon,
  };

  /** A spring between two places. */
  function teeth([from, to], half) {
    const along = [to[0] - from[0], to[1] - from[1]], length = Math.hypot(...along);
    if (!(length > 0)) return [from, to];
    const across = [(along[1] / length) * half, (-along[0] / length) * half];
    const at = (s, side) => [from[0] + s * along[0] + side * across[0], from[1] + s * along[1] + side * across[1]];
    const out = [from, at(STRAIGHT, 0)];
    for (let k = 0; k < TEETH; k++) out.push(at(STRAIGHT + ((1 - 2 * STRAIGHT) * (k + 0.5)) / TEETH, k % 2 ? -1 : 1));
    return [...out, at(1 - STRAIGHT, 0), to];
  }

  // -------------------------------------------------------------------- test

  /** The numbers of a colour as it was mixed. */
  const rgb = (text) => text.match(/\d+/g).map(Number);

  /** Compares poses and pixels with the trajectory; returns what came of it, in words. */
  S.testPicture = function testPicture(data) {
    const scene = new S.Scene(data), canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [960, 540];
    scene.camera.resize(960, 540);
    const ctx = canvas.getContext("2d", { willReadFrequently: true });
    const pose = new Float64Array(3);
    let worst = 0, poses = 0, right = 0, pixels = 0;
    for (const [t, after, wanted] of data.test) {
      scene.motion.seek(t, !after);
      wanted.forEach((place, track) => {
        scene.motion.pose(track, pose);
        const off = Math.hypot(pose[0] - place[0], pose[1] - place[1]) * scene.camera.scale;
        if (place.every((v) => v !== null)) { worst = Math.max(worst, off, Number.isFinite(off) ? 0 : Infinity); poses++; }
      });
      scene.draw(ctx, t, { before: !after, trails: 0, arrows: false, glow: 0, follow: null });
      const probe = probePixel(scene, wanted, t);
      if (!probe) continue;
      pixels++;
      const seen = ctx.getImageData(Math.round(probe.x), Math.round(probe.y), 1, 1).data;
      if (probe.colour.every((v, k) => Math.abs(v - seen[k]) <= 3)) right++;
    }
    const passed = worst <= 0.5 && right === pixels && poses > 0;
    return `picture test ${passed ? "passed" : "FAILED"}: ${poses} poses within ${worst.toFixed(3)} px, ${right} of ${pixels} pixels right`;
  };

  /** A pixel inside the body that is drawn last, where the trajectory says that it is, and its colour. */
  function probePixel(scene, wanted, t) {
    const { camera } = scene;
    const body = scene.bodies.filter(({ pose, shapes, ground }) => typeof pose === "number" && !ground && shapes.length === 1).pop();
    if (!body) return null;
    const [{ kind, size, at, turn }] = body.shapes, [x, y, angle] = wanted[body.pose];
    const half = { disc: size, box: size[0] / 2, ellipse: size[0], capsule: size[0] / 2 + size[1] }[kind];
    if (!(half * camera.scale > 8) || at[0] || at[1]) return null;
    // Not in the middle, where a turning disc has its line.
    const [u, v] = [-0.6 * half * Math.cos(angle + turn), -0.6 * half * Math.sin(angle + turn)];
    const [px, py] = [camera.px(x + u), camera.py(y + v)];
    const hidden = scene.data.joints.some((joint) => {
      const [a, b] = scene.motion.pose(joint.at, new Float64Array(3));
      return Math.hypot(camera.px(a) - px, camera.py(b) - py) < 8;
    });
    if (hidden || px < 1 || py < 1 || px > camera.width - 2 || py > camera.height - 2) return null;
    const edge = S.colour(S.bodyColour(body.k, scene.lit(body, "bodies", t, 0)));
    return { x: px, y: py, colour: rgb(mix(edge, scene.paper, FILL)) };
  }

})(window.Slipstick);
