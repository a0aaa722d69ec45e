/* Slipstick: a page with the moving picture of a run and nothing else. */
"use strict";
(function (S) {

  const data = JSON.parse(document.getElementById("data").textContent);

  S.initTheme();
  const header = S.el("header", { class: "top" },
    S.el("div", { class: "top-line" }, S.el("span", { class: "brand" }, "Slipstick"), S.el("span", { class: "quiet" }, "picture"), S.themeButton()),
    S.el("div", { class: "title-line" }, S.el("h1", {}, data.title), S.el("span", { class: `badge ${data.ok ? "good" : "bad"}` }, data.outcome)));
  const picture = S.pictureSection(data.picture, { moved: () => {} });
  const verdict = S.pictureVerdict(data.picture);
  const footer = S.el("footer", {}, `Slipstick ${data.version}`, S.el("code", {}, data.model_file));
  document.getElementById("page").append(...[header, picture.section, verdict, footer].filter(Boolean));

})(window.Slipstick);
