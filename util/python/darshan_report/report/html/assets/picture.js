// The diagram on the first screen: each layer over time, and below, with the same time axis, the
// bytes of each rank or program.

const LAYER_HEIGHT = 62;
const LINE_HEIGHT = 15; // height of a label

// Returns the height of a chart with a line per program or rank: all have labels, or as many as
// fit.
function heightOf(lines) {
  return Math.min(16 * LINE_HEIGHT, Math.max(44, LINE_HEIGHT * lines));
}

function stairs(colour, fill) {
  return { stroke: colour, fill, width: 1, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } };
}

function layerChart(row, options, colour, end) {
  const size = row.read.length;
  const times = new Float64Array(size + 1);
  for (let i = 0; i <= size; i++) times[i] = Math.min(i * row.bin, Math.max(end, row.bin));
  const value = (values, i) => values[Math.min(i, size - 1)];
  const series = (values) => Array.from(times, (_, i) => value(values, i));
  options.series = [{}, stairs(colour.read, `${colour.read}66`), stairs(colour.write, `${colour.write}66`)];
  options.scales.y = { range: (_, low, high) => [0, high || 1] };
  options.axes[1].splits = (chart) => [0, chart.scales.y.max];
  options.axes[1].values = (_, splits) => splits.map((v) => (v ? `${amount(v)}/s` : "0"));
  options.axes[1].grid = { show: false };
  return [times, series(row.read), series(row.write)];
}

// Draws a layer of which only the first and last times are known.
function spanChart(row, options, colour, end) {
  const paint = { open: colour.meta, close: colour.meta, read: colour.read, write: colour.write };
  options.scales.y = { range: [0, 1] };
  options.axes[1].values = () => [];
  options.axes[1].grid = { show: false };
  options.axes[1].ticks = { show: false };
  options.series = [{}, { show: false }];
  options.hooks = {
    draw: [(chart) => {
      const { ctx, bbox } = chart;
      ctx.save();
      row.spans.forEach(([kind, from, to], place) => {
        const left = chart.valToPos(from, "x", true);
        const right = chart.valToPos(to, "x", true);
        const height = bbox.height / Math.max(4, row.spans.length);
        ctx.fillStyle = `${paint[kind]}88`;
        ctx.fillRect(left, bbox.top + place * height + 1, Math.max(2, right - left), height - 2);
      });
      ctx.restore();
    }],
  };
  return [[0, end], [null, null]];
}

function clipped(chart, draw) {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw(ctx, bbox);
  ctx.restore();
}

function heatChart(heat, options, colour, end) {
  const lines = heat.rows.length;
  const bins = heat.cells.length / lines;
  options.scales.y = { range: [0, lines] };
  options.axes[1].splits = () => {
    const every = Math.ceil((lines * LINE_HEIGHT) / heightOf(lines));
    return heat.rows.map((_, i) => lines - i - 0.5).filter((_, i) => i % every === 0);
  };
  options.axes[1].values = (chart, splits) => {
    chart.ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
    return splits.map((v) => fitted(chart.ctx, heat.rows[Math.round(lines - v - 0.5)] || "", (gutter(chart.width) - 14) * devicePixelRatio));
  };
  options.axes[1].grid = { show: false };
  options.series = [{}, { show: false }];
  options.hooks = {
    draw: [(chart) => clipped(chart, (ctx, bbox) => {
      const height = bbox.height / lines;
      ctx.fillStyle = colour.mark;
      for (let place = 0; place < heat.cells.length; place++) {
        if (!heat.cells[place]) continue;
        const line = Math.floor(place / bins);
        const from = (place % bins) * heat.bin;
        const left = Math.round(chart.valToPos(from, "x", true));
        const right = Math.round(chart.valToPos(from + heat.bin, "x", true));
        if (right < bbox.left || left > bbox.left + bbox.width) continue;
        ctx.globalAlpha = 0.12 + 0.88 * (heat.cells[place] / 255) ** 2;
        ctx.fillRect(left, bbox.top + line * height, Math.max(1, right - left), Math.max(1, height - (height > 6 ? 1 : 0)));
      }
    })],
  };
  return [[0, end], [null, null]];
}

