// The icicle graph of stacks: callers above what they call, each frame as wide as its seconds, calls
// or bytes.  A frame is an item of a tree that the keys go through; a click shows it in full width.

const FRAME_TALL = 20; // pixels
const THINNEST = 0.0015; // share of the width below which a frame is not drawn
const [FRAME_PARENT, FRAME_NAME, FRAME_FILE, FRAME_LINE, FRAME_KIND] = [0, 1, 2, 3, 4];
const [FRAME_SECONDS, FRAME_CALLS, FRAME_BYTES, FRAME_FIRST, FRAME_LAST, FRAME_FILES] = [5, 6, 7, 8, 9, 10];
const FRAME_KINDS = ["own", "library", "called", "others"];
const WIDTHS = [["time in calls", FRAME_SECONDS], ["number of calls", FRAME_CALLS], ["bytes", FRAME_BYTES]];

class Stacks {
  constructor(node, data, prefix, run) {
    this.node = node;
    this.prefix = prefix;
    this.run = run;
    this.texts = data.texts;
    this.frames = data.frames;
    this.files = data.files;
    this.findings = data.findings;
    this.measure = FRAME_SECONDS;
    this.top = 0; // the frame that has the full width
    this.marked = new Set();
    this.join();
    this.build();
    this.draw();
    this.tell(0);
  }

  // Gives each frame its callees, and the files and the span of all frames below it.
  join() {
    this.below = this.frames.map(() => []);
    this.used = this.frames.map((frame) => {
      const found = new Map();
      for (let i = 0; i < frame[FRAME_FILES].length; i += 3) found.set(frame[FRAME_FILES][i], frame[FRAME_FILES].slice(i + 1, i + 3));
      return found;
    });
    this.span = this.frames.map((frame) => [frame[FRAME_FIRST] < 0 ? Infinity : frame[FRAME_FIRST], frame[FRAME_LAST]]);
    for (let i = this.frames.length - 1; i > 0; i -= 1) {
      const parent = this.frames[i][FRAME_PARENT];
      this.below[parent].unshift(i);
      this.span[parent] = [Math.min(this.span[parent][0], this.span[i][0]), Math.max(this.span[parent][1], this.span[i][1])];
      for (const [file, [calls, bytes]] of this.used[i]) {
        const [more, moved] = this.used[parent].get(file) || [0, 0];
        this.used[parent].set(file, [calls + more, bytes + moved]);
      }
    }
  }

  build() {
    this.path = element("nav", { class: "path", "aria-label": "Callers of the frame that is shown" });
    this.holder = element("div", {
      class: "icicle", role: "tree",
      "aria-label": "Stacks. Up and down go to the caller and to what a frame calls, left and right to the frames beside it; Enter shows a frame in full width, Escape its caller, Home everything.",
    });
    this.detail = element("div", { class: "detail", role: "status" });
    const choice = element("select", { onchange: (event) => { this.measure = Number(event.target.value); this.draw(); } },
      ...WIDTHS.map(([words, place]) => element("option", { value: place }, words)));
    this.clear = button("Remove marks", "Remove the marks of frames", () => this.mark(new Set()));
    const legend = element("p", { class: "legend" }, ...[["own", "your code"], ["library", "installed software"], ["called", "function that was called"], ["others", "smaller frames together"]]
      .map(([kind, words]) => element("span", { class: `key ${kind}` }, words)));
    this.node.replaceChildren(
      element("div", { class: "controls" }, element("label", {}, "Width ", choice),
        button("All", "Show all stacks", () => this.show(0)), this.clear),
      this.path, element("div", { class: "scrolled" }, this.holder), legend, this.detail);
    this.clear.hidden = true;
    listenToStacks(this);
  }

  name(i) {
    return this.texts[this.frames[i][FRAME_NAME]];
  }

  file(i) {
    return this.texts[this.frames[i][FRAME_FILE]];
  }

  label(i) {
    const last = this.file(i).split("/").pop();
    const line = this.frames[i][FRAME_LINE];
    if (!last || (!line && last === this.name(i)) || (!line && this.name(i).startsWith(`${last}+`))) return this.name(i);
    return `${this.name(i)} ${line ? `${last}:${line}` : last}`;
  }

  sums(i) {
    const frame = this.frames[i];
    return `${seconds(frame[FRAME_SECONDS])} in calls (${share(frame[FRAME_SECONDS], this.frames[0][FRAME_SECONDS])}), ${count(frame[FRAME_CALLS])} ${frame[FRAME_CALLS] === 1 ? "call" : "calls"}, ${amount(frame[FRAME_BYTES])}`;
  }

  callers(i) {
    const found = [];
    for (let at = this.frames[i][FRAME_PARENT]; at >= 0; at = this.frames[at][FRAME_PARENT]) found.unshift(at);
    return found;
  }

