// Pages of a lake: tables, and a program's runs over time.  A column has the format of its values;
// the first cell of a row is a link to its page.

const holder = document.getElementById("data");
const centre = JSON.parse(holder.textContent);
holder.remove();

const known = (show) => (value) => (value === null ? "-" : show(value));
const SHOWN = {
  count: known(count), amount: known(amount), seconds: known(timeSpent), share: known((value) => share(value, 1)),
};
const TEXTS = ["text", "long", "path", "date"];
const DAY = 86400;

// Returns a table as CSV with numbers in bytes and seconds.  A text that a spreadsheet would take for
// a formula gets ' before it, as in `darshan ask -o`.
function csvOf(table) {
  const units = { amount: " (bytes)", seconds: " (seconds)" };
  const cell = (value) => {
    if (value === null) return "";
    const said = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(said) ? `"${said.replaceAll('"', '""')}"` : said;
  };
  const titles = table.columns.map(([title, kind]) => title + (units[kind] || ""));
  return [titles, ...table.rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function centreDownload(table) {
  const button = element("button", { type: "button" }, "Save as CSV");
  button.addEventListener("click", () => {
    const address = URL.createObjectURL(new Blob([csvOf(table)], { type: "text/csv" }));
    element("a", { href: address, download: `${table.id}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  });
  document.getElementById(table.id).append(element("p", { class: "row" }, button));
}

function centreTable(table) {
  const columns = table.columns.map(([title, kind], place) => {
    const sorted = place === 0 && table.links ? (kind === "date" ? "when" : "name") : TEXTS.includes(kind) ? kind : "number";
    return [title, sorted, SHOWN[kind] || known(String)];
  });
  new SortedTable(document.getElementById(table.id), columns, table.rows, (i) => (table.links ? table.links[i] : null), table.note);
}

// Formats dates like all dates here; uPlot's own format is that of one country.
function dated(splits, step) {
  const iso = (value) => new Date(value * 1e3).toISOString();
  return splits.map((value) => (value === null ? "" : step < DAY ? iso(value).slice(5, 16).replace("T", " ") : iso(value).slice(0, 10)));
}

// A point is a run: seconds in I/O by day, on a logarithmic scale, because some runs take a
// thousand times longer than others.
function centreRuns(node, runs) {
  const said = element("p", { class: "said" }, "Vertical axis: seconds in I/O of all processes of a run, on a logarithmic scale; runs without I/O are not shown. Point at a run to see its name. Drag to zoom in, double click to see all.");
  const place = element("div");
  node.append(place, said);
  const [first, last] = [runs.times[0], runs.times[runs.times.length - 1]];
  let chart;
  painted(node, () => {
    if (chart) chart.destroy();
    const colour = colours();
    const options = chartOptions(colour, node.clientWidth, 220, true);
    options.axes[0].values = (_, splits, axis, space, step) => dated(splits, step);
    options.axes[0].space = 100;
    options.tzDate = (value) => uPlot.tzDate(new Date(value * 1e3), "Etc/UTC"); // UTC, like all times here
    options.series = [{}, { stroke: colour.read, paths: () => null, points: { show: true, size: 6, fill: colour.read } }];
    options.scales = { x: { time: true, range: (_, least, most) => (first < last ? [least, most] : [first - DAY, last + DAY]) }, y: { distr: 3 } };
    options.axes[1].values = (_, splits) => splits.map((value) => (value === null ? "" : timeSpent(value)));
    options.axes[1].grid = { stroke: colour.grid, width: 1 };
    options.hooks = { setCursor: [(u) => {
      const i = u.cursor.idx;
      if (i !== null && i !== undefined) said.textContent = `${runs.starts[i]}: job ${runs.jobs[i]}, ${timeSpent(runs.io[i])} in I/O, ${amount(runs.bytes[i])} moved`;
    }] };
    chart = new uPlot(options, [runs.times, runs.io], place);
  });
}

// Distances of the ticks of bytes: powers of two, so that multiples of them are round in KiB, MiB
// and so on.
const AMOUNTS = Array.from({ length: 63 }, (_, power) => 2 ** power);

// A line of each kind of bytes, or of each mount point, over the days of the page.
function centreDays(node, days) {
  const times = days.days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1e3);
  const show = days.kind === "seconds" ? timeSpent : amount;
  const legend = element("p", { class: "row" });
  const text = `Vertical axis: ${days.said}. Point at a day for its values; drag to zoom in, double click to see all.`;
  const said = element("p", { class: "said" }, text);
  const place = element("div");
  node.append(legend, place, said);
  let chart;
  painted(node, () => {
    if (chart) chart.destroy();
    const colour = colours();
    legend.replaceChildren(...days.lines.flatMap(([name], i) => {
      const mark = element("b", {}, "\u2014 ");
      mark.style.color = colour.layers[i];
      return [mark, `${name}\u2003`];
    }));
    const options = chartOptions(colour, node.clientWidth, 200, true);
    options.axes[0].values = (_, splits, axis, space, step) => dated(splits, step);
    options.axes[0].space = 100;
    options.tzDate = (value) => uPlot.tzDate(new Date(value * 1e3), "Etc/UTC");
    options.scales = { x: { time: true }, y: { range: (_, least, most) => [0, most || 1] } };
    options.series = [{}, ...days.lines.map((_, i) => ({ stroke: colour.layers[i], width: 1.5, points: { show: times.length < 40, size: 4 } }))];
    if (days.kind === "amount") options.axes[1].incrs = AMOUNTS;
    options.axes[1].values = (_, splits) => splits.map((value) => (value === null ? "" : show(value)));
    options.axes[1].grid = { stroke: colour.grid, width: 1 };
    options.hooks = { setCursor: [(u) => {
      const i = u.cursor.idx;
      if (i !== null && i !== undefined) said.textContent = `${days.days[i]}: ${days.lines.map(([name, values]) => `${show(values[i])} ${name}`).join(", ")}`;
    }] };
    chart = new uPlot(options, [times, ...days.lines.map(([, values]) => values)], place);
  });
}

centre.tables.forEach(centreTable);
centre.tables.forEach(centreDownload);
if (centre.days) centreDays(document.getElementById("days"), centre.days);
if (centre.runs) centreRuns(document.getElementById("runs"), centre.runs);
if (centre.graph) centreGraph(document.getElementById("graph"), centre.graph);
document.documentElement.dataset.ready = "yes";