// Draws when the programs of a run were alive.
function presentChart(lanes, options, colour, end) {
  const heat = { rows: lanes.map((lane) => lane.name), bin: 0, cells: [] };
  const bins = lanes[0].part.length;
  heat.bin = end / bins;
  heat.cells = new Uint8Array(bins * lanes.length);
  lanes.forEach((lane, place) => heat.cells.set(lane.part, place * bins));
  return heatChart(heat, options, { ...colour, mark: colour.soft }, end);
}

function pictureRows(picture) {
  const rows = picture.layers.map((row) => ({
    title: row.title + (row.bin ? "" : ": from the first to the last call of a sort"),
    height: row.bin ? LAYER_HEIGHT : 34,
    make: (options, colour) => (row.bin ? layerChart : spanChart)(row, options, colour, picture.end),
  }));
  if (picture.heat) {
    rows.push({
      title: `${picture.heat.layer}: bytes by ${picture.present.length ? "program" : "rank"}, the stronger the colour, the more (at most ${amount(picture.heat.most)} in ${seconds(picture.heat.bin)})`,
      height: heightOf(picture.heat.rows.length),
      make: (options, colour) => heatChart(picture.heat, options, colour, picture.end),
    });
  }
  if (picture.present.length) {
    rows.push({
      title: "Programs: when they ran",
      height: heightOf(picture.present.length),
      make: (options, colour) => presentChart(picture.present, options, colour, picture.end),
    });
  }
  return rows;
}

function hoverText(picture, time) {
  const parts = [];
  for (const row of picture.layers) {
    if (!row.bin) continue;
    const at = Math.floor(time / row.bin);
    if (row.read[at] || row.write[at]) {
      parts.push(`${row.title} reads ${amount(row.read[at])}/s, writes ${amount(row.write[at])}/s`);
    }
  }
  return `${moment(time, picture.end / 500)}: ${parts.join("; ") || "no bytes moved"}`;
}

function legend(...kinds) {
  return element("p", { class: "legend" }, ...kinds.map(([name, words]) => element("span", { class: `key ${name}` }, words)));
}

function makePicture(node, picture, title = "The run") {
  for (const row of picture.layers) unpack(row, ["read", "write"]);
  if (picture.heat) unpack(picture.heat, ["cells"]);
  for (const lane of picture.present) unpack(lane, ["part"]);
  const rows = pictureRows(picture);
  if (!rows.length) return;
  const kinds = [["read", "read"], ["write", "write"]];
  if (picture.layers.some((row) => row.spans.length)) kinds.push(["meta", "open, close"]);
  const said = element("p", { class: "said", "aria-live": "off" }, "Time from left to right. Drag to zoom in, double click to see all.");
  const places = rows.map(() => element("div"));
  node.append(
    title ? element("h2", {}, title) : "",
    legend(...kinds),
    ...rows.flatMap((row, i) => [element("p", { class: "row" }, row.title), places[i]]),
    said,
  );
  node.setAttribute("role", "group");
  node.setAttribute("aria-label", `What each layer did over ${seconds(picture.end)}`);
  const sync = uPlot.sync(node.id);
  let charts = [];
  painted(node, () => {
    for (const chart of charts) chart.destroy();
    const colour = colours();
    charts = rows.map((row, i) => {
      const last = i === rows.length - 1;
      const options = chartOptions(colour, node.clientWidth, row.height + (last ? 34 : 6), last);
      const data = row.make(options, colour);
      options.scales.x.range = (_, from, to) => [Math.max(0, from), Math.min(to, picture.end)];
      options.scales.x.min = 0;
      options.scales.x.max = picture.end;
      options.cursor.sync = { key: sync.key, setSeries: false };
      options.hooks = { ...(options.hooks || {}), setCursor: [(chart) => {
        if (chart.cursor.left >= 0) said.textContent = hoverText(picture, chart.posToVal(chart.cursor.left, "x"));
      }] };
      return new uPlot(options, data, places[i]);
    });
  });
}
