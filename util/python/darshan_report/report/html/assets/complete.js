// Completes names in the fields of the form: a list of names that begin like the typed text, from
// the server.  Names are text nodes and values, never markup.

const COMPLETED = ["user", "program", "mount", "path"];
const PAUSE = 150; // milliseconds without a key, after which the server is asked

class Completion {
  constructor(input) {
    this.input = input;
    this.names = [];
    this.at = -1;
    this.asking = null;
    this.timer = 0;
    const id = `names-of-${input.name}`;
    this.list = element("ul", { id, role: "listbox", class: "names", hidden: true, "aria-label": "names that begin so" });
    for (const [name, value] of [["role", "combobox"], ["autocomplete", "off"], ["aria-autocomplete", "list"], ["aria-expanded", "false"], ["aria-controls", id]]) input.setAttribute(name, value);
    input.parentNode.append(this.list);
    input.addEventListener("input", () => this.later());
    input.addEventListener("keydown", (event) => this.key(event));
    input.addEventListener("blur", () => this.close());
  }

  later() {
    clearTimeout(this.timer);
    this.close();
    this.timer = setTimeout(() => this.ask(), PAUSE);
  }

  async ask() {
    if (this.asking) this.asking.abort();
    const mine = (this.asking = new AbortController());
    const query = new URLSearchParams({ field: this.input.name, name: this.input.value });
    try {
      const reply = await fetch(`complete?${query}`, { signal: mine.signal, credentials: "same-origin" });
      const names = reply.ok ? await reply.json() : [];
      if (mine === this.asking) this.show(names);
    } catch {
      // The field works without a list.
    }
  }

  show(names) {
    this.names = names.filter((name) => name !== this.input.value);
    this.at = -1;
    this.list.replaceChildren(...this.names.map((name, i) => element("li", { role: "option", id: `${this.list.id}-${i}`, "aria-selected": "false", onmousedown: (event) => {
      event.preventDefault(); // the field keeps the focus
      this.take(i);
    } }, name)));
    const open = this.names.length > 0 && document.activeElement === this.input;
    this.list.hidden = !open;
    this.list.classList.remove("right");
    this.list.classList.toggle("right", this.list.getBoundingClientRect().right > document.documentElement.clientWidth);
    this.input.setAttribute("aria-expanded", String(open));
    this.input.removeAttribute("aria-activedescendant");
  }

  close() {
    clearTimeout(this.timer);
    if (this.asking) this.asking.abort();
    this.asking = null;
    this.show([]);
  }

  take(i) {
    this.input.value = this.names[i];
    this.close();
    if (this.input.value.endsWith("/")) this.ask();
  }

  move(to) {
    const items = this.list.children;
    if (this.at >= 0) items[this.at].setAttribute("aria-selected", "false");
    this.at = (to + items.length) % items.length;
    items[this.at].setAttribute("aria-selected", "true");
    items[this.at].scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", items[this.at].id);
  }

  key(event) {
    if (this.list.hidden) {
      if (event.key === "ArrowDown") this.ask();
      return;
    }
    if (event.key === "ArrowDown") this.move(this.at + 1);
    else if (event.key === "ArrowUp") this.move(this.at < 0 ? -1 : this.at - 1);
    else if (event.key === "Escape") this.close();
    else if (event.key === "Enter" && this.at >= 0) this.take(this.at);
    else return;
    event.preventDefault();
  }
}

for (const name of COMPLETED) {
  const input = document.querySelector(`form.filters input[name=${name}]`);
  if (input) new Completion(input);
}
