// Horizontal bars with Chart.js: naive readings against the estimate and the truth, and the terms
// of the uncertainty budget. Names and numbers stand beside the bars, so nothing needs a tooltip.
(function () {
  "use strict";
  const truewatt = (window.truewatt = window.truewatt || {});
  const kBarHeight = 46;
  const kAxisHeight = 44;
  const kFaint = "59"; // of a colour #rrggbb: 35 %

  /** Draws the 95 % interval of bars that have one, and a line at the truth, the meter or the estimate. */
  function whiskers(bars) {
    return {
      id: "whiskers",
      afterDatasetsDraw(chart) {
        const { ctx, chartArea, scales } = chart;
        const at = bars.find((bar) => ["truth", "meter"].includes(bar.role)) ||
          bars.find((bar) => bar.role === "estimate");
        ctx.save();
        ctx.strokeStyle = truewatt.colour("text");
        if (at) {
          const x = scales.x.getPixelForValue(at.value);
          ctx.setLineDash([4, 3]);
          ctx.lineWidth = 1;
          ctx.beginPath();
          ctx.moveTo(x, chartArea.top);
          ctx.lineTo(x, chartArea.bottom);
          ctx.stroke();
          ctx.setLineDash([]);
        }
        ctx.lineWidth = 2;
        bars.forEach((bar, i) => {
          if (typeof bar.lower !== "number" || typeof bar.upper !== "number") return;
          const y = scales.y.getPixelForValue(i);
          const left = scales.x.getPixelForValue(bar.lower);
          const right = scales.x.getPixelForValue(bar.upper);
          ctx.beginPath();
          ctx.moveTo(left, y);
          ctx.lineTo(right, y);
          for (const x of [left, right]) {
            ctx.moveTo(x, y - 8);
            ctx.lineTo(x, y + 8);
          }
          ctx.stroke();
        });
        ctx.restore();
      },
    };
  }

  function longest(bars) {
    return Math.max(...bars.map((bar) => (typeof bar.upper === "number" ? bar.upper : bar.value)));
  }

  function options(bars, ticks) {
    const text = truewatt.colour("text");
    const muted = truewatt.colour("muted");
    return {
      indexAxis: "y",
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      events: [],
      layout: { padding: { right: 12 } },
      plugins: { legend: { display: false }, tooltip: { enabled: false } },
      scales: {
        x: {
          beginAtZero: true,
          suggestedMax: longest(bars) * 1.04,
          grid: { color: truewatt.colour("line"), borderColor: truewatt.colour("line-strong") },
          ticks: { color: muted, maxTicksLimit: 6, maxRotation: 0 },
          title: { display: true, text: ticks, color: muted },
        },
        y: {
          grid: { display: false, borderColor: truewatt.colour("line-strong") },
          ticks: { color: text, autoSkip: false, crossAlign: "far" },
        },
      },
    };
  }

  /** Beside an estimate what others read is faint, in the colour of its source. */
  function colourOf(bar, bars) {
    const colour = truewatt.colour(bar.role);
    const strong = ["estimate", "truth", "meter"].includes(bar.role) ||
      !bars.some((one) => one.role === "estimate");
    return strong ? colour : colour + kFaint;
  }

  function dataset(bars) {
    return {
      data: bars.map((bar) => bar.value),
      backgroundColor: bars.map((bar) => colourOf(bar, bars)),
      barPercentage: 0.72,
      categoryPercentage: 0.9,
    };
  }

  const kNarrow = 560;
  const kLongName = 22;

  /** Name and number; on a phone a long name takes two lines. */
  function label(bar, width) {
    const space = bar.name.indexOf(" ");
    if (width >= kNarrow || bar.name.length <= kLongName || space < 0) return [bar.name, bar.text];
    return [bar.name.slice(0, space), bar.name.slice(space + 1), bar.text];
  }

  const kTicks = { bars: "energy in J", budget: "standard uncertainty in J" };

  /**
   * Draws bars into `figure`; returns what redraws them in another theme or size. `axis` names
   * what they measure where the figure's kind does not.
   */
  truewatt.drawBars = function (figure, bars, axis) {
    const canvas = truewatt.make("canvas", {
      role: "img",
      "aria-label": figure.dataset.description,
    });
    const box = truewatt.make("div", { class: "bar-box" }, [canvas]);
    box.style.height = bars.length * kBarHeight + kAxisHeight + "px";
    figure.querySelector(".chart-place").append(box);
    const ticks = axis || kTicks[figure.dataset.kind];
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    const chart = new Chart(canvas, {
      type: "bar",
      data: { labels: bars.map((bar) => label(bar, box.clientWidth)), datasets: [dataset(bars)] },
      options: options(bars, ticks),
      plugins: [whiskers(bars)],
    });
    return {
      canvas: () => canvas,
      restyle() {
        chart.data.datasets[0].backgroundColor = dataset(bars).backgroundColor;
        chart.options = options(bars, ticks);
        chart.update("none");
      },
      resize: () => chart.resize(),
    };
  };
})();
