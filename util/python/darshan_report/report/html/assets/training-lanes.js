// The lanes of a training: what the program and each worker did over time.

const LANE = 32; // height of a lane
const AXIS = 42; // height of the time axis, with the margin above the lanes
const SAVE_WIDTH = 2; // pixels that a short checkpoint has at least

function stateColours(colour) {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    files: colour.read, computing: colour.mark, ready: colour.meta, waiting: colour.soft,
    idle: of("idle"), stall: colour.write, step: of("step"), saved: colour.ink,
  };
}

// Draws one lane: the life of its processes as a line, and above it the states in each bin, on top
// of each other.
function drawLane(chart, ctx, lanes, row, top, height, fill) {
  const left = (time) => chart.valToPos(time, "x", true);
  const base = top + height;
  ctx.fillStyle = fill.saved;
  for (const [from, to] of row.spans) ctx.fillRect(left(from), base, Math.max(1, left(to) - left(from)), devicePixelRatio);
  const bins = Math.ceil(lanes.end / lanes.bin - 1e-6);
  const first = Math.max(0, Math.floor(chart.scales.x.min / lanes.bin));
  const last = Math.min(bins, Math.ceil(chart.scales.x.max / lanes.bin));
  for (let bin = first; bin < last; bin++) {
    const from = Math.round(left(bin * lanes.bin));
    const to = Math.round(left(Math.min((bin + 1) * lanes.bin, lanes.end)));
    let under = 0;
    for (const [state] of lanes.states) {
      const spent = row.spent[state] ? row.spent[state][bin] || 0 : 0;
      if (!(spent > 0)) continue;
      const over = Math.min(1, under + spent / lanes.bin);
      ctx.fillStyle = fill[state];
      ctx.fillRect(from, base - over * height, Math.max(1, to - from), (over - under) * height);
      under = over;
    }
  }
}

function drawSaves(chart, ctx, saves, top, height, fill) {
  ctx.fillStyle = fill.saved;
  for (const [from, to] of saves) {
    const left = chart.valToPos(from, "x", true);
    const width = Math.max(SAVE_WIDTH * devicePixelRatio, chart.valToPos(to, "x", true) - left);
    ctx.fillRect(left, top, width, height);
  }
}

function laneNames(lanes) {
  const names = lanes.rows.map((row) => row.name);
  return lanes.saves.length ? [...names, lanes.savesName] : names;
}

function lanesChart(lanes, options, colour) {
  const names = laneNames(lanes);
  const fill = stateColours(colour);
  options.scales.y = { range: [0, names.length] };
  options.axes[1].splits = () => names.map((_, i) => names.length - i - 0.5);
  options.axes[1].values = (chart, splits) => {
    chart.ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
    const width = (gutter(chart.width) - 14) * devicePixelRatio;
    const short = (name) => (chart.ctx.measureText(name).width <= width ? name : name.replace(/^\S+ (?=worker)/, ""));
    return splits.map((v) => fitted(chart.ctx, short(names[Math.round(names.length - v - 0.5)] || ""), width));
  };
  options.axes[1].grid = { show: false };
  options.axes[1].ticks = { show: false };
  options.series = [{}, { show: false }];
  options.hooks = {
    draw: [(chart) => clipped(chart, (ctx, bbox) => {
      const height = bbox.height / names.length;
      const gap = Math.min(3 * devicePixelRatio, height / 8);
      lanes.rows.forEach((row, i) => drawLane(chart, ctx, lanes, row, bbox.top + i * height + gap, height - 2 * gap, fill));
      if (lanes.saves.length) drawSaves(chart, ctx, lanes.saves, bbox.top + lanes.rows.length * height + gap, height - 2 * gap, fill);
    })],
  };
  return [[0, lanes.end], [null, null]];
}

// Returns the full name of a lane: of a worker with that of its program, if there are several.
function fullName(lanes, place) {
  const several = lanes.rows.filter((row) => !row.isWorker).length > 1;
  let above = place;
  while (above > 0 && lanes.rows[above].isWorker) above -= 1;
  const row = lanes.rows[place];
  return several && row.isWorker && !lanes.rows[above].isWorker ? `${lanes.rows[above].name}, ${row.name}` : row.name;
}

// The log has whole milliseconds.
function milliseconds(value) {
  return value < 0.9995 ? `${(1e3 * value).toFixed(0)} ms` : seconds(value);
}

// Describes the lane and the bin at a position in the chart.
function laneText(lanes, chart) {
  const names = laneNames(lanes);
  const time = chart.posToVal(chart.cursor.left, "x");
  const place = Math.floor(names.length - chart.posToVal(chart.cursor.top, "y"));
  const bin = Math.floor(time / lanes.bin);
  const from = moment(bin * lanes.bin, lanes.bin);
  const to = moment(Math.min((bin + 1) * lanes.bin, lanes.end), lanes.bin);
  if (place === lanes.rows.length) {
    const near = lanes.saves.filter(([a, b]) => a < (bin + 1) * lanes.bin && b >= bin * lanes.bin);
    return `${from} to ${to}: ${near.length ? near.map(([a, b]) => `checkpoint saved at ${moment(a, 1e-3)} in ${seconds(b - a)}`).join(", ") : "no checkpoint"}`;
  }
  const row = lanes.rows[place];
  if (!row) return "";
  const parts = lanes.states.filter(([state]) => row.spent[state] && row.spent[state][bin] > 0)
    .map(([state, words]) => `${words} ${milliseconds(row.spent[state][bin])}`);
  return `${fullName(lanes, place)}, ${from} to ${to}: ${parts.join(", ") || (row.isWorker ? "not there" : "outside of epochs")}`;
}

function makeTrainingLanes(node, lanes) {
  for (const row of lanes.rows) unpack(row.spent, Object.keys(row.spent));
  const names = laneNames(lanes);
  const said = element("p", { class: "said", "aria-live": "off" }, "Time from left to right. Point at a lane for its numbers, drag to zoom in, double click to see all.");
  const place = element("div");
  const kinds = [...lanes.states, ...(lanes.saves.length ? [["saved", "checkpoint"]] : [])];
  node.append(element("h3", {}, "Program and workers over time"), legend(...kinds), place, said, element("p", { class: "note" }, lanes.caption));
  node.setAttribute("role", "group");
  node.setAttribute("aria-label", `What the program and each worker did over ${seconds(lanes.end)}`);
  let chart = null;
  painted(node, () => {
    if (chart) chart.destroy();
    const colour = colours();
    const options = chartOptions(colour, node.clientWidth, names.length * LANE + AXIS, true);
    const data = lanesChart(lanes, options, colour);
    options.scales.x.range = (_, from, to) => [Math.max(0, from), Math.min(to, lanes.end)];
    options.scales.x.min = 0;
    options.scales.x.max = lanes.end;
    options.hooks.setCursor = [(one) => {
      if (one.cursor.left >= 0) said.textContent = laneText(lanes, one) || said.textContent;
    }];
    chart = new uPlot(options, data, place);
  });
}
