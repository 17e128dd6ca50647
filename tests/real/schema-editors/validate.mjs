// Has validators read ananke's files and reports with the JSON Schemas, and yaml-language-server too what is wrong.
//
//   node validate.mjs SCHEMAS MISTAKES FILES CHECK_JSONSCHEMA
//
// FILES holds a folder for each schema; ajv (with ajv-formats) and check-jsonschema, both at their defaults, must find
// nothing in them. MISTAKES is a list of files with one mistake each, which each reader must find.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { parse, stringify } from "yaml";

import { start } from "./server.mjs";
import { validator } from "./validator.mjs";

const [schemas, list, files, checkJsonschema] = process.argv.slice(2);
let wrong = 0;
const fail = (message) => {
  wrong += 1;
  console.log(`FAIL ${message}`);
};

const schemaFile = (name) => join(schemas, `${name}.schema.json`);
const compiled = new Map();
/** What ajv finds in a file. */
const byAjv = (name, path) => {
  if (!compiled.has(name)) compiled.set(name, validator(schemas, name));
  return compiled.get(name)(parse(readFileSync(path, "utf8"), { merge: true }));
};
/** What check-jsonschema finds in files: the first problem of each that has one. */
const byCheckJsonschema = (name, paths) => {
  const arguments_ = ["--output-format", "json", "--schemafile", schemaFile(name), ...paths];
  const ran = spawnSync(checkJsonschema, arguments_, { encoding: "utf8", maxBuffer: 1 << 28 });
  const { errors, parse_errors: unread } = JSON.parse(ran.stdout || ran.stderr);
  const found = [...(unread ?? []), ...(errors ?? [])].map(({ filename, message }) => [filename, message]);
  return new Map(found.reverse());
};

let valid = 0;
for (const name of readdirSync(files)) {
  const paths = readdirSync(join(files, name)).map((file) => join(files, name, file));
  const found = byCheckJsonschema(name, paths);
  for (const path of paths) {
    const byEach = { ajv: byAjv(name, path), "check-jsonschema": found.get(path) };
    for (const [reader, problem] of Object.entries(byEach)) {
      if (problem !== undefined) fail(`${path}: ${reader} finds ${problem}`);
    }
    valid += 1;
  }
}

const HEADS = { test: { version: "1.4", name: "a" }, config: { version: "1.4" } };
const mistakes = parse(readFileSync(list, "utf8"));
const server = await start(schemas);
for (const name of Object.keys(HEADS)) {
  const folder = join(files, "..", "mistakes", name);
  mkdirSync(folder, { recursive: true });
  const texts = new Map();
  for (const { mistake, without = [], [name]: content } of mistakes.filter((entry) => name in entry)) {
    const file = { ...HEADS[name], ...content };
    for (const key of without) delete file[key];
    const path = join(folder, `${mistake.replaceAll(/[^a-z0-9]+/gi, "-")}.yaml`);
    texts.set(path, stringify(file));
    writeFileSync(path, texts.get(path));
  }
  const found = byCheckJsonschema(name, [...texts.keys()]);
  for (const [path, text] of texts) {
    const { problems } = await server.open(name, text);
    if (byAjv(name, path) === undefined) fail(`ajv does not find ${path}`);
    if (!found.has(path)) fail(`check-jsonschema does not find ${path}`);
    if (problems.length === 0) fail(`yaml-language-server does not find ${path}`);
  }
}
server.stop();
console.log(`${valid} files and reports, ${mistakes.length} mistakes, ${wrong} wrong`);
process.exit(wrong === 0 && valid > 0 && mistakes.length >= 30 ? 0 : 1);
