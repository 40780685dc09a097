// Draws every chart of the page, switches the theme, and writes a self-check into <html>:
// data-charts-drawn (charts whose canvas is not empty), data-overflow (pixels by which the page is
// wider than its window) and data-errors.
(function () {
  "use strict";
  const truewatt = window.truewatt;
  const root = document.documentElement;
  const charts = [];

  function sectionData(index) {
    return JSON.parse(document.getElementById("data-" + index).textContent);
  }

  /** A figure with data of its own, or one of a measurement's section. */
  function drawOne(figure, section, band) {
    const kind = figure.dataset.kind;
    if ("figure" in figure.dataset) {
      const data = section.figures[figure.dataset.figure];
      if (kind === "trace") return truewatt.drawTrace(figure, data, 0);
      if (kind === "bars") return truewatt.drawBars(figure, data.bars, data.axis);
      return kind === "intervals"
        ? truewatt.drawIntervals(figure, data)
        : truewatt.drawXy(figure, data);
    }
    if (figure.classList.contains("trace")) {
      return truewatt.drawTrace(figure, section, section.banded ? band : 0);
    }
    return truewatt.drawBars(figure, section.estimates[figure.dataset.estimate][kind]);
  }

  function drawAll() {
    const band = Number(document.body.dataset.band);
    const data = new Map();
    for (const figure of document.querySelectorAll("figure[data-section]")) {
      const index = figure.dataset.section;
      if (!data.has(index)) data.set(index, sectionData(index));
      charts.push(drawOne(figure, data.get(index), band));
    }
  }

  function isDrawn(canvas) {
    if (!canvas || canvas.width === 0 || canvas.height === 0) return false;
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    for (let i = 3; i < pixels.length; i += 4) {
      if (pixels[i] !== 0) return true;
    }
    return false;
  }

  function check() {
    root.dataset.chartsDrawn = String(charts.filter((chart) => isDrawn(chart.canvas())).length);
    root.dataset.overflow = String(Math.max(0, root.scrollWidth - root.clientWidth));
  }

  const button = document.getElementById("theme");
  function markButton() {
    const isDark = root.dataset.theme === "dark";
    button.textContent = isDark ? "Light theme" : "Dark theme";
  }
  function setTheme(theme) {
    root.dataset.theme = theme;
    markButton();
    for (const chart of charts) chart.restyle();
  }

  drawAll();
  markButton();
  button.addEventListener("click", () => {
    setTheme(root.dataset.theme === "dark" ? "light" : "dark");
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
    setTheme(event.matches ? "dark" : "light");
  });

  // Paper is white: print in the light theme and come back.
  let screenTheme = root.dataset.theme;
  window.addEventListener("beforeprint", () => {
    screenTheme = root.dataset.theme;
    setTheme("light");
    for (const chart of charts) chart.resize();
  });
  window.addEventListener("afterprint", () => {
    setTheme(screenTheme);
    for (const chart of charts) chart.resize();
  });
  window.addEventListener("resize", () => requestAnimationFrame(check));
  check();
})();
