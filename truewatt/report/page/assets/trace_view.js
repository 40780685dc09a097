// Zooming and moving a time chart: by touch, by keyboard, and with buttons.
(function () {
  "use strict";
  const truewatt = (window.truewatt = window.truewatt || {});

  /** Zooming and moving in time, kept inside the recording. */
  truewatt.makeView = function (graph, rows) {
    const first = rows[0][0];
    const last = rows[rows.length - 1][0];
    const extremes = graph.xAxisExtremes();
    const whole = extremes[1] - extremes[0];

    function show(begin, length) {
      const kept = Math.min(Math.max(length, whole * 1e-6), whole);
      const start = Math.min(Math.max(begin, extremes[0]), extremes[1] - kept);
      if (kept === whole) graph.resetZoom();
      else graph.updateOptions({ dateWindow: [start, start + kept] });
    }
    function range() {
      const [begin, end] = graph.xAxisRange();
      return { begin, end, length: end - begin };
    }
    return {
      range,
      visible: () => [Math.max(range().begin, first), Math.min(range().end, last)],
      show,
      whole,
      zoomed: () => range().length < whole * 0.9999,
      zoom(factor) {
        const now = range();
        const length = now.length * factor;
        show(now.begin + (now.length - length) / 2, length);
      },
      move(share) {
        const now = range();
        show(now.begin + share * now.length, now.length);
      },
      reset: () => graph.resetZoom(),
    };
  };

  /** One finger moves a zoomed chart (else it scrolls the page), two fingers zoom in time. */
  truewatt.touchModel = function (getView) {
    let start = null;
    function places(event, graph) {
      const left = graph.graphDiv.getBoundingClientRect().left;
      return Array.from(event.touches, (touch) => touch.clientX - left);
    }
    function begin(event, graph) {
      const view = getView();
      if (event.touches.length === 1 && !view.zoomed()) {
        start = null;
        return;
      }
      start = { xs: places(event, graph), range: view.range() };
    }
    function move(event, graph) {
      if (!start || event.touches.length !== start.xs.length) return;
      if (event.cancelable) event.preventDefault();
      const area = graph.getArea();
      const now = places(event, graph);
      const old = start.range;
      const timeAt = (x) => old.begin + ((x - area.x) / area.w) * old.length;
      if (now.length === 1) {
        getView().show(old.begin + timeAt(start.xs[0]) - timeAt(now[0]), old.length);
        return;
      }
      const spread = (xs) => Math.max(Math.abs(xs[1] - xs[0]), 10);
      const centre = (xs) => (xs[0] + xs[1]) / 2;
      const length = (old.length * spread(start.xs)) / spread(now);
      const share = (centre(now) - area.x) / area.w;
      getView().show(timeAt(centre(start.xs)) - share * length, length);
    }
    return { touchstart: begin, touchmove: move, touchend: begin };
  };

  const kKeys = {
    ArrowLeft: (view) => view.move(-0.25),
    ArrowRight: (view) => view.move(0.25),
    ArrowUp: (view) => view.zoom(0.5),
    ArrowDown: (view) => view.zoom(2),
    "+": (view) => view.zoom(0.5),
    "=": (view) => view.zoom(0.5),
    "-": (view) => view.zoom(2),
    0: (view) => view.reset(),
    Home: (view) => view.reset(),
  };

  truewatt.actOnKeys = function (frame, view) {
    frame.addEventListener("keydown", (event) => {
      const act = kKeys[event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act(view);
    });
  };

  const kButtons = [
    ["Zoom in", "+", (view) => view.zoom(0.5)],
    ["Zoom out", "\u2212", (view) => view.zoom(2)],
    ["Move left", "\u2190", (view) => view.move(-0.25)],
    ["Move right", "\u2192", (view) => view.move(0.25)],
    ["Reset zoom", "Reset", (view) => view.reset()],
  ];

  truewatt.toolbar = function (view, plotId) {
    const bar = truewatt.make("div", { class: "toolbar", role: "toolbar", "aria-label": "Zoom" });
    for (const [name, sign, act] of kButtons) {
      const button = truewatt.make("button", {
        type: "button",
        "aria-label": name,
        title: name,
        "aria-controls": plotId,
      });
      button.textContent = sign;
      button.addEventListener("click", () => act(view));
      bar.append(button);
    }
    return bar;
  };
})();
