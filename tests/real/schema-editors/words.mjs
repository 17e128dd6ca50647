// Reads every hover and many messages of yaml-language-server: what an editor says uses the words of its readers.
//
//   node words.mjs SCHEMAS
//
// The hover of a key begins with what the key means, also if its value is one of several words. A hover is headed by the key or
// by the keys of the mapping. Messages call a value by its type in JSON, or by the keys of the mapping; no name of a type of the
// program occurs.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Language, onlyKey, tag } from "./language.mjs";
import { CURSOR, positions } from "./positions.mjs";
import { start, warm } from "./server.mjs";

const [schemas] = process.argv.slice(2);
const TYPES = ["string", "array", "object", "boolean", "integer", "number", "null"];
/** Values that are wrong for most keys. */
const WRONG = [": [[true]]", ": { zz: 1 }", ": -0.5"];
/** The most files at a time. */
const TOGETHER = 200;

const failures = [];
let hovers = 0;
let messages = 0;

/** Words for kinds of values. */
const KINDS = ["text", "list", "whole number", "number", "true or false", "variable", "mapping", "word", "false", "true"];

/** Whether a mapping is called by its keys, a file by its name, or a value by its kind. */
const isCalledWell = (name) =>
  KINDS.includes(name) || /^\{ .* \}$/.test(name) || /^ananke (project config|test file)$/.test(name);
/** A text without what Markdown needs. */
const plain = (text) => text.replaceAll(/\\(.)/g, "$1").replaceAll(/\s+/g, " ");

function checkMessage(where, { message, source }, keys) {
  messages += 1;
  for (const [, expected] of message.matchAll(/Expected "(.*)"/g)) {
    for (const name of expected.split(" | ")) {
      if (!TYPES.includes(name) && !isCalledWell(name)) failures.push(`${where}: \`${name}\` in \`${message}\``);
    }
  }
  for (const name of source.replace("yaml-schema: ", "").split(" | ")) {
    if (!keys.has(name) && !isCalledWell(name)) failures.push(`${where}: the source \`${name}\``);
  }
}

async function read(server, language, without) {
  const all = positions(language, without).filter(({ kind }) => kind === "value, block");
  // What an editor offers as a key where each is a path.
  const keys = new Set(["PATH"]);
  for (const { mappings } of language.blocks()) mappings.forEach(({ properties }) => Object.keys(properties).forEach((key) => keys.add(key)));
  const { title } = JSON.parse(readFileSync(join(schemas, `${language.kind}.schema.json`), "utf8"));
  const questions = all.flatMap((position) => {
    const { mapping, key, text } = position;
    const isTag = key === "type" && (tag(mapping) ?? onlyKey(mapping)) !== undefined;
    const value = JSON.stringify(language.least(mapping.properties[key], key));
    const hover = { position, text: text.replace(CURSOR, value), about: isTag ? undefined : about(mapping.properties[key]) };
    return [hover, ...WRONG.map((wrong) => ({ position, text: text.replace(`: ${CURSOR}`, wrong) }))];
  });
  const ask = async ({ position: { at, key, text: marked }, text, about }) => {
    const { uri, problems } = server.show(language.kind, text);
    if (about !== undefined) {
      const lines = marked.slice(0, marked.indexOf(CURSOR)).split("\n");
      const cursor = { line: lines.length - 1, character: lines.at(-1).length - 3 };
      const hover = await server.ask("textDocument/hover", { textDocument: { uri }, position: cursor });
      const [heading = "", ...rest] = (hover?.contents?.value ?? "").split("\n");
      const said = plain(rest.join(" ")).trim();
      const name = plain(heading).replace("#### ", "");
      hovers += 1;
      // The server joins the names of two forms if the key is called like one of them.
      const isJoined = KINDS.includes(key) && name === `${key} || insert`;
      if (name !== key && !isJoined && !isCalledWell(name) && name !== title) failures.push(`${language.kind} ${at}: the hover is headed \`${name}\``);
      if (!said.startsWith(about)) failures.push(`${language.kind} ${at}: the hover says \`${said.slice(0, 80)}\``);
      server.close(uri);
      return;
    }
    for (const problem of await problems) checkMessage(`${language.kind} ${at}: \`${text.split("\n").at(-2).trim()}\``, problem, keys);
    server.close(uri);
  };
  for (let index = 0; index < questions.length; index += TOGETHER) {
    await Promise.all(questions.slice(index, index + TOGETHER).map(ask));
  }
}

/** The first sentence about a key. */
const about = ({ description }) => plain(description).split(/(?<=\.) /)[0];

const server = await start(schemas);
const test = new Language(join(schemas, "program"), "test");
await warm(server);
await read(server, test);
// What configs have in common with tests is read there.
await read(server, new Language(join(schemas, "program"), "config"), test);
server.stop();
for (const failure of failures.slice(0, 40)) console.log(`FAIL ${failure}`);
console.log(`${hovers} hovers and ${messages} messages read in ${(performance.now() / 1000).toFixed(0)} s, ${failures.length} wrong`);
process.exit(failures.length === 0 && hovers >= 700 && messages >= 1000 ? 0 : 1);
