// What is wrong: a rule that failed, or why something could not be evaluated.

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

/** A rule that failed, with its lines in its file. */
function finding(found, number, id) {
  const words = make("div", { class: "words" }, make("p", { class: "message" }, badge(number), message(found.message)));
  const list = make("dl");
  const field = (name, ...nodes) => {
    if (nodes.length > 0) list.append(make("dt", {}, name), ...nodes.map((node) => make("dd", {}, node)));
  };
  const seen = (found.seen ?? []).map((text) => unequal(text, found.differences ?? []));
  if (found.more_seen) seen.push(`… and ${found.more_seen} more`);
  field("seen", ...seen);
  field("judge", ...(found.judge ?? []).map((text) => message(text)));
  if (found.expected) field("expected", message(found.expected));
  if (found.help) field("help", message(found.help));
  if (found.difference) words.append(difference(found.difference));
  if (list.childElementCount > 0) words.append(list);
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

/** The rules that a trace does not show, each with what is missing. */
function notShown(rules) {
  const items = rules.map(({ expected, message: lacks, rule, level, file, line }) =>
    make(
      "li",
      {},
      make("b", {}, "not shown"),
      message(expected),
      make("span", { class: "lacks" }, message(lacks)),
      make("span", { class: "facts" }, said(rule), ` of the ${level} · `, said(`${file}:${line}`, "bdi", { class: "place" })),
    ),
  );
  return make("ul", { class: "not-shown", "aria-label": "Rules that the trace does not show" }, ...items);
}

/** The rules that passed, collapsed. */
function passed(rules) {
  if (!rules) return undefined;
  const items = rules.map(({ expected, measured, judge, rule, level, file, line }) =>
    make(
      "li",
      {},
      message(expected),
      measured ? make("b", { class: "measured" }, `: ${measured}`) : undefined,
      make("span", { class: "facts" }, said(rule), ` of the ${level} · `, said(`${file}:${line}`, "bdi", { class: "place" })),
      ...(judge ?? []).map((text) => make("p", { class: "judge" }, "judge ", message(text))),
    ),
  );
  const judged = rules.filter(({ judge }) => judge).length;
  const all = `${counted(rules.length, "rule")} passed`;
  const words = judged > 0 ? `${all}, ${judged} by a judge` : all;
  return make("details", { class: "held" }, make("summary", {}, words), make("ul", {}, ...items));
}

/** How two texts differ, line by line: what was expected, and what was seen instead. In lines that are alike, the characters that differ are marked. */
function difference(text) {
  const names = { "+": "new", "-": "old", "@": "place" };
  const lines = text.trimEnd().split("\n").filter((line) => !line.startsWith("@@ -1,"));
  const marks = marked(lines);
  const rows = lines.map((line, index) => {
    const [start, end] = marks.get(index) ?? [0, 0];
    const parts = end > start ? [said(line.slice(0, start), "span"), said(line.slice(start, end), "mark"), said(line.slice(end), "span")] : [said(line || " ", "span")];
    return make("span", { class: names[line[0]] ?? "same" }, ...parts);
  });
  const legend = make("span", { class: "sides" }, make("span", { class: "old" }, "- expected"), "  ", make("span", { class: "new" }, "+ seen"));
  return make("pre", { class: "difference", tabindex: "0", role: "group", "aria-label": "Difference" }, legend, ...rows);
}

/** By the index of a line, where it differs from the line that it replaces or is replaced by; none where they have little in common. */
function marked(lines) {
  const marks = new Map();
  const run = (from, sign) => {
    let end = from;
    while (lines[end]?.startsWith(sign)) end += 1;
    return end;
  };
  for (let from = 0; from < lines.length; ) {
    const middle = run(from, "-");
    const end = run(middle, "+");
    for (let index = 0; index < Math.min(middle - from, end - middle); index += 1) {
      const [old, now] = [lines[from + index], lines[middle + index]];
      const least = Math.min(old.length, now.length);
      let [start, behind] = [1, 0];
      while (start < least && old[start] === now[start]) start += 1;
      while (behind < least - start && old.at(-1 - behind) === now.at(-1 - behind)) behind += 1;
      if ((start - 1 + behind) * 2 < least - 1) continue;
      marks.set(from + index, [start, old.length - behind]).set(middle + index, [start, now.length - behind]);
    }
    from = Math.max(end, from + 1);
  }
  return marks;
}

/** What was seen; where a value differs, what was found in red and what was expected in green. */
function unequal(text, differences) {
  const element = make("code", { class: "seen" });
  let rest = text;
  for (;;) {
    const places = differences.map(([found, expected]) => ({ found, expected, at: rest.indexOf(`${found} ≠ ${expected}`) }));
    const [next] = places.filter(({ at }) => at >= 0).sort((one, other) => one.at - other.at);
    if (!next) break;
    const { found, expected, at } = next;
    element.append(said(rest.slice(0, at), "span"), said(found, "span", { class: "wrong" }), " ≠ ", said(expected, "span", { class: "right" }));
    rest = rest.slice(at + found.length + 3 + expected.length);
  }
  element.append(said(rest, "span"));
  return element;
}

/** Why something could not be evaluated to its end. */
function problem({ kind, message: text, help }) {
  // The message of a hook or a script begins with its name.
  const name = text.startsWith(kind) ? undefined : make("span", { class: "kind" }, `${kind} `);
  const words = make("p", { class: "message" }, name, message(text));
  return make("div", { class: "finding problem" }, words, help ? make("p", { class: "help" }, message(help)) : undefined);
}
