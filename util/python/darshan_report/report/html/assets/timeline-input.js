// Mouse and keys of the timeline, and the description of the object under the cursor.

function listenTo(line) {
  line.holder.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act(line);
  });
  line.holder.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.shiftKey) return; // the page scrolls
    event.preventDefault();
    if (event.shiftKey) line.pan(Math.sign(event.deltaY || event.deltaX) * 0.15);
    else line.zoom(event.deltaY > 0 ? 1.4 : 1 / 1.4, line.chart.posToVal(line.chart.cursor.left, "x"));
  }, { passive: false });
  line.holder.addEventListener("scroll", () => requestAnimationFrame(() => line.redraw()));
  line.holder.addEventListener("mouseleave", () => { line.tip.hidden = true; });
  line.holder.addEventListener("dblclick", () => line.show(0, line.line.end));
}

const KEYS = {
  ArrowLeft: (line) => line.pan(-0.2),
  ArrowRight: (line) => line.pan(0.2),
  "+": (line) => line.zoom(0.5),
  "=": (line) => line.zoom(0.5),
  "-": (line) => line.zoom(2),
  0: (line) => line.show(0, line.line.end),
  Home: (line) => line.show(0, line.line.end),
  ArrowUp: (line) => chooseLane(line, -1),
  ArrowDown: (line) => chooseLane(line, 1),
  n: (line) => nextTransfer(line, 1),
  p: (line) => nextTransfer(line, -1),
};

function chooseLane(line, by) {
  line.lane = Math.min(line.lanes - 1, Math.max(0, line.lane + by));
  const first = line.firstLane;
  if (line.lane < first) line.holder.scrollTop = line.lane * line.tall;
  if (line.lane >= first + line.room) line.holder.scrollTop = (line.lane - line.room + 1) * line.tall;
  line.redraw();
  line.said.textContent = `Lane ${line.lane + 1}: ${line.group.lanes[line.lane]}. ${line.said.textContent}`;
}

// Centres the next transfer of the chosen lane, and announces it.
function nextTransfer(line, by) {
  if (!line.line.single) return;
  const { order, first } = line.group.single;
  const [from, to] = [first[line.lane], first[line.lane + 1]];
  if (from === to) return;
  const { start, seconds: lasts } = line.line.single;
  let at = line.current === undefined || line.current < from || line.current >= to ? undefined : line.current + by;
  if (at === undefined) at = Math.min(to - 1, singlesIn(line.line, line.group, line.lane, line.low, line.high)[0]);
  line.current = Math.min(to - 1, Math.max(from, at));
  const one = order[line.current];
  const width = Math.max(lasts[one] * 12, Math.min(line.high - line.low, lasts[one] * 60 || 1e-4));
  line.show(start[one] + lasts[one] / 2 - width / 2, start[one] + lasts[one] / 2 + width / 2);
  line.said.textContent = transferLines(line, one).join(", ");
}

function transferLines(line, one) {
  const { start, seconds: lasts, offset, length, rank, file, kind, ranks, files } = line.line.single;
  const [layer, operation] = line.line.kinds[kind[one]];
  const rate = lasts[one] > 0 ? `, ${amount(length[one] / lasts[one])}/s` : "";
  return [
    files[file[one]] || "(a file whose name is not in this page)",
    `${layer} ${operation} by rank ${ranks[rank[one]]}`,
    `${amount(length[one])} at offset ${count(offset[one])}`,
    `${moment(start[one], 1e-6)} for ${seconds(lasts[one])}${rate}`,
  ];
}

// Returns the transfer at a point in time: the shortest one in progress, or the nearest.
function transferAt(line, lane, time, near, level) {
  const { start, seconds: lasts, kind } = line.line.single;
  const { order } = line.group.single;
  const [from, to] = singlesIn(line.line, line.group, lane, time - near, time + near);
  let best;
  for (let i = from; i < to; i++) {
    const one = order[i];
    if (!line.isShown(kind[one]) || !level(kind[one])) continue;
    const away = Math.max(start[one] - time, time - start[one] - lasts[one], 0);
    if (away > near) continue;
    if (!best || away < best.away || (away === best.away && lasts[one] < best.lasts)) best = { one, away, lasts: lasts[one] };
  }
  return best && best.one;
}

