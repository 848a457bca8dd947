// The timeline: one lane per rank or file, from the whole run down to single transfers.  uPlot has
// the axis, cursor and drag.  The content of lanes is drawn here, because no chart of uPlot has a
// hundred thousand bars in hundreds of rows.

const LANES_HEIGHT = 400; // pixels of the lanes that are visible at once
const [LOWEST, HIGHEST] = [22, 48];

class Timeline {
  constructor(node, line) {
    this.node = node;
    this.line = laneModel(line);
    this.group = line.groups[0];
    this.paint = "operation";
    this.layer = "";
    this.low = 0;
    this.high = line.end;
    this.lane = 0;
    this.build();
    painted(this.holder, () => this.rebuild());
  }

  get lanes() {
    return this.group.lanes.length;
  }

  // tall: height of a lane in pixels; room: number of lanes that are visible at once.
  get tall() {
    return Math.min(HIGHEST, Math.max(LOWEST, Math.floor(LANES_HEIGHT / 2 / this.lanes)));
  }

  get room() {
    return Math.min(this.lanes, Math.floor(LANES_HEIGHT / this.tall));
  }

  build() {
    this.holder = element("div", {
      class: "lanes", tabindex: "0", role: "application",
      "aria-label": "Timeline. Left and right move, plus and minus zoom, 0 shows all, up and down choose a lane, n and p go from transfer to transfer.",
    });
    this.spacer = element("div", { class: "spacer" });
    this.place = element("div", { class: "sticky" });
    this.tip = element("div", { class: "tip", hidden: true });
    this.said = element("p", { class: "said", role: "status" });
    this.which = element("p", { class: "note" }, this.line.sentence);
    this.holder.append(this.place, this.spacer);
    this.node.append(this.controls(), this.holder, this.said, this.which, this.tip);
    listenTo(this);
  }

  controls() {
    const choice = (label, entries, change) =>
      element("label", {}, `${label} `, element("select", { onchange: (event) => change(event.target.value) },
        ...entries.map(([value, words]) => element("option", { value }, words))));
    const { layers } = this.line;
    const parts = [];
    if (this.line.groups.length > 1) {
      parts.push(choice("Lanes", this.line.groups.map((g, i) => [i, g.title]), (value) => this.regroup(Number(value))));
    }
    if (layers.length > 1) {
      parts.push(choice("Layer", [["", "all"], ...layers.map((l) => [l, l])], (value) => { this.layer = value; this.redraw(); }));
    }
    parts.push(choice("Colour", [["operation", "by operation"], ["layer", "by layer"]], (value) => { this.paint = value; this.showKey(); this.redraw(); }));
    parts.push(element("span", { class: "buttons" },
      button("\u2212", "Zoom out", () => this.zoom(2)), button("+", "Zoom in", () => this.zoom(0.5)),
      button("\u2190", "Earlier", () => this.pan(-0.4)), button("\u2192", "Later", () => this.pan(0.4)),
      button("All", "Show the whole run", () => this.show(0, this.line.end))));
    this.key = element("span", { class: "legend" });
    this.showKey();
    return element("div", { class: "controls" }, ...parts, this.key);
  }

  showKey() {
    const { layers } = this.line;
    const kinds = this.paint === "layer" ? layers.map((layer, i) => [`layer${i % 6}`, layer])
      : [["read", "read"], ["write", "write"], ["meta", "open, close"]];
    if (this.line.marks.length) kinds.push(["checkpoint", "checkpoint"]);
    this.key.replaceChildren(...kinds.map(([name, words]) => element("span", { class: `key ${name}` }, words)));
  }

  regroup(place) {
    this.group = this.line.groups[place];
    this.lane = 0;
    this.holder.scrollTop = 0;
    this.rebuild();
  }

  // Recreates the chart, for another width, other colours or other lanes.
  rebuild() {
    if (this.chart) this.chart.destroy();
    this.colour = colours();
    const width = this.holder.clientWidth;
    const height = this.room * this.tall + 44;
    const options = chartOptions(this.colour, width, height, true);
    options.scales.y = { range: [0, 1] };
    options.scales.x.range = () => [this.low, this.high];
    options.axes[1].values = () => [];
    options.axes[1].grid = { show: false };
    options.axes[1].ticks = { show: false };
    options.series = [{}, { show: false }];
    options.cursor.drag.setScale = false;
    options.hooks = {
      draw: [() => this.drawLanes()],
      setSelect: [(chart) => this.selected(chart)],
      setCursor: [(chart) => this.hover(chart)],
    };
    this.chart = new uPlot(options, [[0, this.line.end], [null, null]], this.place);
    this.spacer.style.height = `${Math.max(0, (this.lanes - this.room) * this.tall)}px`;
    this.holder.style.height = `${height + 2}px`;
    this.describe();
  }

