// The chart of power over time: dygraphs with the readings of all sources, the curves to hold them
// against, shaded windows, and a legend with check boxes.
(function () {
  "use strict";
  const truewatt = (window.truewatt = window.truewatt || {});
  const make = truewatt.make;

  const kPatterns = { truth: [7, 3], meter: [2, 2], "energy-counter": [10, 3] };

  /** Dashes tell curves apart without colour; another scope than the GPU is dotted. */
  function patternOf(series) {
    return kPatterns[series.role] || (series.name.includes("@") ? [3, 3] : null);
  }

  function seriesOptions(series) {
    const options = {};
    for (const one of series) {
      options[one.name] = {
        stepPlot: one.steps,
        color: truewatt.colour(one.role),
        strokeWidth: one.points ? 0 : one.role === "truth" ? 1.5 : 2,
        strokePattern: one.points ? null : patternOf(one),
        drawPoints: Boolean(one.points),
        pointSize: 3,
      };
    }
    return options;
  }

  function themeOptions(series) {
    return {
      series: seriesOptions(series),
      axisLineColor: truewatt.colour("line-strong"),
      gridLineColor: truewatt.colour("line"),
    };
  }

  /** Pixels below which a window has no edges. */
  const kNarrow = 8;

  /** Shades the windows over their full height and the times of activity along the bottom. */
  function shade(data, shown) {
    return function (canvas, area, graph) {
      const span = (one) => {
        const left = Math.max(graph.toDomXCoord(one.begin), area.x);
        const right = Math.min(graph.toDomXCoord(one.end), area.x + area.w);
        return right > left ? [left, Math.max(right - left, 1)] : null;
      };
      const fill = truewatt.colour("window");
      const edge = truewatt.colour("window-edge");
      canvas.save();
      for (const one of shown.windows ? data.windows : []) {
        const place = span(one);
        if (!place) continue;
        canvas.fillStyle = fill;
        canvas.fillRect(place[0], area.y, place[1], area.h);
        if (place[1] < kNarrow) continue; // edges of many steps would hide the curves
        canvas.fillStyle = edge;
        canvas.fillRect(place[0], area.y, 1, area.h);
        canvas.fillRect(place[0] + place[1] - 1, area.y, 1, area.h);
      }
      canvas.fillStyle = truewatt.colour("activity");
      for (const one of shown.activity ? data.activity : []) {
        const place = span(one);
        if (place) canvas.fillRect(place[0], area.y + area.h - 6, place[1], 6);
      }
      canvas.restore();
    };
  }

  function legendEntry(name, swatchClass, style, onChange) {
    const box = make("input", { type: "checkbox" });
    box.checked = true;
    box.addEventListener("change", () => onChange(box.checked));
    const swatch = make("span", { class: "swatch " + swatchClass, "aria-hidden": "true" });
    if (style) swatch.style.setProperty("--swatch", style);
    const value = make("span", { class: "reading" });
    const label = make("label", {}, [box, swatch, make("span", {}, [name]), value]);
    return { label, value };
  }

  function buildLegend(data, graph, shown) {
    const field = make("fieldset", { class: "legend" }, [
      make("legend", { class: "visually-hidden" }, ["Curves to show"]),
    ]);
    const readings = data.series.map((one, i) => {
      const colour = "var(--c-" + one.role + ", var(--c-curve))";
      const swatch = one.points ? "dots" : patternOf(one) ? "dashed" : "";
      const entry = legendEntry(one.name, swatch, colour, (on) => graph.setVisibility(i, on));
      field.append(entry.label);
      return entry.value;
    });
    const shades = [
      ["windows", data.windows_name || "window accounted for"],
      ["activity", "load known to run"],
    ];
    for (const [key, name] of shades) {
      if (data[key].length === 0) continue;
      const entry = legendEntry(name, "block " + key, null, (on) => {
        shown[key] = on;
        graph.updateOptions({});
      });
      field.append(entry.label);
    }
    return { field, readings };
  }

  function watts(value) {
    return value === null ? "\u2013" : value.toFixed(1) + " W";
  }

  function secondsText(value, length) {
    const decimals = Math.min(Math.max(3 - Math.floor(Math.log10(length)), 1), 6);
    return value.toFixed(decimals);
  }

  function showReadings(data, readings, t) {
    data.series.forEach((one, i) => {
      readings[i].textContent = t === null ? "" : watts(truewatt.valueAt(one, t));
    });
  }

  function banded(data, band) {
    return band > 0 || data.series.some((one) => one.half);
  }

  function chartOptions(data, band) {
    return Object.assign(themeOptions(data.series), {
      labels: ["t"].concat(data.series.map((one) => one.name)),
      customBars: banded(data, band),
      connectSeparatedPoints: true,
      fillAlpha: 0.14,
      includeZero: true,
      legend: "never",
      highlightCircleSize: 0,
      xlabel: data.windows.length > 0 ? "time in s, from the start of the window" : "time in s",
      ylabel: data.y_label || "power in W",
      axisLabelFontSize: 12,
      xLabelHeight: 18,
      yLabelWidth: 18,
      gridLineWidth: 1,
      xRangePad: 4,
      rightGap: 8,
      axes: { x: { pixelsPerLabel: window.innerWidth < 480 ? 40 : 48 }, y: { axisLabelWidth: 44, pixelsPerLabel: data.follows ? 24 : 36 } },
    });
  }

  /** The focusable frame around the plot, which the keyboard acts on. */
  function makeFrame(figure, plot, hintId) {
    const attributes = {
      class: "plot-frame",
      tabindex: "0",
      role: "group",
      "aria-label": figure.dataset.description,
      "aria-describedby": hintId,
    };
    return make("div", attributes, [plot]);
  }

  function makeHint(id) {
    return make("p", { class: "hint", id }, [
      "Drag to zoom, shift-drag to move, double-click to reset; pinch on a touch screen. " +
        "With the chart focused: arrow keys move and zoom, 0 resets.",
    ]);
  }

  const linked = new Map();

  /** Shows on the other charts of a link what `graph` shows. */
  function moveOthers(link, graph) {
    const [begin, end] = graph.xAxisRange();
    for (const other of linked.get(link) || []) {
      const range = other.xAxisRange();
      if (other === graph || (range[0] === begin && range[1] === end)) continue;
      other.updateOptions({ dateWindow: [begin, end] });
    }
  }

  function join(link, graph) {
    linked.set(link, (linked.get(link) || []).concat([graph]));
  }

  /** Draws the chart into `figure`; returns what redraws it in another theme or size. */
  truewatt.drawTrace = function (figure, data, band) {
    const { section, figure: number } = figure.dataset;
    const index = number === undefined ? section : section + "-" + number;
    const link = data.link && section + data.link;
    const size = data.follows ? "plot low" : "plot";
    const plot = make("div", { class: size, id: "plot-" + index });
    const frame = makeFrame(figure, plot, "hint-" + index);
    const place = figure.querySelector(".chart-place");
    const hint = makeHint("hint-" + index);
    hint.hidden = Boolean(data.follows);
    place.append(frame, hint);

    const shown = { windows: true, activity: true };
    const range = make("output", { class: "range", "aria-live": "polite" });
    const cursor = make("div", { class: "cursor", hidden: "" });
    const cell = banded(data, band) ? truewatt.bandedCell(band) : truewatt.plainCell;
    const rows = truewatt.mergedRows(data.series, cell);
    let view = null;
    let legend = null;
    function describe() {
      if (!view) return;
      const ends = view.visible();
      const texts = ends.map((t) => secondsText(t, ends[1] - ends[0]));
      range.textContent = texts.join(" to ") + " s";
    }
    const graph = new Dygraph(
      plot,
      rows,
      Object.assign(chartOptions(data, band), {
        underlayCallback: shade(data, shown),
        interactionModel: { ...Dygraph.defaultInteractionModel, ...truewatt.touchModel(() => view) },
        drawCallback(drawn, first) {
          describe();
          if (link && !first) moveOthers(link, drawn);
        },
        highlightCallback(event, t) {
          showReadings(data, legend.readings, t);
          cursor.hidden = false;
          cursor.style.left = graph.toDomXCoord(t) + "px";
        },
        unhighlightCallback() {
          showReadings(data, legend.readings, null);
          cursor.hidden = true;
        },
      })
    );
    view = truewatt.makeView(graph, rows);
    legend = buildLegend(data, graph, shown);
    const bar = truewatt.toolbar(view, plot.id);
    bar.append(range);
    if (!data.follows) place.prepend(bar, legend.field);
    if (link) join(link, graph);
    if (data.view) view.show(data.view[0], data.view[1] - data.view[0]);
    plot.append(cursor);
    truewatt.actOnKeys(frame, view);
    describe();
    return {
      canvas: () => plot.querySelector("canvas"),
      restyle: () => graph.updateOptions(themeOptions(data.series)),
      resize: () => graph.resize(),
    };
  };
})();
