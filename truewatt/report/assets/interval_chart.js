// One value per name with its 95 % interval, and a diamond where something was published. Names
// and numbers stand beside the dots, so nothing needs a tooltip.
(function () {
  "use strict";
  const truewatt = (window.truewatt = window.truewatt || {});
  const kRowHeight = 60;
  const kAxisHeight = 56;

  function isNumber(value) {
    return typeof value === "number";
  }

  /** Every number that has a place on the axis. */
  function placed(rows) {
    return rows.flatMap((row) => [row.value, row.lower, row.upper, row.published]).filter(isNumber);
  }

  /** Orders of magnitude apart, and nothing at or below zero that has to be seen. */
  function isLogarithmic(rows) {
    const values = rows.map((row) => (row.value > 0 ? row.value : row.upper));
    return values.every((value) => value > 0) && Math.max(...values) > 20 * Math.min(...values);
  }

  function rangeOf(rows) {
    const all = placed(rows);
    if (isLogarithmic(rows)) {
      const positive = all.filter((value) => value > 0);
      return { min: Math.min(...positive) / 2, max: Math.max(...positive) * 2 };
    }
    // The axis ends at a round number beyond these.
    return { suggestedMin: Math.min(...all, 0), suggestedMax: 1.04 * Math.max(...all, 0) };
  }

  function drawWhisker(ctx, left, right, y) {
    ctx.lineWidth = 2;
    ctx.beginPath();
    ctx.moveTo(left, y);
    ctx.lineTo(right, y);
    for (const x of [left, right]) {
      ctx.moveTo(x, y - 6);
      ctx.lineTo(x, y + 6);
    }
    ctx.stroke();
  }

  function drawDiamond(ctx, x, y) {
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    ctx.moveTo(x, y - 8);
    ctx.lineTo(x + 8, y);
    ctx.lineTo(x, y + 8);
    ctx.lineTo(x - 8, y);
    ctx.closePath();
    ctx.stroke();
  }

  function dots(rows) {
    return {
      id: "dots",
      afterDatasetsDraw(chart) {
        const { ctx, chartArea, scales } = chart;
        const place = (value) =>
          value > scales.x.min ? scales.x.getPixelForValue(value) : chartArea.left;
        ctx.save();
        rows.forEach((row, i) => {
          const y = scales.y.getPixelForValue(i);
          ctx.strokeStyle = ctx.fillStyle = truewatt.colour(row.role);
          drawWhisker(ctx, place(row.lower), place(row.upper), y);
          if (row.value > 0 || !isLogarithmic(rows)) {
            ctx.beginPath();
            ctx.arc(place(row.value), y, 4.5, 0, 2 * Math.PI);
            ctx.fill();
          }
          ctx.strokeStyle = truewatt.colour("text");
          if (isNumber(row.published)) drawDiamond(ctx, place(row.published), y);
        });
        ctx.restore();
      },
    };
  }

  function options(spec) {
    const muted = truewatt.colour("muted");
    const logarithmic = isLogarithmic(spec.rows);
    const x = Object.assign(
      {
        type: logarithmic ? "logarithmic" : "linear",
        grid: { color: truewatt.colour("line"), borderColor: truewatt.colour("line-strong") },
        ticks: { color: muted, maxTicksLimit: 6, maxRotation: 0 },
        title: { display: true, text: spec.axis, color: muted },
      },
      rangeOf(spec.rows)
    );
    if (logarithmic) {
      x.ticks.maxTicksLimit = 40;
      x.ticks.callback = (value) => (/^10*$|^0\.0*1$/.test(String(value)) ? String(value) : "");
    }
    return {
      indexAxis: "y",
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      events: [],
      layout: { padding: { right: 12 } },
      plugins: { legend: { display: false }, tooltip: { enabled: false } },
      scales: {
        x,
        y: {
          grid: { color: truewatt.colour("line"), borderColor: truewatt.colour("line-strong") },
          ticks: { color: truewatt.colour("text"), autoSkip: false, crossAlign: "far" },
        },
      },
    };
  }

  /** Draws values with their intervals into `figure`. */
  truewatt.drawIntervals = function (figure, spec) {
    const rows = spec.rows;
    const canvas = truewatt.make("canvas", {
      role: "img",
      "aria-label": figure.dataset.description,
    });
    const box = truewatt.make("div", { class: "bar-box" }, [canvas]);
    box.style.height = rows.length * kRowHeight + kAxisHeight + "px";
    figure.querySelector(".chart-place").append(box);
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    const chart = new Chart(canvas, {
      type: "bar",
      data: {
        labels: rows.map((row) => [row.name].concat(row.text.split("; "))),
        datasets: [{ data: rows.map(() => null) }],
      },
      options: options(spec),
      plugins: [dots(rows)],
    });
    return {
      canvas: () => canvas,
      restyle() {
        chart.options = options(spec);
        chart.update("none");
      },
      resize: () => chart.resize(),
    };
  };
})();
