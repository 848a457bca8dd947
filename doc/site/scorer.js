// Decides what the answer of the search begins with: the counter, diagnosis or setting that was
// asked for by its name; then pages, by title and text; then names that hold the words.
var Scorer = {
  score: ([, title, , , score, , kind]) => {
    const asked = new URLSearchParams(location.search).get("q") || "";
    if (kind !== "object") return score;
    return title.toLowerCase() === asked.trim().toLowerCase() ? 1000 : score - 100;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
