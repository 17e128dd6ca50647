// Applies every completion that editors offer in ananke's files, at every kind of place in every block.
//
//   node complete.mjs SCHEMAS ANANKE WORK
//
// yaml-language-server is asked in configs and test files, and the library of VS Code's JSON language server in a line of a case
// file. Nothing may be offered twice at a place. Each item is applied, with the default of each tab stop. Then the file must be
// one that ajv and `ananke check` allow, or have blanks alone: what is left to write is a value without a default, a name or a
// file of the user's, and what else a block needs (`LEFT`). The schemas in SCHEMAS/program say what the blocks are.
import { join } from "node:path";

import { parseDocument } from "yaml";

import { askedInJson } from "./complete-json.mjs";
import { check } from "./check.mjs";
import { BLANK, Language, withoutStops } from "./language.mjs";
import { CURSOR, positions } from "./positions.mjs";
import { start, warm } from "./server.mjs";
import { validator } from "./validator.mjs";

const [schemas, ananke, work] = process.argv.slice(2);
/** The kind of an item that is a key, in the language server protocol. */
const KEY = 10;
/** The most questions at a time. */
const TOGETHER = 32;

const failures = [];
const counts = new Map();
const files = new Map();

/** Counts what is offered at a position, and finds what is offered twice. */
function counted(language, { kind, at }, items) {
  const name = `${language.kind === "case" ? "JSON" : "YAML"}: ${kind}`;
  const count = counts.get(name) ?? { places: 0, "with items": 0, items: 0, failures: 0 };
  counts.set(name, count);
  count.places += 1;
  count.items += items.length;
  if (items.length > 0) count["with items"] += 1;
  const labels = items.map(({ label }) => label);
  const fail = (label, why) => {
    count.failures += 1;
    failures.push(`${language.kind} ${at}, ${kind}: \`${label}\` ${why}`);
  };
  for (const label of new Set(labels.filter((label, index) => labels.indexOf(label) !== index))) fail(label, "is offered twice");
  return fail;
}

/** Takes the file that an item makes, if it is one. */
function take(language, validate, position, label, fail, value) {
  const filled = language.filled(value);
  const problem = validate(filled);
  if (problem !== undefined) return fail(label, `makes a file that is wrong: ${problem}`);
  files.set(language.kind + JSON.stringify(filled), {
    kind: language.kind,
    value: filled,
    from: `${language.kind} ${position.at}, ${position.kind}: \`${label}\``,
  });
  return undefined;
}

/** The text of a file after an item, as an editor changes it. A key that has no value yet has a blank. */
function applied(text, item) {
  const { range, newText } = item.textEdit;
  let inserted = withoutStops(newText, BLANK);
  if (item.kind === KEY && !inserted.includes(":")) inserted += ":";
  if (/:\s*$/.test(inserted)) inserted = `${inserted.trimEnd()} ${BLANK}`;
  const lines = text.split("\n");
  const [first, last] = [lines[range.start.line], lines[range.end.line]];
  // As editors do, lines after the first are indented like the line of the cursor.
  inserted = inserted.replaceAll("\n", `\n${/^ */.exec(first)[0]}`);
  const line = first.slice(0, range.start.character) + inserted + last.slice(range.end.character);
  lines.splice(range.start.line, range.end.line - range.start.line + 1, line);
  return lines.join("\n");
}

/** Asks in the files of a kind. */
async function askInYaml(server, language, without) {
  const validate = validator(schemas, language.kind);
  const ask = async (position) => {
    const at = position.text.indexOf(CURSOR);
    const text = position.text.replace(CURSOR, "");
    const before = position.text.slice(0, at).split("\n");
    const { uri } = server.show(language.kind, text);
    const cursor = { line: before.length - 1, character: before.at(-1).length };
    const found = await server.ask("textDocument/completion", { textDocument: { uri }, position: cursor });
    server.close(uri);
    const items = found?.items ?? found ?? [];
    const fail = counted(language, position, items);
    checkTypes(position, items, fail);
    for (const item of items) {
      if (JSON.stringify(item).includes("[object Object]")) {
        fail(item.label, "has `[object Object]`");
        continue;
      }
      const made = applied(text, item);
      const document = parseDocument(made);
      if (document.errors.length > 0) fail(item.label, `makes a file that is no YAML: ${document.errors[0].message.split("\n")[0]}`);
      else take(language, validate, position, item.label, fail, document.toJS());
    }
  };
  const all = positions(language, without);
  for (let index = 0; index < all.length; index += TOGETHER) {
    await Promise.all(all.slice(index, index + TOGETHER).map(ask));
  }
}

/** Finds entries of a target that are not those of its type, or without a type, more than what chooses it. */
function checkTypes({ kind, at, mapping }, items, fail) {
  if (!/^(target|targets\.A)(\(\w+\))?$/.test(at) || kind.includes("value")) return;
  const allowed = kind.includes("another key") || kind.includes("comma") ? Object.keys(mapping.properties) : ["type", "extends"];
  for (const { label } of items.filter(({ label }) => !allowed.includes(label))) fail(label, "is no key of this type of target");
}

const begun = performance.now();
const server = await start(schemas);
const program = join(schemas, "program");
const test = new Language(program, "test");
await warm(server);
await askInYaml(server, test);
// What configs have in common with tests is asked there.
await askInYaml(server, new Language(program, "config"), test);
server.stop();

const cases = new Language(program, "case");
const validate = validator(schemas, "case");
for await (const { position, items } of askedInJson(cases, join(schemas, "case.schema.json"))) {
  const fail = counted(cases, position, items);
  for (const { label, made } of items) {
    let value;
    try {
      value = JSON.parse(made);
    } catch (error) {
      fail(label, `makes a line that is no JSON: ${error.message}: ${made}`);
      continue;
    }
    take(cases, validate, position, label, fail, value);
  }
}
const asked = performance.now();
failures.push(...(await check([...files.values()], ananke, join(work, "completed"))));

console.table(Object.fromEntries(counts));
for (const failure of failures.slice(0, 40)) console.log(`FAIL ${failure}`);
const seconds = (from, to) => `${((to - from) / 1000).toFixed(0)} s`;
const places = [...counts.values()].reduce((sum, { places }) => sum + places, 0);
console.log(
  `${places} places asked in ${seconds(begun, asked)}, ${files.size} files checked in ` +
    `${seconds(asked, performance.now())}, ${failures.length} wrong`,
);
process.exit(failures.length === 0 && places >= 2000 ? 0 : 1);