function cellLines(line, lane, time) {
  const found = [];
  let from;
  let width;
  eachCell(line.group, lane, time - line.group.cellSeconds, time, (kind, start, lasts, number, moved, busy) => {
    if (start > time || start + lasts < time || !line.isShown(kind)) return;
    [from, width] = [start, lasts];
    const [layer, operation] = line.line.kinds[kind];
    found.push(line.line.measure === "bytes" ? `${layer} ${operation}: ${amount(moved)}`
      : `${layer} ${operation}: ${count(number)} begun, ${amount(moved)}, busy ${seconds(busy)}`);
  });
  if (!found.length) return [];
  return [line.group.lanes[lane], `${moment(from, width / 10)} to ${moment(from + width, width / 10)}`, ...found];
}

function spanLines(line, lane, time, near) {
  const found = (line.group.spansOf.get(lane) || []).filter(([, layer, kind, from, to]) =>
    time >= from - near && time <= to + near && (!line.layer || layer === line.layer) &&
    !(line.line.single && (kind === "read" || kind === "write")));
  if (!found.length) return [];
  return [line.group.lanes[lane], ...found.map(([, layer, kind, from, to]) =>
    `${layer}: first ${kind} begins at ${moment(from, 1e-6)}, last ends at ${moment(to, 1e-6)}`)];
}

function markLines(line, time, near) {
  return line.line.marks.filter(([from, to]) => time >= from - near && time <= to + near).slice(0, 3)
    .map(([from, to, name]) => `checkpoint ${name}: ${moment(from, 1e-6)} for ${seconds(to - from)}`);
}

// Returns a description of a point in the lanes, as lines of text.
function linesAt(line, x, y) {
  const time = line.chart.posToVal(x, "x");
  const near = (3 * (line.high - line.low)) / line.chart.over.clientWidth;
  return [...laneLinesAt(line, x, y), ...markLines(line, time, near)];
}

function laneLinesAt(line, x, y) {
  const lane = Math.floor(y / line.tall + line.firstLane);
  if (lane < 0 || lane >= line.lanes) return [];
  const time = line.chart.posToVal(x, "x");
  const near = (3 * (line.high - line.low)) / line.chart.over.clientWidth;
  const box = { top: 0, height: line.tall };
  const inLane = y + line.holder.scrollTop - lane * line.tall;
  const level = (kind) => {
    const track = line.track(kind, box);
    return inLane >= track.top - 1 && inLane <= track.top + track.height + 1;
  };
  const manner = mannerOf(line.line, line.group, lane, line.low, line.high, line.chart.bbox.width);
  if (manner.singles) {
    const one = transferAt(line, lane, time, near, level);
    if (one !== undefined) return transferLines(line, one);
  }
  const cells = manner.bins ? cellLines(line, lane, time) : [];
  return cells.length ? cells : spanLines(line, lane, time, near);
}

Timeline.prototype.hover = function hover(chart) {
  const { left, top } = chart.cursor;
  const lines = left >= 0 ? linesAt(this, left, top) : [];
  this.tip.hidden = !lines.length;
  if (!lines.length) return;
  this.tip.replaceChildren(...lines.map((text) => element("div", {}, text)));
  const area = chart.over.getBoundingClientRect();
  const host = this.node.getBoundingClientRect();
  const x = Math.min(area.left - host.left + left + 14, host.width - this.tip.offsetWidth - 4);
  this.tip.style.left = `${Math.max(0, x)}px`;
  this.tip.style.top = `${area.top - host.top + top + 18}px`;
};
