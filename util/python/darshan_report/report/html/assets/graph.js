// A graph of boxes in columns, with an arrow for each edge.  A box is a link; pointing at a box shows
// its arrows alone.

const GRAPH = { width: 200, height: 40, apart: 14, between: 130, least: 24, line: 10 };

function drawn(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// Returns the places of boxes, and of edges that pass a column, by their numbers.  A column is in the
// middle of the height.
function graphPlaces(graph) {
  const high = (number) => (number < graph.boxes.length ? GRAPH.height : GRAPH.line) + GRAPH.apart;
  const heights = graph.columns.map((column) => column.reduce((sum, number) => sum + high(number), 0));
  const most = Math.max(...heights);
  const places = [];
  graph.columns.forEach((column, i) => {
    const x = GRAPH.least + i * (GRAPH.width + GRAPH.between);
    let y = GRAPH.least + (most - heights[i]) / 2;
    for (const number of column) {
      places[number] = { x, y, middle: y + (high(number) - GRAPH.apart) / 2 };
      y += high(number);
    }
  });
  return [places, most + 2 * GRAPH.least];
}

// Returns the line of an edge from the right side of a box to the left side of another one; an edge
// that leads backwards, or to its own box, goes around below the boxes.
function edgeLine(way, bottom) {
  const [one, other] = [way[0], way[way.length - 1]];
  const [x, y, to, end] = [one.x + GRAPH.width, one.middle, other.x - 7, other.middle];
  if (one === other) {
    const [left, right, up] = [one.x + GRAPH.width - 50, one.x + GRAPH.width - 20, one.y + GRAPH.height];
    return `M${right} ${up}C${right} ${up + 20} ${left} ${up + 20} ${left} ${up + 7}`;
  }
  if (to < x) return `M${x} ${y}C${x + 60} ${y} ${x + 60} ${bottom} ${(x + to) / 2} ${bottom}S${to - 60} ${end} ${to} ${end}`;
  let line = `M${x} ${y}`;
  way.slice(1).forEach((next, i) => {
    const [left, right] = [way[i].x + GRAPH.width, next === other ? to : next.x];
    const middle = (left + right) / 2;
    line += `C${middle} ${way[i].middle} ${middle} ${next.middle} ${right} ${next.middle}`;
    if (next !== other) line += `H${next.x + GRAPH.width}`;
  });
  return line;
}

function graphBox([title, below, link, chosen], { x, y }, context) {
  const cut = (font, text) => {
    context.font = `${font} system-ui, sans-serif`;
    return fitted(context, text, GRAPH.width - 14);
  };
  return drawn("a", { href: link, class: chosen ? "box chosen" : "box" },
    drawn("title", {}, `${title}\n${below}`),
    drawn("rect", { x, y, width: GRAPH.width, height: GRAPH.height, rx: 4 }),
    drawn("text", { x: x + 8, y: y + 17, class: "name" }, cut("600 13px", title)),
    drawn("text", { x: x + 8, y: y + 32 }, cut("12px", below)));
}

function centreGraph(node, graph) {
  const [places, bottom] = graphPlaces(graph);
  const back = graph.edges.some(({ 0: way }) => way.length === 2 && way[0] !== way[1] && places[way[0]].x >= places[way[1]].x);
  const width = 2 * GRAPH.least + graph.columns.length * (GRAPH.width + GRAPH.between) - GRAPH.between;
  const height = bottom + (back ? GRAPH.least : 0);
  const mark = drawn("marker", { id: "tip", viewBox: "0 0 8 8", refX: 1, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" }, drawn("path", { d: "M0 0L8 4L0 8z" }));
  const svg = drawn("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "graph; the table below has the same arrows" }, drawn("defs", {}, mark));
  const context = document.createElement("canvas").getContext("2d");
  const lines = drawn("g", {});
  const labels = drawn("g", { class: "labels" });
  const boxes = graph.boxes.map((box, i) => graphBox(box, places[i], context));
  svg.append(lines, ...boxes, labels);
  const largest = Math.max(...graph.edges.map((edge) => Math.log2(1 + edge[1])), 1);
  const edges = graph.edges.map(([way, bytes, label, file]) => {
    const d = edgeLine(way.map((number) => places[number]), bottom);
    const line = drawn("path", { d, class: "edge", "stroke-width": 1 + 3 * Math.log2(1 + bytes) / largest, "marker-end": "url(#tip)" });
    const wide = drawn("path", { d, class: "near" }, drawn("title", {}, `${label}\n${file}`));
    lines.append(line, wide);
    return { one: way[0], other: way[way.length - 1], line, wide, label, file };
  });
  const said = element("p", { class: "said", "aria-live": "polite" }, "Point at a box or an arrow for its files; a box leads to its page.");
  const scroll = element("div", { class: "scroll" }, svg);
  node.append(scroll, said);
  const chosen = graph.boxes.findIndex((box) => box[3]);
  if (chosen >= 0) scroll.scrollLeft = places[chosen].x + (GRAPH.width - scroll.clientWidth) / 2;
  graphLabels(edges, labels);
  graphPointing(graph, boxes, edges, svg, said);
}

// Puts a label on the middle of each edge, if no other label is there.
function graphLabels(edges, labels) {
  const taken = [];
  for (const edge of edges) {
    const half = edge.line.getTotalLength() / 2;
    const middle = edge.line.getPointAtLength(half);
    if (taken.some((other) => Math.abs(other.x - middle.x) < 130 && Math.abs(other.y - middle.y) < 14)) continue;
    taken.push(middle);
    edge.text = drawn("text", { x: middle.x, y: middle.y - 4, "text-anchor": "middle" }, edge.label);
    labels.append(edge.text);
  }
}

function graphPointing(graph, boxes, edges, svg, said) {
  const show = (some, words) => {
    said.textContent = words;
    svg.classList.add("chosen");
    for (const edge of edges) {
      edge.line.classList.toggle("on", some.includes(edge));
      if (edge.text) edge.text.classList.toggle("on", some.includes(edge));
    }
  };
  const name = (i) => graph.boxes[i][0];
  const says = (edge) => `${name(edge.one)} \u2192 ${name(edge.other)}: ${edge.label}, such as ${edge.file}`;
  for (const edge of edges) edge.wide.addEventListener("pointerenter", () => show([edge], says(edge)));
  boxes.forEach((place, i) => {
    const pointed = () => {
      const some = edges.filter((edge) => edge.one === i || edge.other === i);
      show(some, some.length === 1 ? says(some[0]) : `${name(i)}: read from ${edges.filter((edge) => edge.other === i).length}, read by ${edges.filter((edge) => edge.one === i).length}`);
    };
    place.addEventListener("pointerenter", pointed);
    place.addEventListener("focus", pointed);
  });
  svg.addEventListener("pointerleave", () => svg.classList.remove("chosen"));
}
