// The page of one file or dataset: its counters and other data of the log, and its findings.

const SIZE_COUNTER = /SIZE_(READ|WRITE)_(?:AGG_)?(\d+[KMG]?_(?:\d+[KMG]?|PLUS))$/;
const SIZE_ENDS = ["0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M", "1M_4M", "4M_10M", "10M_100M", "100M_1G", "1G_PLUS"];

function counterText(name, value) {
  if (value === -1) return "unknown";
  if (/_F_.*TIMESTAMP$/.test(name)) return `${value.toFixed(6)} s`;
  if (/_F_.*TIME/.test(name)) return seconds(value);
  if (/_F_/.test(name)) return String(value);
  if (/BYTES_(READ|WRITTEN)/.test(name)) return `${grouped(value, 0)} (${amount(value)})`;
  return grouped(value, 0);
}

function countersOf(part, names) {
  const found = [];
  for (let i = 0; i < part.counters.length; i += 2) found.push([names[part.counters[i]], part.counters[i + 1]]);
  return found;
}

function histogram(title, counters) {
  const sizes = { READ: [], WRITE: [] };
  for (const [name, value] of counters) {
    const match = SIZE_COUNTER.exec(name);
    if (match && value > 0) sizes[match[1]][SIZE_ENDS.indexOf(match[2])] = value;
  }
  return sizeBars(title, sizes.READ, sizes.WRITE);
}

function moduleBlock(part, names) {
  const counters = countersOf(part, names);
  const title = part.title || part.module;
  const table = element("div");
  new SortedTable(table, [["Counter", "text"], ["Value", "number", (value, row) => counterText(row[0], value)]],
    counters, null,
    "Counters that are 0 are left out" + (part.records > 1 ? `; of ${count(part.records)} records, as darshan-parser --total adds them up; what has no sum is left out.` : "."));
  const found = [element("h3", {}, title), histogram(`${title}: sizes of transfers`, counters)];
  if (part.ranks && part.ranks.length) {
    const ranks = element("div");
    new SortedTable(ranks, [["Rank", "number", grouped0], ["Read", "number", amount], ["Written", "number", amount], ["Time", "number", seconds]],
      part.ranks, null, part.records > part.ranks.length ? `The ${part.ranks.length} ranks with the most time.` : "");
    found.push(element("h4", {}, "Ranks"), ranks);
  }
  found.push(element("details", {}, element("summary", {}, `Counters of ${part.module}`), table));
  return found.filter(Boolean);
}

function grouped0(value) {
  return grouped(value, 0);
}

function stripeBlock(components) {
  const rows = components.flatMap((component) => Object.entries(component.counters).map(([name, value]) => [name, grouped(value, 0)])
    .concat([["OSTs", component.osts.join(", ") + (component.more ? ` and ${component.more} more` : "")]]));
  return [element("h3", {}, "Stripes (Lustre)"), element("dl", {}, ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]))];
}

function belowBlock(below) {
  const facts = [["Asked for", amount(below.asked)], ["Moved below", amount(below.moved)]];
  if (below.amplification) facts.push(["Moved / asked", below.amplification.toFixed(2)]);
  if (below.distinct > 0) facts.push(["Distinct bytes", amount(below.distinct)]);
  if (below.layout) facts.push(["Layout", below.layout]);
  if (below.chunk_bytes) facts.push(["Chunk", `${below.chunk.join(" x ")} (${amount(below.chunk_bytes)})`], ["Chunk cache", amount(below.cache_bytes)], ["Filters", String(below.filters)]);
  const times = below.operations.map(([name, calls, own, mpiio, comm, lower]) => [
    name, [["layer0", own], ["layer1", mpiio], ["layer2", comm], ["layer3", lower]], `${count(calls)} ${calls === 1 ? "call" : "calls"}, ${seconds(own + mpiio + comm + lower)}`]);
  return [
    element("h3", {}, "What its calls became"),
    element("dl", {}, ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])),
    bars("Time by operation", times, ""),
    element("p", { class: "legend" }, ...["the library itself", "MPI-IO", "MPI communication", "POSIX and streams"].map((words, i) => element("span", { class: `key layer${i}` }, words))),
  ].filter(Boolean);
}

