// Curves over a number with Chart.js: histograms, step responses, loss curves. Each has a key of
// its own above it, and marks on the x axis: a dashed line, a shaded interval.
(function () {
  "use strict";
  const truewatt = (window.truewatt = window.truewatt || {});
  const make = truewatt.make;

  const kMarks = {
    points: { pointRadius: 3, showLine: false },
    line: { pointRadius: 0, showLine: true, borderWidth: 2 },
    dashes: { pointRadius: 0, showLine: true, borderWidth: 2, borderDash: [6, 4] },
    steps: { pointRadius: 0, showLine: true, borderWidth: 1, stepped: "before", fill: "origin" },
  };
  const kSwatches = { points: "dots", line: "", dashes: "dashed", steps: "block filled" };

  function cells(one) {
    return one.x.map((x, i) => ({ x, y: one.y[i] }));
  }

  function datasets(series) {
    return series.map((one) => {
      const colour = truewatt.colour(one.role);
      const style = { borderColor: colour, backgroundColor: colour };
      // A line of one point is not seen.
      const alone = one.x.length === 1 ? { pointRadius: 3 } : {};
      // Chart.js holds a stepped line's value until the next point with "before".
      return Object.assign({ data: cells(one), label: one.name }, style, kMarks[one.mark], alone);
    });
  }

  /** Draws the marks of the x axis: intervals behind the curves, values over them. */
  function guides(marks) {
    const place = ({ chartArea, scales }, value) => {
      const x = scales.x.getPixelForValue(Math.max(value, scales.x.min));
      return Math.min(Math.max(x, chartArea.left), chartArea.right);
    };
    return {
      id: "guides",
      beforeDatasetsDraw(chart) {
        const { ctx, chartArea } = chart;
        ctx.save();
        ctx.fillStyle = truewatt.colour("window-edge");
        for (const mark of marks) {
          if (typeof mark.lower !== "number" || typeof mark.upper !== "number") continue;
          const left = place(chart, mark.lower);
          const width = Math.max(place(chart, mark.upper) - left, 1);
          ctx.fillRect(left, chartArea.top, width, chartArea.bottom - chartArea.top);
        }
        ctx.restore();
      },
      afterDatasetsDraw(chart) {
        const { ctx, chartArea } = chart;
        ctx.save();
        ctx.strokeStyle = truewatt.colour("text");
        ctx.setLineDash([4, 3]);
        for (const mark of marks) {
          if (typeof mark.x !== "number") continue;
          ctx.beginPath();
          ctx.moveTo(place(chart, mark.x), chartArea.top);
          ctx.lineTo(place(chart, mark.x), chartArea.bottom);
          ctx.stroke();
        }
        ctx.restore();
      },
    };
  }

  /** Least pixels of a decade that has room for 1, 2 and 5 of it. */
  const kRoom = { x: 100, y: 40 };

  /** On a logarithmic axis 1, 2 and 5 of every decade are enough, where it is short 1 alone. */
  function logarithmicTick(value) {
    const decades = Math.log10(this.max / this.min);
    const [length, room] = this.isHorizontal() ? [this.width, kRoom.x] : [this.height, kRoom.y];
    const shown = length < room * decades ? [1] : [1, 2, 5];
    const digit = value / Math.pow(10, Math.floor(Math.log10(value) + 1e-9));
    return shown.some((one) => Math.abs(digit - one) < 1e-6) ? String(value) : "";
  }

  function axis(label, extra) {
    const muted = truewatt.colour("muted");
    return Object.assign(
      {
        grid: { color: truewatt.colour("line"), borderColor: truewatt.colour("line-strong") },
        ticks: { color: muted, maxTicksLimit: 8, maxRotation: 0, includeBounds: false },
        title: { display: true, text: label, color: muted },
      },
      extra
    );
  }

  function xAxis(spec) {
    const xs = spec.series.flatMap((one) => one.x);
    const [min, max] = spec.x_range || [Math.min(...xs), Math.max(...xs)];
    const range = { min, max };
    const type = { type: spec.log_x ? "logarithmic" : "linear" };
    const options = axis(spec.x_label, Object.assign(type, range));
    if (spec.log_x) options.ticks.callback = logarithmicTick;
    if (spec.log_x) options.ticks.maxTicksLimit = 40;
    return options;
  }

  function yAxis(spec) {
    const type = { type: spec.log_y ? "logarithmic" : "linear", beginAtZero: Boolean(spec.zero) };
    const options = axis(spec.y_label, type);
    if (spec.log_y) options.ticks.callback = logarithmicTick;
    if (spec.log_y) options.ticks.maxTicksLimit = 40;
    return options;
  }

  function options(spec) {
    return {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      events: [],
      layout: { padding: { right: 16 } },
      plugins: { legend: { display: false }, tooltip: { enabled: false } },
      scales: { x: xAxis(spec), y: yAxis(spec) },
    };
  }

  /** What the marks stand for; curves of one name are explained once. */
  function key(series) {
    const seen = new Set();
    const entries = [];
    for (const one of series) {
      if (seen.has(one.name)) continue;
      seen.add(one.name);
      const swatch = make("span", {
        class: "swatch " + kSwatches[one.mark],
        "aria-hidden": "true",
      });
      swatch.style.setProperty("--swatch", "var(--c-" + one.role + ", var(--c-curve))");
      entries.push(make("li", {}, [swatch, one.name]));
    }
    return make("ul", { class: "key" }, entries);
  }

  /** Draws curves into `figure`; returns what redraws them in another theme or size. */
  truewatt.drawXy = function (figure, spec) {
    const canvas = make("canvas", { role: "img", "aria-label": figure.dataset.description });
    const box = make("div", { class: "xy-box" }, [canvas]);
    const place = figure.querySelector(".chart-place");
    if (spec.series.length > 1) place.append(key(spec.series));
    place.append(box);
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    const chart = new Chart(canvas, {
      type: "scatter",
      data: { datasets: datasets(spec.series) },
      options: options(spec),
      plugins: [guides(spec.guides)],
    });
    return {
      canvas: () => canvas,
      restyle() {
        chart.data.datasets = datasets(spec.series);
        chart.options = options(spec);
        chart.update("none");
      },
      resize: () => chart.resize(),
    };
  };
})();
