// Reads the data, fills the elements for diagrams and tables, and follows the links between them.

const holder = document.getElementById("data");
const everything = JSON.parse(holder.textContent);
holder.remove(); // its text is large and no longer needed
const main = document.getElementById("main");
const own = document.getElementById("page");
const places = document.getElementById("places");

function fillRun(run, number) {
  const prefix = `r${number}`;
  const node = (name) => document.getElementById(`${prefix}-${name}`);
  makePicture(node("picture"), run.picture);
  if (run.lanes) makeTrainingLanes(node("training-lanes"), run.lanes);
  if (run.timeline) run.shownLine = new Timeline(node("timeline-table"), run.timeline);
  const link = (table, kind) => (i) => (table.details.pages[i] ? `#${prefix}-${kind}-${i}` : null);
  fileTable(node("files-table"), run.files, link(run.files, "file"), "");
  fileTable(node("datasets-table"), run.datasets, link(run.datasets, "dataset"), "");
  if (run.stacks) {
    run.shownStacks = new Stacks(node("stacks"), run.stacks, prefix, run);
    run.shownStacks.linkFindings();
  }
  if (node("bars")) node("bars").append(layerBars(run));
}

function listPlaces() {
  const parts = [...document.querySelectorAll("section.part")].filter((part) => everything.runs.length < 2 || part.id.startsWith("r0-"));
  if (everything.runs.length > 1 || !places) return;
  places.append(element("ul", {}, ...parts.map((part) =>
    element("li", {}, element("a", { href: `#${part.id}` }, part.querySelector("h2").textContent)))));
}

// Shows the part of the report or the page of a file that the address names.
function follow() {
  const match = /^#(r\d+)-(file|dataset)-(\d+)$/.exec(location.hash);
  const run = match && own && everything.runs[Number(match[1].slice(1))];
  const made = run ? pageOf(run, match[1], match[2], Number(match[3])) : null;
  main.classList.toggle("apart", Boolean(made));
  if (own) own.replaceChildren(...(made || []));
  if (made) {
    scrollTo(0, 0);
    own.querySelector("h1").focus({ preventScroll: true });
    return;
  }
  const marks = /^#(r\d+)-stacks-(\w+-\d+)$/.exec(location.hash);
  const graph = marks && everything.runs[Number(marks[1].slice(1))]?.shownStacks;
  if (graph) graph.follow(marks[2]);
  const name = graph ? `${marks[1]}-stacks` : location.hash.slice(1);
  const target = name && document.getElementById(name);
  if (!target) return;
  for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
  const inside = target.querySelector(":scope > details");
  if (inside) inside.open = true;
  target.scrollIntoView();
}

// Draws the diagrams of two compared runs with the same time axis.
function fillCompared() {
  const end = Math.max(...everything.runs.map((run) => run.picture.end));
  everything.runs.forEach((run, place) => {
    run.picture.end = end;
    makePicture(document.getElementById(`compared-${place}`), run.picture, "");
  });
}

if (everything.compared) fillCompared();
everything.runs.forEach(fillRun);
if (everything.campaign) makeCampaign(everything.campaign);
listPlaces();
addEventListener("hashchange", follow);
follow();
document.documentElement.dataset.ready = "yes";
