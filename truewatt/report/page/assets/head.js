// Runs before anything is drawn: counts errors for the browser test, and sets the colour theme
// early so that a dark page never flashes white. `#dark` and `#light` in the address force one.
(function () {
  "use strict";
  const root = document.documentElement;
  root.classList.add("js");
  root.dataset.errors = "0";
  root.dataset.chartsDrawn = "0";

  function countError() {
    root.dataset.errors = String(Number(root.dataset.errors) + 1);
  }
  window.addEventListener("error", countError);
  window.addEventListener("unhandledrejection", countError);
  const consoleError = console.error;
  console.error = function () {
    countError();
    consoleError.apply(console, arguments);
  };

  const asked = /^#(dark|light)$/.exec(window.location.hash);
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = asked ? asked[1] : prefersDark ? "dark" : "light";
})();
