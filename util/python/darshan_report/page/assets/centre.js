// Pages of a lake: tables, and a program's runs over time.  A column says how its values
// are to be shown; the first cell of a row leads to its page.

const holder = document.getElementById("data");
const centre = JSON.parse(holder.textContent);
holder.remove();

const known = (show) => (value) => (value === null ? "-" : show(value));
const SHOWN = {
  count: known(count), amount: known(amount), seconds: known(seconds),
  share: known((value) => share(value, 1)), text: known(String), date: known(String), id: known(String),
};

function centreTable(table) {
  const columns = table.columns.map(([title, kind], place) => {
    const sorted = place === 0 && table.links ? "name" : { text: "text", date: "date" }[kind] || "number";
    return [title, sorted, SHOWN[kind]];
  });
  new SortedTable(document.getElementById(table.id), columns, table.rows, (i) => (table.links ? table.links[i] : null), table.note);
}

// A point is a run: seconds in I/O over the day, as logarithms, since some are a thousand times others.
function centreRuns(node, runs) {
  const said = element("p", { class: "said" }, "A point is a run; point at it to see which. Drag to look closer, double click to see all.");
  const place = element("div");
  node.append(place, said);
  let chart;
  painted(node, () => {
    if (chart) chart.destroy();
    const colour = colours();
    const options = chartOptions(colour, node.clientWidth, 220, true);
    delete options.axes[0].values; // dates
    options.tzDate = (value) => uPlot.tzDate(new Date(value * 1e3), "Etc/UTC"); // as all times here
    options.series = [{}, { stroke: colour.read, paths: () => null, points: { show: true, size: 6, fill: colour.read } }];
    options.scales = { x: { time: true }, y: { distr: 3 } };
    options.axes[1].values = (_, splits) => splits.map((value) => (value === null ? "" : seconds(value)));
    options.axes[1].grid = { stroke: colour.grid, width: 1 };
    options.hooks = { setCursor: [(u) => {
      const i = u.cursor.idx;
      if (i !== null && i !== undefined) said.textContent = `${runs.starts[i]}: job ${runs.jobs[i]}, ${seconds(runs.io[i])} in I/O, ${amount(runs.bytes[i])} moved`;
    }] };
    chart = new uPlot(options, [runs.times, runs.io], place);
  });
}

centre.tables.forEach(centreTable);
if (centre.runs) centreRuns(document.getElementById("runs"), centre.runs);
document.documentElement.dataset.ready = "yes";
