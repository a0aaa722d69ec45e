/* Slipstick report: the light and the dark theme. */
"use strict";
(function (S) {

  const root = document.documentElement;
  const systemDark = matchMedia("(prefers-color-scheme: dark)");
  let chosenTheme = null;

  /** Shows the given theme, or else the one the system prefers. */
  function showTheme(theme) {
    root.dataset.theme = theme || (systemDark.matches ? "dark" : "light");
    S.redrawAll();
  }

  S.themeButton = function themeButton() {
    return S.button("Theme", () => {
      chosenTheme = root.dataset.theme === "dark" ? "light" : "dark";
      try { localStorage.setItem("slipstick-theme", chosenTheme); } catch { /* no storage for this file */ }
      showTheme(chosenTheme);
    }, { class: "button theme", "aria-label": "Switch between the light and the dark theme" });
  };

  /** `#theme=dark` in the address wins over the remembered choice; paper is always light. */
  S.initTheme = function initTheme() {
    chosenTheme = (/theme=(dark|light)/.exec(location.hash) || [])[1];
    try { chosenTheme = chosenTheme || localStorage.getItem("slipstick-theme"); } catch { /* no storage for this file */ }
    showTheme(chosenTheme);
    systemDark.addEventListener("change", () => showTheme(chosenTheme));
    addEventListener("beforeprint", () => { root.classList.add("printing"); showTheme("light"); });
    addEventListener("afterprint", () => { root.classList.remove("printing"); showTheme(chosenTheme); });
  };

})(window.Slipstick);
