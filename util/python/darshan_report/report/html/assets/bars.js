// Bars next to labels: operations, sizes, times.  They are HTML, which screen readers can read.

const SIZE_NAMES = ["0-100 B", "101 B-1 KiB", "1-10 KiB", "10-100 KiB", "100 KiB-1 MiB", "1-4 MiB", "4-10 MiB", "10-100 MiB", "100 MiB-1 GiB", "over 1 GiB"];

// rows: [label, [[kind, value], ...], text]; the parts of a row are drawn one after the other.
function bars(title, rows, note) {
  const whole = Math.max(...rows.map(([, parts]) => parts.reduce((sum, [, value]) => sum + value, 0)), 0);
  if (!(whole > 0)) return null;
  const lines = rows.map(([label, parts, words]) => {
    const strip = element("td", { class: "strip" });
    const box = element("div");
    for (const [kind, value] of parts) {
      if (!(value > 0)) continue;
      const piece = element("span", { class: `bar ${kind}` });
      piece.style.width = `${(100 * value) / whole}%`;
      box.append(piece);
    }
    strip.append(box);
    return element("tr", {}, element("th", { scope: "row" }, label), strip, element("td", { class: "right" }, words));
  });
  return element("figure", { class: "bars" }, element("figcaption", {}, element("b", {}, title), note ? ` ${note}` : null),
    element("table", {}, element("tbody", {}, ...lines)));
}

function sizeBars(title, read, written) {
  const rows = SIZE_NAMES.map((name, i) => {
    const [r, w] = [read[i] || 0, written[i] || 0];
    return [name, [["read", r], ["write", w]], `${count(r)} / ${count(w)}`];
  }).filter(([, parts]) => parts.some(([, value]) => value));
  return rows.length ? bars(title, rows, "reads / writes") : null;
}

function layerBars(run) {
  const times = run.layers.map((layer) => [
    layer.title,
    [["read", layer.read_seconds], ["write", layer.write_seconds], ["meta", layer.meta_seconds]],
    seconds(layer.read_seconds + layer.write_seconds + layer.meta_seconds),
  ]);
  const own = run.exclusive.map(([title, read, write, meta]) => [title, [["read", read], ["write", write], ["meta", meta]], seconds(read + write + meta)]);
  const found = [bars("Time in the calls of each layer", times, "including the calls below, all processes")];
  if (own.length) found.push(bars("Time of each layer itself", own, "without the calls below, so no second counts twice"));
  for (const layer of run.layers) {
    if (layer.operations.length) {
      found.push(bars(`${layer.title}: calls`, layer.operations.map(([name, number]) =>
        [name, [[name.includes("read") ? "read" : name.includes("write") ? "write" : "meta", number]], count(number)])));
    }
  }
  for (const layer of run.layers) found.push(sizeBars(`${layer.title}: sizes of transfers`, layer.sizes_read, layer.sizes_written));
  return element("div", { class: "figures-of-bars" }, ...found.filter(Boolean));
}
