// Options of uPlot that all charts of the page share: the time axis, the left margin, colours.

const FONT = "12px system-ui, sans-serif";

function gutter(width) {
  return width < 600 ? 76 : 150;
}

function timeAxis(colour, shown) {
  return {
    stroke: colour.ink,
    font: FONT,
    size: shown ? 34 : 6,
    gap: 2,
    space: 70,
    grid: { stroke: colour.grid, width: 1 },
    ticks: { stroke: colour.grid, width: 1, size: 4 },
    values: (_, splits) => {
      const step = splits.length > 1 ? splits[1] - splits[0] : 1;
      return splits.map((value) => (shown && value !== null ? moment(value, step) : ""));
    },
  };
}

// Returns the options of a chart without its own series.
function chartOptions(colour, width, height, labelled) {
  return {
    width,
    height,
    padding: [8, 28, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: true } },
    scales: { x: { time: false } },
    axes: [timeAxis(colour, labelled), { show: true, size: gutter(width), stroke: colour.ink, font: FONT, gap: 4 }],
  };
}

// Cuts a text to a width and keeps its end, which distinguishes names.
function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let from = 1;
  let to = text.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (context.measureText(`\u2026${text.slice(middle)}`).width <= width) to = middle;
    else from = middle + 1;
  }
  return `\u2026${text.slice(from)}`;
}
