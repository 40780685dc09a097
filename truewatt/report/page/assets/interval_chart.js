// One value per name with its 95 % interval, and what was published: a diamond, of several a
// diamond, a square and a triangle. Names
// and numbers stand beside the dots, so nothing needs a tooltip. What is in doubt has a hollow dot
// and does not widen the axis: its interval may end beyond.
(function () {
  "use strict";
  const truewatt = (window.truewatt = window.truewatt || {});
  const kRowHeight = 60;
  const kAxisHeight = 56;

  function isNumber(value) {
    return typeof value === "number";
  }

  /** One number, several or none. */
  function publishedOf(row) {
    return [].concat(row.published).filter(isNumber);
  }

  /** Every number that has a place on the axis. */
  function placed(rows) {
    return rows
      .flatMap((row) => {
        const ends = row.doubt ? [] : [row.lower, row.upper];
        return [row.value].concat(publishedOf(row), ends);
      })
      .filter(isNumber);
  }

  /** Orders of magnitude apart, and nothing at or below zero that has to be seen: never errors. */
  function isLogarithmic(spec) {
    const values = spec.rows.map((row) => row.value);
    return (
      !spec.signed &&
      values.every((value) => value > 0) &&
      Math.max(...values) > 20 * Math.min(...values)
    );
  }

  function rangeOf(spec) {
    const all = placed(spec.rows);
    if (isLogarithmic(spec)) {
      const positive = all.filter((value) => value > 0);
      return { min: Math.min(...positive) / 2, max: Math.max(...positive) * 2 };
    }
    // The axis ends at a round number beyond these.
    return { suggestedMin: Math.min(...all, 0), suggestedMax: 1.04 * Math.max(...all, 0) };
  }

  function drawWhisker(ctx, left, right, y, area) {
    ctx.lineWidth = 2;
    ctx.beginPath();
    ctx.moveTo(Math.max(left, area.left), y);
    ctx.lineTo(Math.min(right, area.right), y);
    for (const x of [left, right]) {
      if (x < area.left || x > area.right) continue;
      ctx.moveTo(x, y - 6);
      ctx.lineTo(x, y + 6);
    }
    ctx.stroke();
  }

  /** Corners of the marks, one shape per published number of a row. */
  const kMarks = [
    [[0, -8], [8, 0], [0, 8], [-8, 0]],
    [[-6, -6], [6, -6], [6, 6], [-6, 6]],
    [[0, -8], [7.5, 6], [-7.5, 6]],
  ];

  function drawMark(ctx, x, y, which) {
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    kMarks[which % kMarks.length].forEach(([dx, dy]) => ctx.lineTo(x + dx, y + dy));
    ctx.closePath();
    ctx.stroke();
  }

  function drawDot(ctx, x, y, hollow) {
    ctx.beginPath();
    ctx.arc(x, y, 4.5, 0, 2 * Math.PI);
    if (hollow) {
      ctx.save();
      ctx.fillStyle = truewatt.colour("card");
      ctx.fill();
      ctx.restore();
      ctx.stroke();
    } else {
      ctx.fill();
    }
  }

  function dots(spec) {
    const rows = spec.rows;
    return {
      id: "dots",
      afterDatasetsDraw(chart) {
        const { ctx, chartArea, scales } = chart;
        const atZero = isLogarithmic(spec);
        const place = (value) =>
          atZero && value <= scales.x.min ? chartArea.left : scales.x.getPixelForValue(value);
        ctx.save();
        rows.forEach((row, i) => {
          const y = scales.y.getPixelForValue(i);
          ctx.strokeStyle = ctx.fillStyle = truewatt.colour(row.role);
          drawWhisker(ctx, place(row.lower), place(row.upper), y, chartArea);
          if (row.value > 0 || !isLogarithmic(spec)) {
            drawDot(ctx, place(row.value), y, row.doubt);
          }
          ctx.strokeStyle = truewatt.colour("text");
          publishedOf(row).forEach((value, which) => drawMark(ctx, place(value), y, which));
        });
        ctx.restore();
      },
    };
  }

  function options(spec) {
    const muted = truewatt.colour("muted");
    const logarithmic = isLogarithmic(spec);
    const x = Object.assign(
      {
        type: logarithmic ? "logarithmic" : "linear",
        grid: { color: truewatt.colour("line"), borderColor: truewatt.colour("line-strong") },
        ticks: { color: muted, maxTicksLimit: 6, maxRotation: 0 },
        title: { display: true, text: spec.axis, color: muted },
      },
      rangeOf(spec)
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
      plugins: [dots(spec)],
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
