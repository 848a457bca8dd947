// The content of a timeline's lanes, indexed by lane and time: single transfers, sums in bins, and
// times of files' records.

const SINGLE = ["start", "seconds", "offset", "length", "rank", "file", "kind", "thread"];
const CELL = ["lane", "kind", "bin", "count", "bytes", "busy"];

// Sorts the transfers' indices by lane, and in a lane by start.
function byLane(single, laneOf, keys, lanes) {
  const number = single.start.length;
  const first = new Uint32Array(lanes + 1);
  for (let i = 0; i < number; i++) first[laneOf[keys[i]] + 1] += 1;
  for (let lane = 0; lane < lanes; lane++) first[lane + 1] += first[lane];
  const next = first.slice(0, lanes);
  const order = new Uint32Array(number);
  const longest = new Float64Array(lanes);
  for (let i = 0; i < number; i++) {
    const lane = laneOf[keys[i]];
    order[next[lane]++] = i;
    longest[lane] = Math.max(longest[lane], single.seconds[i]);
  }
  return { order, first, longest };
}

function cellsByLane(cells, lanes) {
  const first = new Uint32Array(lanes + 1);
  for (const lane of cells.lane) first[lane + 1] += 1;
  for (let lane = 0; lane < lanes; lane++) first[lane + 1] += first[lane];
  return first;
}

// Decodes and indexes the groups of a timeline.
function laneModel(line) {
  if (line.single) unpack(line.single, SINGLE);
  if (line.intervals) unpack(line, ["intervals"]);
  for (const group of line.groups) {
    const lanes = group.lanes.length;
    group.isComplete = new Set(group.complete || []);
    if (line.single) {
      group.single = byLane(line.single, group.lane_of, line.single[group.key], lanes);
    }
    if (group.cells) {
      unpack(group.cells, CELL);
      group.cellFirst = cellsByLane(group.cells, lanes);
      group.cellSeconds = (line.cells_end || line.end) / group.cells.bins;
      group.most = group.cells.bytes.reduce((a, b) => Math.max(a, b), 1);
    }
    group.spansOf = new Map();
    for (const span of group.spans || []) {
      if (!group.spansOf.has(span[0])) group.spansOf.set(span[0], []);
      group.spansOf.get(span[0]).push(span);
    }
  }
  return line;
}

// Returns indices in the lane's order of the transfers that overlap a window: [from, to).
function singlesIn(line, group, lane, low, high) {
  if (!line.single) return [0, 0];
  const { order, first, longest } = group.single;
  const bound = (wanted) => {
    let from = first[lane];
    let to = first[lane + 1];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (line.single.start[order[middle]] < wanted) from = middle + 1;
      else to = middle;
    }
    return from;
  };
  return [bound(low - longest[lane]), bound(high)];
}

// Tells whether the window is in intervals of which every transfer is in the page.
function allShown(line, low, high) {
  if (!line.intervals) return Boolean(line.single);
  const bins = line.intervals.length;
  const from = Math.max(0, Math.floor((low / line.end) * bins));
  const to = Math.min(bins - 1, Math.floor((high / line.end) * bins));
  for (let i = from; i <= to; i++) if (!line.intervals[i]) return false;
  return true;
}

// Returns how a lane is drawn in a window of this width in pixels.
function mannerOf(line, group, lane, low, high, width) {
  const [from, to] = singlesIn(line, group, lane, low, high);
  const complete = Boolean(line.single) && (group.isComplete.has(lane) || allShown(line, low, high));
  const few = to - from <= (complete ? 4 : 0.5) * width;
  const bins = Boolean(group.cells) && !(complete && few);
  return { from, to, complete, singles: few && to > from, bins };
}

// Calls `each` for the sums of a lane in a window, with kind, start, seconds, count, bytes, busy.
function eachCell(group, lane, low, high, each) {
  if (!group.cells) return;
  const { kind, bin, count: number, bytes, busy } = group.cells;
  const width = group.cellSeconds;
  const end = group.cellFirst[lane + 1];
  let at = group.cellFirst[lane];
  while (at < end) {
    let stop = at;
    while (stop < end && kind[stop] === kind[at]) stop += 1; // a kind's cells stand together
    const first = lowerBound(bin, Math.floor(low / width), at, stop);
    for (let i = first; i < stop && bin[i] * width <= high; i++) {
      each(kind[i], bin[i] * width, width, number ? number[i] : 0, bytes[i], busy ? busy[i] : 0);
    }
    at = stop;
  }
}