  redraw() {
    this.chart.setData([[this.low, this.high], [null, null]]);
    this.describe();
  }

  show(low, high) {
    const least = Math.max(1e-7, this.line.end * 1e-9);
    const width = Math.min(this.line.end, Math.max(least, high - low));
    this.low = Math.min(Math.max(0, low), this.line.end - width);
    this.high = this.low + width;
    this.tip.hidden = true;
    this.redraw();
  }

  zoom(factor, around) {
    const middle = around === undefined ? (this.low + this.high) / 2 : around;
    this.show(middle - (middle - this.low) * factor, middle + (this.high - middle) * factor);
  }

  pan(part) {
    const by = part * (this.high - this.low);
    this.show(this.low + by, this.high + by);
  }

  selected(chart) {
    if (chart.select.width < 4) return;
    const from = chart.posToVal(chart.select.left, "x");
    const to = chart.posToVal(chart.select.left + chart.select.width, "x");
    chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
    this.show(from, to);
  }

  isShown(kind) {
    return !this.layer || this.line.kinds[kind][0] === this.layer;
  }

  colourOf(kind) {
    const [layer, operation] = this.line.kinds[kind];
    if (this.paint === "operation") return this.colour[operation];
    return this.colour.layers[this.line.layers.indexOf(layer) % 6];
  }

  get firstLane() {
    return this.holder.scrollTop / this.tall;
  }

  drawLanes() {
    const { ctx, bbox } = this.chart;
    const ratio = devicePixelRatio;
    const first = Math.floor(this.firstLane);
    const last = Math.min(this.lanes, first + this.room + 1);
    ctx.save();
    ctx.font = `${12 * ratio}px system-ui, sans-serif`;
    ctx.textBaseline = "middle";
    ctx.textAlign = "right";
    ctx.beginPath();
    ctx.rect(0, bbox.top, bbox.left + bbox.width, bbox.height);
    ctx.clip();
    for (let lane = first; lane < last; lane++) this.drawLane(ctx, bbox, lane, ratio);
    this.drawIntervals(ctx, bbox, ratio);
    this.drawMarks(ctx, bbox, ratio);
    ctx.restore();
  }

