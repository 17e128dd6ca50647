// Which tests are shown, in which order; the address remembers it, so that a view can be linked to.

/** The kinds that tests are counted and filtered by, worst first: each test has one. */
const KINDS = data("kinds");

/** How people read a kind. */
function wordsOfKind(kind) {
  return kind.replace("_", " ");
}

const ORDERS = {
  worst: ["worst first", (one, other) => rank(one) - rank(other) || one.number - other.number],
  run: ["as run", (one, other) => one.number - other.number],
  slowest: ["slowest first", (one, other) => (other.row.duration_ms ?? 0) - (one.row.duration_ms ?? 0) || one.number - other.number],
};

function rank({ row }) {
  return KINDS.indexOf(row.kind);
}

/** The words that are looked for. */
function wordsOf(text) {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** The keys of a story whose texts can be searched for: what was said and called, and what is wrong. */
const SEARCHED = new Set(["input", "text", "name", "args", "result", "value", "message", "seen", "expected", "asks"]);

/** What is said and called in a test, read when it is searched for the first time. */
function contentOf(test) {
  if (test.content === undefined) {
    const block = document.getElementById(`test-${test.number}`);
    if (!block) return "";
    const texts = [];
    const collect = (value, isSearched) => {
      if (typeof value === "string") {
        if (isSearched) texts.push(value);
      } else if (value && typeof value === "object") {
        for (const [key, inner] of Object.entries(value)) collect(inner, Array.isArray(value) ? isSearched : SEARCHED.has(key));
      }
    };
    collect(JSON.parse(block.textContent), false);
    test.content = texts.join("\n").toLowerCase();
  }
  return test.content;
}

/** What is looked for in a test first. */
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
    change: told.get("change") ?? "",
    tag: told.get("tag") ?? "",
    file: told.get("file") ?? "",
    target: told.get("target") ?? "",
    order: Object.hasOwn(ORDERS, told.get("order") ?? "") ? told.get("order") : "worst",
    test: told.get("test") ?? "",
  };
}

function addressOf({ words, kinds, change, tag, file, target, order, test }) {
  const told = new URLSearchParams();
  const all = { search: words, status: [...kinds].join(" "), change, tag, file, target, order: order === "worst" ? "" : order, test };
  for (const [name, text] of Object.entries(all)) if (text) told.set(name, text);
  return told.toString();
}

/** The tests of a choice, in its order. */
function chosen(tests, { words, kinds, change, tag, file, target, order }) {
  const parts = wordsOf(words);
  const fits = (test) => fitsRow(test) && parts.every((part) => test.words.includes(part) || contentOf(test).includes(part));
  const fitsRow = ({ row }) =>
    (kinds.size === 0 || kinds.has(row.kind)) &&
    (!change || row.change === change) &&
    (!tag || (row.tags ?? []).includes(tag)) &&
    (!file || row.file === file) &&
    (!target || row.target === target);
  return tests.filter(fits).sort(ORDERS[order][1]);
}