  // Returns [frame, left, width, row] of what is drawn; left and width are shares of the width.
  layout() {
    const found = [...this.callers(this.top), this.top].map((i, row) => [i, 0, 1, row]);
    const whole = this.frames[this.top][this.measure];
    const waiting = whole > 0 ? [found[found.length - 1]] : [];
    while (waiting.length) {
      const [frame, from, , row] = waiting.shift();
      let left = from;
      for (const i of this.below[frame]) {
        const width = this.frames[i][this.measure] / whole;
        if (width >= THINNEST) {
          found.push([i, left, width, row + 1]);
          waiting.push(found[found.length - 1]);
        }
        left += width;
      }
    }
    return found;
  }

  draw() {
    const depth = this.callers(this.top).length;
    const boxes = this.layout();
    this.items = new Map();
    this.rows = boxes.map(([i, left, width, row]) => {
      const kind = FRAME_KINDS[this.frames[i][FRAME_KIND]];
      const classes = ["frame", kind, row < depth ? "above" : "", this.marked.has(i) ? "marked" : ""];
      const item = element("div", {
        class: classes.filter(Boolean).join(" "), role: "treeitem", tabindex: "-1", "data-frame": i,
        "aria-level": row + 1, "aria-selected": i === this.top ? "true" : "false",
        "aria-label": `${this.label(i)}: ${this.sums(i)}${this.marked.has(i) ? ", marked" : ""}`,
        title: `${this.label(i)}: ${this.sums(i)}`,
      }, this.label(i));
      item.style.left = `${100 * left}%`;
      item.style.width = `${100 * width}%`;
      item.style.top = `${row * FRAME_TALL}px`;
      this.items.set(i, item);
      return [i, left, row];
    });
    this.holder.classList.toggle("some", this.marked.size > 0);
    this.holder.style.height = `${(1 + Math.max(...boxes.map((box) => box[3]))) * FRAME_TALL}px`;
    this.holder.replaceChildren(...this.items.values());
    this.items.get(this.top).tabIndex = 0;
    this.path.replaceChildren(...this.callers(this.top).flatMap((i) => [
      button(this.name(i), `Show ${this.label(i)} in full width`, () => this.show(i)), " \u203a "]), element("b", {}, this.name(this.top)));
    this.path.hidden = this.top === 0;
  }

  // Shows a frame in full width, and what is known of it.
  show(i) {
    this.top = i;
    this.draw();
    this.tell(i);
  }

  // Writes what is known of a frame: its place, sums, files and findings.
  tell(i) {
    const frame = this.frames[i];
    const parts = [element("p", {}, element("b", {}, this.name(i)), `: ${this.sums(i)}.`)];
    if (this.file(i)) {
      parts.push(element("p", { class: "code" }, frame[FRAME_LINE] ? `${this.file(i)}:${frame[FRAME_LINE]}` : this.file(i)));
    }
    for (const [number] of this.findings.filter(([, file, line]) => file === this.file(i) && line === frame[FRAME_LINE])) {
      parts.push(element("p", {}, "Finding: ", element("a", { href: `#${this.prefix}-finding-${number}` }, this.run.findings[number])));
    }
    const files = [...this.used[i]].sort(([, a], [, b]) => b[1] - a[1] || b[0] - a[0]).filter(([file]) => this.files[file][0]);
    if (files.length) parts.push(this.filesOf(files));
    const [from, to] = this.span[i];
    const line = this.run.shownLine;
    if (line && from <= to) {
      parts.push(element("p", {}, button("Show its time in the timeline", `Show the time of ${this.name(i)} in the timeline`, () => {
        line.show(from, Math.max(to, from + 1e-6));
        document.getElementById(`${this.prefix}-timeline`).scrollIntoView();
      }), ` First call at ${moment(from, 1e-3)}, last one ends at ${moment(to, 1e-3)}.`));
    }
    this.detail.replaceChildren(...parts);
  }

  filesOf(files) {
    const rows = files.slice(0, FILES_OF_A_FRAME).map(([file, [calls, bytes]]) => {
      const [name, page] = this.files[file];
      return element("li", {}, page ? element("a", { href: `#${this.prefix}-${page}` }, name) : name,
        ` (${calls ? `${count(calls)} ${calls === 1 ? "call" : "calls"}, ` : ""}${amount(bytes)}) `,
        button("Mark", `Mark the frames that used ${name}`, () => this.markFile(file)));
    });
    return element("div", {}, element("p", {}, "Files with the most bytes, or calls; calls and bytes are at least so many:"), element("ul", {}, ...rows));
  }
}

const FILES_OF_A_FRAME = 8;
