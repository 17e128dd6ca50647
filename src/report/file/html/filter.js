// Which tests are shown, in which order; the address remembers it, so that a view can be linked to.

/** The kinds that tests are filtered by, worst first. */
const KINDS = ["failed", "error", "timeout", "quarantined", "flaky", "passed", "skipped"];

/** What kind a test is of: those in quarantine that did not pass are a kind of their own, as in the counts. */
function kindOf(row) {
  return row.quarantined && isBad(row) ? "quarantined" : row.status;
}

function isOfKind(row, kind) {
  return kind === "flaky" ? row.flaky === true && !row.quarantined : kindOf(row) === kind;
}

const ORDERS = {
  worst: ["worst first", (one, other) => rank(one) - rank(other) || one.number - other.number],
  run: ["as run", (one, other) => one.number - other.number],
  slowest: ["slowest first", (one, other) => other.row.duration_ms - one.row.duration_ms || one.number - other.number],
};

function rank({ row }) {
  return row.flaky && !row.quarantined ? KINDS.indexOf("flaky") : KINDS.indexOf(kindOf(row));
}

/** What is looked for in a test. */
function haystack(row) {
  const { id, name, file, target, headline = "", tags = [], tools = [] } = row;
  return [id, name, file, target, headline, ...tags, ...tools].join("\n").toLowerCase();
}

/** The choice that the address tells. */
function choiceOf(hash) {
  const told = new URLSearchParams(hash.replace(/^#/, ""));
  return {
    words: told.get("search") ?? "",
    kinds: new Set((told.get("status") ?? "").split(" ").filter((kind) => KINDS.includes(kind))),
    tag: told.get("tag") ?? "",
    file: told.get("file") ?? "",
    target: told.get("target") ?? "",
    order: Object.hasOwn(ORDERS, told.get("order") ?? "") ? told.get("order") : "worst",
    test: told.get("test") ?? "",
  };
}

function addressOf({ words, kinds, tag, file, target, order, test }) {
  const told = new URLSearchParams();
  const all = { search: words, status: [...kinds].join(" "), tag, file, target, order: order === "worst" ? "" : order, test };
  for (const [name, text] of Object.entries(all)) if (text) told.set(name, text);
  return told.toString();
}

/** The tests of a choice, in its order. */
function chosen(tests, { words, kinds, tag, file, target, order }) {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ row, words: own }) =>
    (kinds.size === 0 || [...kinds].some((kind) => isOfKind(row, kind))) &&
    (!tag || (row.tags ?? []).includes(tag)) &&
    (!file || row.file === file) &&
    (!target || row.target === target) &&
    parts.every((part) => own.includes(part));
  return tests.filter(fits).sort(ORDERS[order][1]);
}