const FILE_COLUMNS = [["Name", "name"], ["Layers", "text"], ["Processes", "number", count], ["Read", "number", amount], ["Written", "number", amount], ["Mapped", "number", (bytes) => (bytes ? `${amount(bytes)} touched` : "-")], ["Time", "number", seconds]];
const MAPPED = 5; // a column that most logs do not need
const FILE_NOTE = "Read, Written: in the lowest layer. Time: in all calls of the layer with the most time, including the layers below; summed over processes.";

function filesSorted(node, rows, link, note) {
  const needed = (all) => (rows.some((row) => row[MAPPED]) ? all : all.filter((_, place) => place !== MAPPED));
  return new SortedTable(node, needed(FILE_COLUMNS), rows.map(needed), link, note);
}

function fileTable(node, table, link, note) {
  if (!node || !table.rows.length) return;
  const left = table.whole - table.rows.length;
  const parts = [FILE_NOTE];
  if (table.mapped) parts.push(table.mapped);
  if (left > 0) parts.push(`${count(left)} more are not in this table: those with the least time.`);
  if (table.rows.length > table.details.pages.length) parts.push(`The ${count(table.details.pages.length)} with the most time have a page of their own.`);
  filesSorted(node, table.rows, link, `${note}${parts.join(" ")}`);
}

// Returns a page as an array of elements; null if no page has this name.
function pageOf(run, prefix, kind, place) {
  const table = kind === "file" ? run.files : run.datasets;
  const details = table.details;
  if (!details.pages[place]) return null;
  const row = table.rows[place];
  const found = [
    element("p", {}, element("a", { href: `#${prefix}` }, "Back to the report")),
    element("h1", { tabindex: "-1" }, row[0]),
    element("p", {}, `${row[1]}. Used by ${row[2] === null ? "all processes" : row[2] === 1 ? "1 process" : `${count(row[2])} processes`}; ${amount(row[3])} read, ${amount(row[4])} written${row[5] ? `, ${amount(row[5])} touched through mappings` : ""}, ${seconds(row[6])}.`),
  ];
  const told = details.findings[place] || [];
  for (const number of told) {
    found.push(element("p", { class: "strong" }, "Finding: ", element("a", { href: `#${prefix}-finding-${number}` }, run.findings[number])));
  }
  if (run.shownStacks && run.shownStacks.files.some(([, page]) => page === `${kind}-${place}`)) {
    found.push(element("p", {}, element("a", { href: `#${prefix}-stacks-${kind}-${place}` }, "Show the frames that used it in the stacks")));
  }
  if (kind === "dataset" && run.datasets.files[place] >= 0) {
    const home = run.datasets.files[place];
    const page = run.files.details.pages[home] ? `#${prefix}-file-${home}` : null;
    found.push(element("p", {}, "In the file ", page ? element("a", { href: page }, run.files.rows[home][0]) : run.files.rows[home][0]));
  }
  if (kind === "file") found.push(...datasetsOf(run, prefix, place));
  if (details.below[place]) found.push(...belowBlock(details.below[place]));
  if (details.stripes[place]) found.push(...stripeBlock(details.stripes[place]));
  for (const part of details.pages[place]) found.push(...moduleBlock(part, details.names[part.module]));
  return found;
}

function datasetsOf(run, prefix, file) {
  const mine = run.datasets.files.map((home, i) => [home, i]).filter(([home]) => home === file).map(([, i]) => i);
  if (!mine.length) return [];
  const node = element("div");
  filesSorted(node, mine.map((i) => run.datasets.rows[i]), (i) => (run.datasets.details.pages[mine[i]] ? `#${prefix}-dataset-${mine[i]}` : null), "");
  return [element("h3", {}, "Datasets"), node];
}
