// The places of a YAML file where an editor is asked for completions: every kind of place in every block.
import { offeredKeys, onlyKey, tag } from "./language.mjs";

/** The keys at the top of every file. */
export const HEADS = { test: { version: "1.4", name: "a" }, config: { version: "1.4" } };
/** The mark of the cursor. */
export const CURSOR = "▮";

const inFlow = (value) => {
  if (Array.isArray(value)) return `[${value.map(inFlow).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{ ${entries(value).join(", ")} }`;
};
const entries = (mapping) =>
  Object.entries(mapping).map(([key, value]) => `${/^[\w.-]+$/.test(key) ? key : JSON.stringify(key)}: ${inFlow(value)}`);

/** The lines of a file up to a block, which is in block style. */
class Lines {
  constructor(language, steps) {
    this.all = [];
    this.indent = "";
    // The dashes of entries that have begun on the line to come.
    this.dash = "";
    for (const [index, { key, mapping, name }] of steps.entries()) {
      if (key !== undefined) {
        const present = index === 0 ? HEADS[language.kind] : {};
        entries(language.nextTo(mapping, key, present)).forEach((entry) => this.add(entry));
      }
      if (key === undefined && name === undefined) {
        this.dash = `${this.dash || this.indent}- `;
        this.indent += "  ";
      } else {
        this.add(`${key ?? name}:`);
        this.indent += "  ";
      }
    }
  }

  add(text) {
    this.all.push((this.dash || this.indent) + text);
    this.dash = "";
  }

  /** Adds what is the value of the last key, or the entry that has begun. */
  addHere(text) {
    if (this.dash === "") this.all[this.all.length - 1] += ` ${text}`;
    else this.add(text);
  }
}

/** Every position: a text with a cursor, its kind, and what it is about. */
export function positions(language, without) {
  const found = [];
  for (const { mappings, steps } of language.blocks(without)) {
    for (const mapping of mappings) found.push(...ofBlock(language, steps, mapping, mapping === mappings[0]));
  }
  return found;
}

/** The positions in a block that is this mapping; with `isFirst`, also those at which it could be another one. */
function ofBlock(language, steps, mapping, isFirst) {
  const found = [];
  const isRoot = steps.length === 0;
  const form = tag(mapping) ?? onlyKey(mapping);
  const path = steps.map(({ key, name }) => key ?? name ?? "[]").join(".");
  const at = form === undefined ? path : `${path}(${form})`;
  const add = (kind, write, key) => {
    const lines = new Lines(language, steps);
    write(lines);
    found.push({ kind, at: key === undefined ? at : `${at}.${key}`, mapping, key, text: `${lines.all.join("\n")}\n` });
  };
  const head = isRoot ? HEADS[language.kind] : {};
  const keys = Object.keys(mapping.properties);
  if (isFirst && !isRoot) {
    add("block, empty", (lines) => lines.add(CURSOR));
    add("flow, empty", (lines) => lines.addHere(`{ ${CURSOR} }`));
    add("flow, a letter", (lines) => lines.addHere(`{ ${keys[0][0]}${CURSOR} }`));
    add("flow, over lines", (lines) => {
      const isEntry = lines.dash !== "";
      lines.addHere("{");
      lines.add(`${isEntry ? "  " : ""}${CURSOR}`);
      lines.all.push(`${isEntry ? lines.indent : lines.indent.slice(2)}}`);
    });
  }
  if (isRoot) add("block, empty", (lines) => [`version: "1.4"`, CURSOR].forEach((text) => lines.add(text)));
  // Of keys of which the mapping needs one, each.
  const alternatives = [...language.alternatives(mapping), ...(keys.includes("tests") ? ["tests"] : [])];
  for (const key of onlyKey(mapping) !== undefined ? [] : alternatives.length > 0 ? alternatives : [undefined]) {
    const value = key === undefined ? {} : { [key]: language.least(mapping.properties[key], key) };
    const present = key === "tests" ? { version: "1.4", ...value } : language.complete(mapping, { ...head, ...value });
    const known = entries(present);
    if (known.length === 0) continue;
    add("block, another key", (lines) => [...known, CURSOR].forEach((text) => lines.add(text)));
    if (isRoot) continue;
    const letter = (keys.find((name) => !(name in present)) ?? keys[0])[0];
    add("flow, a comma", (lines) => lines.addHere(`{ ${known.join(", ")}, ${CURSOR} }`));
    add("flow, a comma and a letter", (lines) => lines.addHere(`{ ${known.join(", ")}, ${letter}${CURSOR} }`));
  }
  for (const [key, property] of offeredKeys(mapping)) {
    const isType = key === "type" && form !== undefined;
    // The other keys depend on the type.
    if (isType && !isFirst) continue;
    const others = isType ? [] : entries(language.nextTo(mapping, key, head));
    const addValue = (kind, texts) => add(kind, (lines) => [...others, ...texts].forEach((text) => lines.add(text)), key);
    addValue("value, block", [`${key}: ${CURSOR}`]);
    if (!isRoot) {
      const all = [...others, `${key}: ${CURSOR}`].join(", ");
      add("value, flow", (lines) => lines.addHere(`{ ${all}}`), key);
    }
    const list = language.forms(property).find(({ items }) => items !== undefined);
    if (list === undefined) continue;
    const [example] = property.examples ?? [];
    const first = inFlow(Array.isArray(example) ? example[0] : language.least(list.items));
    addValue("entry, block", [`${key}:`, `  - ${CURSOR}`]);
    addValue("entry, block, the second", [`${key}:`, `  - ${first}`, `  - ${CURSOR}`]);
    addValue("entry, flow", [`${key}: [${CURSOR}]`]);
    addValue("entry, flow, the second", [`${key}: [${first}, ${CURSOR}]`]);
    if (language.forms(list.items).some(({ properties }) => properties !== undefined)) {
      addValue("entry, flow, empty", [`${key}: [{ ${CURSOR} }]`]);
    }
  }
  return found;
}
