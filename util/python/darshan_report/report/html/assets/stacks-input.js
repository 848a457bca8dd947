// Mouse and keys of the stacks, and the marks of frames that belong to a file or to a finding.

function listenToStacks(stacks) {
  const frameOf = (event) => {
    const item = event.target.closest("[data-frame]");
    return item ? Number(item.dataset.frame) : null;
  };
  stacks.holder.addEventListener("click", (event) => {
    const frame = frameOf(event);
    if (frame === null) return;
    stacks.show(frame);
    focusOn(stacks, frame);
  });
  stacks.holder.addEventListener("focusin", (event) => {
    const frame = frameOf(event);
    if (frame === null) return;
    for (const item of stacks.items.values()) item.tabIndex = -1;
    event.target.tabIndex = 0;
    stacks.tell(frame);
  });
  stacks.holder.addEventListener("keydown", (event) => {
    const frame = frameOf(event);
    const act = STACK_KEYS[event.key];
    if (frame === null || !act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(stacks, frame);
  });
}

function focusOn(stacks, frame) {
  const item = stacks.items.get(frame);
  if (item) item.focus({ preventScroll: false });
}

// Focuses the frame beside this one in its row.
function beside(stacks, frame, by) {
  const row = stacks.rows.find(([i]) => i === frame)[2];
  const same = stacks.rows.filter((one) => one[2] === row).sort((a, b) => a[1] - b[1]).map(([i]) => i);
  focusOn(stacks, same[Math.min(same.length - 1, Math.max(0, same.indexOf(frame) + by))]);
}

function showAndFocus(stacks, frame) {
  stacks.show(frame);
  focusOn(stacks, frame);
}

const STACK_KEYS = {
  ArrowUp: (stacks, frame) => focusOn(stacks, Math.max(0, stacks.frames[frame][FRAME_PARENT])),
  ArrowDown: (stacks, frame) => focusOn(stacks, stacks.below[frame].find((i) => stacks.items.has(i))),
  ArrowLeft: (stacks, frame) => beside(stacks, frame, -1),
  ArrowRight: (stacks, frame) => beside(stacks, frame, 1),
  Enter: showAndFocus,
  " ": showAndFocus,
  Escape: (stacks) => showAndFocus(stacks, Math.max(0, stacks.frames[stacks.top][FRAME_PARENT])),
  Home: (stacks) => showAndFocus(stacks, 0),
};

// Marks frames, and says of what they are.
Stacks.prototype.mark = function mark(frames, words) {
  this.marked = frames;
  this.clear.hidden = !frames.size;
  this.show(0);
  if (words) this.detail.prepend(element("p", { class: "strong" }, words));
};

Stacks.prototype.markFile = function markFile(file) {
  const found = new Set(this.frames.map((_, i) => i).filter((i) => i > 0 && this.used[i].has(file)));
  this.mark(found, `Marked: ${count(found.size)} ${found.size === 1 ? "frame" : "frames"} whose calls used ${this.files[file][0]}, as far as the log knows: it keeps four files of each stack.`);
};

Stacks.prototype.markFinding = function markFinding(number) {
  const row = this.findings.find(([finding]) => finding === number);
  if (!row) return;
  const found = new Set(this.frames.map((_, i) => i).filter((i) => this.file(i) === row[1] && this.frames[i][FRAME_LINE] === row[2]));
  this.mark(found, found.size
    ? `Marked: the line of the finding "${this.run.findings[number]}", in ${count(found.size)} ${found.size === 1 ? "place" : "places"}.`
    : `The line of the finding "${this.run.findings[number]}" is among the smaller frames.`);
};

// Marks what an address names: "finding-0", or "file-3", which is the page of a file.
Stacks.prototype.follow = function follow(name) {
  const finding = /^finding-(\d+)$/.exec(name);
  if (finding) this.markFinding(Number(finding[1]));
  const file = this.files.findIndex(([, page]) => page === name);
  if (file >= 0) this.markFile(file);
};

// Adds to the findings whose line is known a link to its frames.
Stacks.prototype.linkFindings = function linkFindings() {
  for (const [number] of this.findings) {
    const finding = document.getElementById(`${this.prefix}-finding-${number}`);
    const link = element("a", { href: `#${this.prefix}-stacks-finding-${number}` }, "Show it in the stacks");
    const sentence = finding && finding.querySelector("p.at-line");
    if (sentence) sentence.append(" ", link, ".");
  }
};
