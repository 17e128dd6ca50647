// What is wrong: a rule that does not hold, or why something could not be judged.

/** The findings of a story, numbered in its order; an event knows which of them rest on it. */
function numbered(story) {
  const all = [...story.turns.flatMap((turn) => turn.findings ?? []), ...(story.findings ?? [])];
  const known = new Map(all.map((finding, index) => [finding, index + 1]));
  const byEvent = new Map();
  for (const [finding, number] of known) {
    for (const event of finding.events ?? []) byEvent.set(event, [...(byEvent.get(event) ?? []), number]);
  }
  return { all, number: (finding) => known.get(finding), of: (event) => byEvent.get(event) ?? [] };
}

/** The badge with the number of a finding. */
function badge(number) {
  return make("span", { class: "badge" }, make("span", { class: "hidden" }, "finding "), String(number));
}

/** A rule that does not hold, with what stands in its file. */
function finding(found, number, id) {
  const words = make("div", { class: "words" }, make("p", { class: "message" }, badge(number), message(found.message)));
  const list = make("dl");
  const field = (name, ...nodes) => {
    if (nodes.length > 0) list.append(make("dt", {}, name), ...nodes.map((node) => make("dd", {}, node)));
  };
  if (found.expected) field("expected", message(found.expected));
  const seen = (found.seen ?? []).map((text) => said(text, "code", { class: "seen" }));
  if (found.more_seen) seen.push(`… and ${found.more_seen} more`);
  field("seen", ...seen);
  if (found.help) field("help", message(found.help));
  if (list.childElementCount > 0) words.append(list);
  if (found.difference) words.append(difference(found.difference));
  const parts = [words, source(found)];
  if (found.further) parts.push(make("p", { class: "note" }, `… and ${counted(found.further, "more finding")}`));
  return make("div", { class: "finding", id, tabindex: "-1", role: "group", "aria-label": `Finding ${number}` }, ...parts);
}

/** Where the rule is written: its file, its level and its lines. */
function source(found) {
  const rule = found.rule ? `${found.rule}` : "rule";
  const heading = make(
    "figcaption",
    {},
    make("span", { class: "rule" }, said(rule)),
    ` of the ${found.level} · `,
    said(`${found.file}:${found.line}`, "bdi", { class: "place" }),
  );
  if (!found.source) return make("figure", { class: "source" }, heading);
  const rows = found.source.map(({ number, text, meant }) =>
    make("span", { class: meant ? "row meant" : "row" }, make("i", {}, String(number)), said(text || " ", "code")),
  );
  const label = `Lines of ${line(found.file)}`;
  return make("figure", { class: "source" }, heading, make("pre", { tabindex: "0", role: "group", "aria-label": label }, ...rows));
}

/** The rules that hold, behind a click. */
function held(rules) {
  if (!rules) return undefined;
  const items = rules.map(({ wanted, rule, level, file, line }) =>
    make(
      "li",
      {},
      message(wanted),
      make("span", { class: "facts" }, said(rule), ` of the ${level} · `, said(`${file}:${line}`, "bdi", { class: "place" })),
    ),
  );
  const words = rules.length === 1 ? "1 rule holds" : `${rules.length} rules hold`;
  return make("details", { class: "held" }, make("summary", {}, words), make("ul", {}, ...items));
}

/** How two texts differ, line by line. */
function difference(text) {
  const names = { "+": "new", "-": "old", "@": "place" };
  const rows = text.trimEnd().split("\n").map((row) => said(row || " ", "span", { class: names[row[0]] ?? "same" }));
  return make("pre", { class: "difference", tabindex: "0", role: "group", "aria-label": "Difference" }, ...rows);
}

/** Why something could not be judged to its end. */
function problem({ kind, message: text, help }) {
  const words = make("p", { class: "message" }, make("span", { class: "kind" }, kind), " ", message(text));
  return make("div", { class: "finding problem" }, words, help ? make("p", { class: "help" }, message(help)) : undefined);
}