  drawLane(ctx, bbox, lane, ratio) {
    const top = bbox.top + (lane - this.firstLane) * this.tall * ratio;
    const height = this.tall * ratio;
    ctx.fillStyle = this.colour.ink;
    ctx.fillText(fitted(ctx, this.group.lanes[lane], bbox.left - 10 * ratio), bbox.left - 6 * ratio, top + height / 2);
    if (lane === this.lane && this.lanes > 1) {
      ctx.globalAlpha = 0.12;
      ctx.fillRect(bbox.left, top, bbox.width, height);
      ctx.globalAlpha = 1;
    }
    ctx.fillStyle = this.colour.grid;
    ctx.fillRect(bbox.left, top + height - 1, bbox.width, 1);
    const box = { left: bbox.left, width: bbox.width, top: top + 2 * ratio, height: height - 4 * ratio };
    const scale = bbox.width / (this.high - this.low);
    const at = (time) => box.left + (time - this.low) * scale;
    const manner = mannerOf(this.line, this.group, lane, this.low, this.high, bbox.width);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, top, bbox.width, height);
    ctx.clip();
    this.drawSpans(ctx, box, lane, at);
    if (manner.bins) this.drawBins(ctx, box, lane, at, scale, manner.singles ? 0.35 : 0.9);
    if (manner.singles) this.drawSingles(ctx, box, manner, at, scale, ratio);
    ctx.restore();
  }

  // Each layer has a part of the lane, so that calls of a lower layer are next to the calls that
  // caused them.
  track(kind, box) {
    const order = this.line.layers;
    if (this.layer || order.length < 2) return box;
    const part = box.height / order.length;
    const place = order.length - 1 - order.indexOf(this.line.kinds[kind][0]);
    return { ...box, top: box.top + place * part, height: part };
  }

  drawSpans(ctx, box, lane, at) {
    const traced = Boolean(this.line.single);
    for (const [, layer, kind, from, to] of this.group.spansOf.get(lane) || []) {
      const moves = kind === "read" || kind === "write";
      if ((traced && moves) || (this.layer && layer !== this.layer)) continue;
      ctx.globalAlpha = moves ? 0.55 : 0.8;
      ctx.fillStyle = moves ? this.colour[kind] : this.colour.meta;
      const part = { read: 0.33, write: 0.66 }[kind] || 0;
      const left = at(from);
      ctx.fillRect(left, box.top + part * box.height, Math.max(2, at(to) - left), box.height / 3);
    }
    ctx.globalAlpha = 1;
  }

  drawBins(ctx, box, lane, at, scale, strength) {
    const columns = new Map();
    const bytes = this.line.measure === "bytes";
    eachCell(this.group, lane, this.low, this.high, (kind, start, width, number, moved, busy) => {
      if (!this.isShown(kind)) return;
      // Bins narrower than a pixel are added up by pixel.
      const left = width * scale < 1 ? Math.floor(at(start)) : at(start);
      const right = width * scale < 1 ? left + 1 : at(start + width);
      const key = kind * 1e6 + Math.round(left - box.left);
      const old = columns.get(key) || { kind, left, right, moved: 0, busy: 0, seconds: Math.max(width, 1 / scale) };
      old.moved += moved;
      old.busy += busy;
      columns.set(key, old);
    });
    const most = Math.log2(this.group.most + 1);
    ctx.globalAlpha = strength;
    for (const { kind, left, right, moved, busy, seconds: width } of columns.values()) {
      const track = this.track(kind, box);
      const part = bytes ? Math.log2(moved + 1) / most : Math.sqrt(Math.min(1, busy / width));
      const tall = Math.max(1, Math.min(1, part) * track.height);
      ctx.fillStyle = this.colourOf(kind);
      ctx.fillRect(left, track.top + track.height - tall, Math.max(1, right - left), tall);
    }
    ctx.globalAlpha = 1;
  }

  drawSingles(ctx, box, manner, at, scale, ratio) {
    const { start, seconds: lasts, kind } = this.line.single;
    const { order } = this.group.single;
    const drawn = new Map();
    for (let i = manner.from; i < manner.to; i++) {
      const one = order[i];
      if (!this.isShown(kind[one])) continue;
      const left = at(start[one]);
      const width = Math.max(1, lasts[one] * scale);
      // A transfer on the pixel that was drawn last is already visible.
      if (width === 1 && drawn.get(kind[one]) === Math.floor(left)) continue;
      drawn.set(kind[one], Math.floor(left));
      const track = this.track(kind[one], box);
      ctx.fillStyle = this.colourOf(kind[one]);
      ctx.fillRect(left, track.top, width > 4 * ratio ? width - 1 : width, track.height);
    }
  }

  // Saves of checkpoints: bands across all lanes, which leave what is in them visible.
  drawMarks(ctx, bbox, ratio) {
    const scale = bbox.width / (this.high - this.low);
    ctx.fillStyle = this.colour.mark;
    for (const [from, to] of this.line.marks) {
      if (to < this.low || from > this.high) continue;
      const left = Math.max(bbox.left, bbox.left + (from - this.low) * scale);
      const right = Math.min(bbox.left + bbox.width, bbox.left + (to - this.low) * scale);
      ctx.globalAlpha = 0.2;
      ctx.fillRect(left, bbox.top, Math.max(0, right - left), bbox.height);
      ctx.globalAlpha = 1;
      ctx.fillRect(left, bbox.top, Math.max(ratio, right - left), 4 * ratio);
      ctx.fillRect(left, bbox.top, ratio, bbox.height);
    }
  }

  drawIntervals(ctx, bbox, ratio) {
    if (!this.line.intervals) return;
    const bins = this.line.intervals.length;
    const scale = bbox.width / (this.high - this.low);
    ctx.fillStyle = this.colour.mark;
    for (let i = 0; i < bins; i++) {
      if (!this.line.intervals[i]) continue;
      const left = bbox.left + ((i * this.line.end) / bins - this.low) * scale;
      const right = left + Math.max(1, (this.line.end / bins) * scale);
      const from = Math.max(left, bbox.left);
      if (right > from) ctx.fillRect(from, bbox.top, right - from, 2 * ratio);
    }
  }

  // Describes the window and its content.
  describe() {
    const step = (this.high - this.low) / 100;
    const first = Math.floor(this.firstLane);
    const last = Math.min(this.lanes, first + this.room);
    let singles = 0;
    let bins = false;
    for (let lane = first; lane < last; lane++) {
      const manner = mannerOf(this.line, this.group, lane, this.low, this.high, this.chart.bbox.width);
      if (manner.singles) singles += manner.to - manner.from;
      bins = bins || manner.bins;
    }
    const shown = [];
    if (singles) shown.push(`${count(singles)} single transfers`);
    if (bins) shown.push(`sums in steps of ${seconds(Math.max(this.group.cellSeconds, step / 10))}`);
    const lanes = this.lanes > this.room ? `, lanes ${first + 1} to ${last} of ${count(this.lanes)}` : "";
    this.said.textContent = `${moment(this.low, step)} to ${moment(this.high, step)}${lanes}: ${shown.join(" and ") || "first and last calls"}.`;
  }
}
