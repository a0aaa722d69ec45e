/* Slipstick report: the motion of the picture.
 *
 * Key moments with poses and their rates, and the cubic curves between them. At an
 * event there are two keys of one time: the first is before it, the last after it. */
"use strict";
window.Slipstick = window.Slipstick || {};
(function (S) {

  const KEY = 6;

  /** The bytes of a text, as numbers of a kind. */
  function decode(text, kind) {
    const raw = atob(text), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return new kind(bytes.buffer);
  }

  S.Motion = class Motion {
    constructor({ t, q, tracks }) {
      Object.assign(this, { t: decode(t, Float64Array), q: decode(q, Float32Array), tracks, key: 0, h: 0, s: 0 });
      [this.start, this.end] = [this.t[0], this.t[this.t.length - 1]];
    }

    /** Goes to a time; `before` chooses the side of an event. */
    seek(time, before = false) {
      const { t } = this;
      let lo = 0, hi = t.length;
      while (lo < hi) { const mid = (lo + hi) >> 1; if (before ? t[mid] < time : t[mid] <= time) lo = mid + 1; else hi = mid; }
      // The key before it: with the same time after an event, with an earlier one before it.
      this.key = Math.max(0, lo - 1);
      const next = Math.min(this.key + 1, t.length - 1);
      this.h = t[next] - t[this.key];
      this.s = this.h > 0 ? Math.min(1, Math.max(0, (time - t[this.key]) / this.h)) : before ? 1 : 0;
      return this;
    }

    /** Writes x, y and angle of a track, or of what stands still, to `out`. */
    pose(of, out) {
      if (typeof of !== "number") { [out[0], out[1], out[2]] = of; return out; }
      const { q, tracks, key, h, s } = this;
      const from = (key * tracks + of) * KEY;
      if (s === 0) { for (let k = 0; k < 3; k++) out[k] = q[from + k]; return out; }
      const to = from + tracks * KEY;
      const a = s * s * (3 - 2 * s), b = h * s * (1 - s);
      for (let k = 0; k < 3; k++) {
        const line = q[from + k] + a * (q[to + k] - q[from + k]);
        out[k] = line + b * ((1 - s) * q[from + k + 3] - s * q[to + k + 3]);
      }
      return out;
    }

    /** Writes the rates of a pose to `out`. */
    rates(of, out) {
      if (typeof of !== "number") { out.fill(0); return out; }
      const { q, tracks, key, h, s } = this;
      const from = (key * tracks + of) * KEY, to = from + tracks * KEY;
      for (let k = 0; k < 3; k++) {
        const [u, v] = [q[from + k + 3], s > 0 ? q[to + k + 3] : 0];
        out[k] = s === 0 || h === 0 ? u
          : 6 * s * (1 - s) * (q[to + k] - q[from + k]) / h + (1 - s) * (1 - 3 * s) * u + s * (3 * s - 2) * v;
      }
      return out;
    }
  };

})(window.Slipstick);
