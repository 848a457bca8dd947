// Elements of the page.  Text of a log becomes a text node or an attribute's value, never markup.

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function button(text, label, action) {
  return element("button", { type: "button", "aria-label": label, title: label, onclick: action }, text);
}

// Returns the colours of the style sheet for drawings; called again when the theme changes.
function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: of("ink"), soft: of("soft"), grid: of("grid"), paper: of("paper"), mark: of("mark"),
    read: of("read"), write: of("write"), meta: of("meta"),
    layers: ["layer0", "layer1", "layer2", "layer3", "layer4", "layer5"].map(of),
  };
}

const repaints = [];

// Calls paint now, and again when the width of a node or the theme changes.
function painted(node, paint) {
  let width = 0;
  new ResizeObserver(() => {
    if (node.clientWidth && node.clientWidth !== width) {
      width = node.clientWidth;
      paint();
    }
  }).observe(node);
  repaints.push(() => node.clientWidth && paint());
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const paint of repaints) paint();
});
