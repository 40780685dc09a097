// The curves of a time chart as rows for dygraphs, and what they show at a moment.
(function () {
  "use strict";
  const truewatt = (window.truewatt = window.truewatt || {});

  /**
   * Rows [t, cell, cell, ...] over the union of all curves' times. null: this curve has no point
   * here and its line goes on; NaN: its line breaks here.
   */
  truewatt.mergedRows = function (series, cell) {
    const next = series.map(() => 0);
    const rows = [];
    for (;;) {
      let t = Infinity;
      series.forEach((one, i) => {
        if (next[i] < one.t.length) t = Math.min(t, one.t[next[i]]);
      });
      if (t === Infinity) return rows;
      const row = [t];
      series.forEach((one, i) => {
        if (one.t[next[i]] !== t) {
          row.push(null);
          return;
        }
        row.push(cell(one, one.v[next[i]], next[i]));
        next[i] += 1;
      });
      rows.push(row);
    }
  };

  /** Cells with the lower and upper end of the band: that of the curve, or the readings' own. */
  truewatt.bandedCell = function (band) {
    return function (series, value, index) {
      const v = value === null ? NaN : value;
      const half = series.half ? series.half[index] : series.steps ? band * v : 0;
      return [v - half, v, v + half];
    };
  };

  truewatt.plainCell = function (series, value) {
    return value === null ? NaN : value;
  };

  /** What the curve shows at time t: its step or line; null outside it and in breaks. */
  truewatt.valueAt = function (series, t) {
    let low = 0;
    let high = series.t.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (series.t[middle] <= t) low = middle + 1;
      else high = middle;
    }
    if (low === 0 || (low === series.t.length && series.t[low - 1] < t)) return null;
    const value = series.v[low - 1];
    if (series.steps || low === series.t.length || value === null) return value;
    const after = series.v[low];
    if (after === null) return null;
    const share = (t - series.t[low - 1]) / (series.t[low] - series.t[low - 1]);
    return value + share * (after - value);
  };
})();
