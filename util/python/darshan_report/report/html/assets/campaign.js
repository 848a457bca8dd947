// Many jobs: their I/O share over time, and a table of all jobs.

const JOB_COLUMNS = [
  ["Program", "name"], ["Job", "number", String], ["User", "text"], ["Start", "date"], ["Processes", "number", count],
  ["Run time", "number", seconds], ["Read", "number", amount], ["Written", "number", amount],
  ["File I/O", "number", (value) => share(value, 1)], ["All layers", "number", (value) => share(value, 1)],
  ["At stake", "number", (value) => (value ? seconds(value) : "-")],
  ["Problems, the costliest first", "text"], ["Log", "text"],
];
const IN_IO = 9;
const STAKE = 10;

function makeTrend(node, campaign) {
  const order = campaign.starts.map((_, i) => i).sort((a, b) => campaign.starts[a] - campaign.starts[b]);
  const of = (wanted) => order.map((i) => (campaign.rows[i][STAKE] > 0 === wanted ? Math.min(100, 100 * campaign.rows[i][IN_IO]) : null));
  const data = [order.map((i) => campaign.starts[i]), of(false), of(true)];
  const said = element("p", { class: "said" }, "Each point is a job; point at it to see its name. Drag to zoom in, double click to see all.");
  const place = element("div");
  node.append(element("h2", {}, "I/O of all layers, % of working time, job by job"),
    legend(["read", "no problem"], ["write", "a problem"]), place, said);
  let chart;
  painted(node, () => {
    if (chart) chart.destroy();
    const colour = colours();
    const options = chartOptions(colour, node.clientWidth, 180, true);
    delete options.axes[0].values; // the default labels are dates
    const point = (stroke) => ({ stroke, paths: () => null, points: { show: true, size: 7, fill: stroke } });
    options.series = [{}, point(colour.read), point(colour.write)];
    options.scales = { x: { time: true }, y: { range: [0, 104] } };
    options.axes[1].values = (_, splits) => splits.map((value) => `${value} %`);
    options.axes[1].grid = { stroke: colour.grid, width: 1 };
    options.hooks = { setCursor: [(u) => {
      if (u.cursor.idx === null || u.cursor.idx === undefined) return;
      const row = campaign.rows[order[u.cursor.idx]];
      said.textContent = `${row[0]}, job ${row[1]}, ${row[3]}: ${share(row[IN_IO], 1)} in I/O of all layers, ${row[11]}`;
    }] };
    chart = new uPlot(options, data, place);
  });
}

function makeCampaign(campaign) {
  if (campaign.rows.length > 1) makeTrend(document.getElementById("trend"), campaign);
  new SortedTable(document.getElementById("jobs-table"), JOB_COLUMNS, campaign.rows, (i) => campaign.pages[i] || null,
    "File I/O: time in calls of the lowest layers; All layers: that and in the libraries above; both of working time, which is the lifetime of processes without the time in which they only waited. At stake: seconds of the run time, of the costliest problem. A program's name leads to the page of its log.");
}
