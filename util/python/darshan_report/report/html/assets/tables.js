// Tables that the user can sort and filter.  columns: [title, kind, show], where kind is "name"
// (text), "when" (a date with a link), "path", "text", "long" (text that wraps), "date" (text) or
// "number"; rows: arrays of values; link(row number): target of the name, or null.

const ROWS_AT_ONCE = 50;

function compared(a, b) {
  if (typeof a === "string" || typeof b === "string") return String(a).localeCompare(String(b), "en");
  const large = (value) => (value === null || value === undefined ? Infinity : value); // "all"
  return large(a) - large(b);
}

class SortedTable {
  constructor(node, columns, rows, link, note) {
    this.columns = columns;
    this.rows = rows;
    this.link = link;
    this.order = rows.map((_, i) => i);
    this.limit = ROWS_AT_ONCE;
    this.heads = columns.map(([title, kind], place) => this.head(title, kind, place));
    this.body = element("tbody");
    this.status = element("span", { role: "status" });
    this.more = button("Show more", "Show more rows", () => { this.limit += 4 * ROWS_AT_ONCE; this.fill(); });
    const filter = element("input", {
      type: "search", placeholder: "Filter", "aria-label": "Filter the rows by words",
      oninput: (event) => { this.words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean); this.limit = ROWS_AT_ONCE; this.fill(); },
    });
    this.words = [];
    node.append(
      element("div", { class: "controls" }, rows.length > 5 ? filter : null, this.status),
      element("div", { class: "scroll", tabindex: "0" },
        element("table", { class: "sorted" }, element("thead", {}, element("tr", {}, ...this.heads)), this.body)),
      this.more,
      ...(note ? [element("p", { class: "note" }, note)] : []),
    );
    this.fill();
  }

  head(title, kind, place) {
    const label = element("button", { type: "button", onclick: () => this.sort(place) }, title);
    return element("th", { scope: "col", class: kind === "number" ? "right" : "" }, label);
  }

  sort(place) {
    const down = this.by === place ? !this.down : this.columns[place][1] === "number";
    [this.by, this.down] = [place, down];
    const sign = down ? -1 : 1;
    this.order.sort((a, b) => sign * compared(this.rows[a][place], this.rows[b][place]) || a - b);
    this.heads.forEach((head, i) => {
      if (i === place) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    this.fill();
  }

  shown(row) {
    return this.columns.map(([, , show], place) => (show ? show(row[place], row) : String(row[place])));
  }

  matches(row) {
    if (!this.words.length) return true;
    const text = this.shown(row).join(" ").toLowerCase();
    return this.words.every((word) => text.includes(word));
  }

  fill() {
    const found = this.order.filter((i) => this.matches(this.rows[i]));
    this.body.replaceChildren(...found.slice(0, this.limit).map((i) => this.line(i)));
    const left = found.length - Math.min(found.length, this.limit);
    this.more.hidden = left === 0;
    const all = this.rows.length;
    const word = all === 1 ? "row" : "rows";
    this.status.textContent = found.length === all ? `${count(all)} ${word}` : `${count(found.length)} of ${count(all)} ${word}`;
  }

  line(number) {
    const cells = this.shown(this.rows[number]).map((text, place) => {
      const kind = this.columns[place][1];
      const target = (kind === "name" || kind === "when") && this.link ? this.link(number) : null;
      const inside = target ? element("a", { href: target }, text) : text;
      return element(place === 0 ? "th" : "td", { scope: place === 0 ? "row" : null, class: { number: "right", name: "code", date: "date", path: "code", long: "long", when: "code date" }[kind] || "" }, inside);
    });
    return element("tr", {}, ...cells);
  }
}
